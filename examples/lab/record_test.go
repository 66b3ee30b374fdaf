package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecord(t *testing.T) {
	values, folder := filepath.Join(t.TempDir(), "values"), t.TempDir()
	t.Setenv(envValues, values)
	t.Setenv(envRecord, folder)
	l := &Lab{}
	if err := l.Value("leaked", 3); err != nil {
		t.Error(err)
	}
	if err := l.Value("routes", "429, 200, 500"); err != nil {
		t.Error(err)
	}
	if err := l.Table("burst.csv", []string{"second", "admitted"}, [][]string{{"0", "100"}, {"1", "a, b"}}); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]string{
		values:                             "leaked=3\nroutes=429, 200, 500\n",
		filepath.Join(folder, "burst.csv"): "second,admitted\n0,100\n1,\"a, b\"\n",
	} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, want)
		}
	}
}

func TestRecordMistakes(t *testing.T) {
	l := &Lab{} // alone, mistakes are told too
	if err := l.Value("leaked", 3); err != nil {
		t.Fatal(err)
	}
	if err := l.Table("burst.csv", []string{"second"}, nil); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		err  error
		want string
	}{
		{l.Value("leaked", 4), "recorded twice"},
		{l.Value("Leaked", 4), "a name begins with a letter"},
		{l.Value("1st", 4), "a name begins with a letter"},
		{l.Value("empty", ""), "one line of text"},
		{l.Value("long", "a\nb"), "one line of text"},
		{l.Table("burst.csv", []string{"second"}, nil), "recorded twice"},
		{l.Table("../x.csv", []string{"second"}, nil), "ends in .csv"},
		{l.Table("x.txt", []string{"second"}, nil), "ends in .csv"},
		{l.Table("x.csv", nil, nil), "no columns"},
		{l.Table("x.csv", []string{"a", "b"}, [][]string{{"1", "2"}, {"3"}}), "row 2 has 1 cells, the header 2"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("got %v, want %q in it", test.err, test.want)
		}
	}
}
