package record

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"verbatim/internal/lesson"
)

func TestShow(t *testing.T) {
	table, err := os.ReadFile("testdata/show.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(table)); s.Scan(); {
		var row struct {
			Raw, Want, Why string
			Base64         string `json:"raw_b64"`
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatalf("%v in %s", err, s.Text())
		}
		raw := []byte(row.Raw)
		if row.Base64 != "" {
			raw, _ = base64.StdEncoding.DecodeString(row.Base64)
		}
		if got := string(Show(raw)); got != row.Want {
			t.Errorf("Show(%q) = %q, want %q: %s", raw, got, row.Want, row.Why)
		}
	}
}

// What is shown holds no control byte but tabs and line ends, and is a text of
// whole lines.
func FuzzShow(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\r\n\\\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		shown := Show(raw)
		if strings.ContainsFunc(strings.ReplaceAll(string(shown), "\n", ""), unshowable) {
			t.Fatalf("Show(%q) = %q holds a control", raw, shown)
		}
		if len(shown) > 0 && shown[len(shown)-1] != '\n' {
			t.Fatalf("Show(%q) = %q ends within a line", raw, shown)
		}
		if again := strings.Join(append(Lines(shown), ""), "\n"); len(shown) > 0 && again != string(shown) {
			t.Fatalf("Lines(%q) loses bytes", shown)
		}
	})
}

// TestPickOrder: lines= names each line once, in the order of the run.
func TestPickOrder(t *testing.T) {
	lines := []string{"one", "two", "three", "four", "five"}
	for list, valid := range map[string]bool{
		"1,3": true, "1-2,4-5": true, "1,2,3": true, "1-5": true, "2, 4": true,
		"1,1": false, "2,1": false, "1-3,3": false, "1-3,2-4": false, "5,4,3,2,1": false, "1,3,2": false,
		"4-5,1-3": false, "1-2,1": false, "1,2,1": false, "3-4,3-4": false, "1,5,5": false, "2-3, 1": false, "01,1": false,
	} {
		for _, match := range []string{"", "."} {
			if got, err := Pick(lines, nil, lesson.Fence{Lines: list, Match: match}); (err == nil) != valid {
				t.Errorf("lines=%q match=%q picks %q (%v)", list, match, got, err)
			}
		}
	}
}

func TestPick(t *testing.T) {
	lines := []string{"one", "two", "three"}
	for _, row := range []struct{ lines, match, want, err string }{
		{"", "", "one two three", ""},
		{"2", "", "two", ""},
		{"1-2", "", "one two", ""},
		{"3,1", "", "", `lines="3,1" shows lines twice or in another order than they have`},
		{"2-3, 1", "", "", `lines="2-3, 1" shows lines twice or in another order than they have`},
		{"", "^t", "two three", ""},
		{"1-2", "t", "two", ""},
		{"0", "", "", `lines="0" is not of the form 1, 1-3 or 1-3,5`},
		{"2-1", "", "", `lines="2-1" is not of the form 1, 1-3 or 1-3,5`},
		{"x", "", "", `lines="x" is not of the form 1, 1-3 or 1-3,5`},
		{"4", "", "", `lines="4", but there are 3 lines`},
		{"1-9", "", "", `lines="1-9", but there are 3 lines`},
		{"", "four", "", `match="four" matches none of 3 lines`},
		{"", "(", "", `match="(" is not a regular expression`},
	} {
		got, err := Pick(lines, nil, lesson.Fence{Lines: row.lines, Match: row.match})
		if err != nil && err.Error() != row.err || err == nil && row.err != "" {
			t.Errorf("Pick(lines=%q match=%q): error %v, want %s", row.lines, row.match, err, row.err)
		}
		if err == nil && strings.Join(got, " ") != row.want {
			t.Errorf("Pick(lines=%q match=%q) = %q, want %s", row.lines, row.match, got, row.want)
		}
	}
}

func TestDiff(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, row := range []struct {
		name              string
		recorded, printed []string
		want              string
	}{
		{"equal", []string{"a"}, []string{"a"}, ""},
		{"changed", []string{"a", "b"}, []string{"a", "c"}, "line 2\n  recorded \"b\"\n  printed  \"c\""},
		{"dropped", []string{"a", "b"}, []string{"a"}, "line 2\n  recorded \"b\"\n  printed  (nothing)"},
		{"added", nil, []string{"a"}, "line 1\n  recorded (nothing)\n  printed  \"a\""},
		{"blanks at the end are shown", []string{"a  "}, []string{"a"}, "line 1\n  recorded \"a··\"\n  printed  \"a\""},
		{"tabs are shown", []string{"a\tb"}, []string{"a b"}, "line 1\n  recorded \"a→b\"\n  printed  \"a b\""},
	} {
		if got := Diff(row.recorded, row.printed); got != row.want {
			t.Errorf("%s: got\n%s\nwant\n%s", row.name, got, row.want)
		}
	}
	if got := Diff([]string{long + "1"}, []string{long + "2"}); len(got) > 500 || !strings.Contains(got, "1\"") {
		t.Errorf("a long line is not cut around its difference:\n%s", got)
	}
}

// A record comes back from its files as it was.
func TestRecordRoundTrip(t *testing.T) {
	e := &Evidence{
		Output: Show([]byte("a\x07\n")), Raw: Digest([]byte("a\x07\n")),
		Values: map[string]string{"leaked": "3", "a_name": "x=y"},
		Tables: map[string][]byte{"burst.csv": []byte("second,admitted\n1,100\n")},
	}
	r := Renew(nil, Rules{}, e, Record{Inputs: map[string]string{"examples/x/main.go": "12ab", "redis": "redis:7.0.15"}, Recorded: Provenance{Redis: "7.0.15", Go: "go1.26", Date: "2026-11-29"}})
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys["d/"+name] = &fstest.MapFile{Data: data}
	}
	back, ps := Read(fsys, "d")
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	if d := (Rules{}).Diff(e, &back.Evidence); d != "" {
		t.Errorf("it came back other: %s", d)
	}
	again, err := back.Files()
	if err != nil {
		t.Fatal(err)
	}
	if len(again) != len(files) || len(files) != 4 {
		t.Errorf("%d files, then %d", len(files), len(again))
	}
	for name := range files {
		if !bytes.Equal(files[name], again[name]) {
			t.Errorf("%s changed:\n%s\n%s", name, files[name], again[name])
		}
	}
	if got, ps := Read(fsys, "elsewhere"); got != nil || len(ps) > 0 {
		t.Errorf("a missing record gave %v, %v", got, ps)
	}
}

// The same lines keep their birth date; other lines get a new one.
func TestRenewKeepsProvenance(t *testing.T) {
	a, b := &Evidence{Output: []byte("a\n")}, &Evidence{Output: []byte("b\n")}
	old := Renew(nil, Rules{}, a, Record{Recorded: Provenance{Date: "2026-01-01"}})
	if r := Renew(old, Rules{}, a, Record{Recorded: Provenance{Date: "2026-02-02"}}); r.Recorded.Date != "2026-01-01" {
		t.Errorf("same lines, date %s", r.Recorded.Date)
	}
	if r := Renew(old, Rules{}, b, Record{Recorded: Provenance{Date: "2026-02-02"}}); r.Recorded.Date != "2026-02-02" {
		t.Errorf("other lines, date %s", r.Recorded.Date)
	}
}

func TestReadBadRecord(t *testing.T) {
	fsys := fstest.MapFS{
		"a/record.yaml": {Data: []byte("recorded: [\n")}, "a/output.txt": {},
		"b/record.yaml": {Data: []byte("output: x\n")},
	}
	for _, dir := range []string{"a", "b"} {
		if r, ps := Read(fsys, dir); r != nil || len(ps) == 0 {
			t.Errorf("%s: got %v and problems %v", dir, r, ps)
		}
	}
	if _, ps := Read(fsys, "b"); !strings.Contains(ps[0].String(), "b/output.txt") {
		t.Error("a record without output does not name the missing file")
	}
}

// A record of which one file is another run's is torn; one whose files are as
// written is not.
func TestTornRecord(t *testing.T) {
	r := &Record{Evidence: Evidence{
		Output: []byte("one\n"), Raw: "x", Values: map[string]string{"n": "1"},
		Tables: map[string][]byte{"t.csv": []byte("a\n1\n")},
	}, Inputs: map[string]string{"f": "d"}, Recorded: Provenance{Date: "2026-11-29"}}
	tests := []struct {
		name, file, text string // text replaces file, or deletes it
		want             bool
	}{
		{"as written", OutputFile, "one\n", false},
		{"other lines", OutputFile, "two\n", true},
		{"other values", ValuesFile, "n=2\n", true},
		{"values missing", ValuesFile, "", true},
		{"another table", "t.csv", "a\n2\n", true},
		{"table missing", "t.csv", "", true},
		{"table too many", "u.csv", "a\n1\n", true},
	}
	for _, test := range tests {
		files, err := r.Files()
		if err != nil {
			t.Fatal(err)
		}
		files[test.file] = []byte(test.text)
		if test.text == "" {
			delete(files, test.file)
		}
		fsys := fstest.MapFS{}
		for name, data := range files {
			fsys["d/"+name] = &fstest.MapFile{Data: data}
		}
		got, ps := Read(fsys, "d")
		if got == nil || got.Torn != test.want {
			t.Errorf("%s: %+v, %v, want torn %t", test.name, got, ps, test.want)
		}
	}
}

// A record whose line ends a checkout made CR LF is the same record.
func TestRecordWithCRLF(t *testing.T) {
	r := &Record{
		Evidence: Evidence{
			Output: []byte("one\ntwo\n\nfour\n"), Raw: Digest([]byte("x")),
			Values: map[string]string{"a": "1", "b": "two words"},
			Tables: map[string][]byte{"t.csv": []byte("x,y\n1,2\n")},
		},
		Inputs: map[string]string{"main.go": "y"}, Recorded: Provenance{Date: "2026-11-29"},
	}
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	disk := fstest.MapFS{}
	for name, data := range files {
		disk["e/recorded/"+name] = &fstest.MapFile{Data: bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))}
	}
	got, ps := Read(disk, "e/recorded")
	if len(ps) > 0 || got.Torn {
		t.Fatalf("torn %v, problems %v", got != nil && got.Torn, ps)
	}
	again, err := got.Files()
	if err != nil {
		t.Fatal(err)
	}
	for name := range files {
		if !bytes.Equal(again[name], files[name]) {
			t.Errorf("%s is %q, want %q", name, again[name], files[name])
		}
	}
}

// Text that changes its direction on the screen is shown as an escape, and an
// output that was edited to hold it counts as edited.
func TestShowBidi(t *testing.T) {
	for _, r := range []rune{0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069} {
		shown := string(Show([]byte("allows " + string(r) + "123 \\ requests\n")))
		if want := fmt.Sprintf("allows \\u%04x123 \\\\ requests\n", r); shown != want {
			t.Errorf("%U is shown as %q, want %q", r, shown, want)
		}
		if again := string(Show([]byte(shown))); again != shown {
			t.Errorf("%q is shown as %q", shown, again)
		}
	}
}

// A record of which any one line of record.yaml was changed, left out or written
// twice is torn or cannot be read.
func TestEveryLineIsCovered(t *testing.T) {
	r := &Record{
		Evidence: Evidence{Output: []byte("one\n"), Raw: Digest([]byte("one\n"))},
		Inputs:   map[string]string{"a/main.go": "11aa", "a/b.go": "22bb", "language": "go 1.24", "executable a/x": "yes"},
		Compiled: []string{"a/b.go", "a/main.go"},
		Recorded: Provenance{Redis: "7.0.15", Image: "redis:7.0.15", Go: "go1.26.0", Connected: true, Date: "2026-11-29"},
	}
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	refused := func(text string) bool {
		got, ps := Read(fstest.MapFS{
			"d/" + OutputFile: &fstest.MapFile{Data: files[OutputFile]}, "d/" + RecordFile: &fstest.MapFile{Data: []byte(text)},
		}, "d")
		return len(ps) > 0 || got.Torn
	}
	text := string(files[RecordFile])
	if refused(text) {
		t.Fatal("the record as it was written is refused")
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "#") {
			continue
		}
		without := strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "")
		if !refused(without) {
			t.Errorf("nothing shows that the line %q was left out", line)
		}
		if strings.HasSuffix(strings.TrimSpace(line), ":") {
			continue // a key alone
		}
		changed := slices.Clone(lines)
		switch last := strings.TrimRight(line, "\n\""); {
		case strings.HasSuffix(last, "true"):
			changed[i] = strings.Replace(line, "true", "false", 1)
		default:
			changed[i] = strings.Replace(line, last, last+"7", 1)
		}
		if !refused(strings.Join(changed, "")) {
			t.Errorf("nothing shows that %q became %q", line, changed[i])
		}
	}
}
