package record

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"verbatim/internal/lesson"
)

// A row has two runs, the rules, and the result of Diff.
func TestRules(t *testing.T) {
	table, err := os.ReadFile("testdata/rules.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(table)); s.Scan(); {
		var row struct {
			Why, A, B, Want string
			Mask            []string
			Unordered       bool
			Tolerance       map[string]float64
			ValuesA         map[string]string `json:"values_a"`
			ValuesB         map[string]string `json:"values_b"`
			TablesA         map[string]string `json:"tables_a"`
			TablesB         map[string]string `json:"tables_b"`
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatalf("%v in %s", err, s.Text())
		}
		e := lesson.Example{Unordered: row.Unordered, Tolerance: row.Tolerance}
		for _, m := range row.Mask {
			e.Masks = append(e.Masks, lesson.Mask{Name: m, Pattern: cmp.Or(Typed[m], m)})
		}
		a := &Evidence{Output: []byte(row.A), Values: row.ValuesA, Tables: asTables(row.TablesA)}
		b := &Evidence{Output: []byte(row.B), Values: row.ValuesB, Tables: asTables(row.TablesB)}
		if got := RulesOf(e).Diff(a, b); got != row.Want {
			t.Errorf("%s: got\n%s\nwant\n%s", row.Why, got, row.Want)
		}
	}
}

func asTables(in map[string]string) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range in {
		out[name] = []byte(text)
	}
	return out
}

func TestUnusedMasks(t *testing.T) {
	masks := []lesson.Mask{{Name: "time", Pattern: Typed["time"]}, {Name: "x+", Pattern: "x+"}}
	unused := UnusedMasks(masks, &Evidence{Output: []byte("took 3 ms\n")})
	if len(unused) != 1 || unused[0].Name != "x+" {
		t.Errorf("unused %v", unused)
	}
}

func TestSuggest(t *testing.T) {
	e := lesson.Example{Dir: "examples/x"}
	for _, row := range []struct{ a, b, want string }{
		{"at 10:00:00\n", "at 10:00:01\n", "add to examples/x/example.yaml: mask: [time]"},
		{"pid 1\n", "pid 2\n", "add to examples/x/example.yaml: mask: [id]"},
		{"127.0.0.1:4000\n", "127.0.0.1:4001\n", "add to examples/x/example.yaml: mask: [port]"},
		{"pid 1 at 10:00:00\n", "pid 2 at 10:00:01\n", "add to examples/x/example.yaml: mask: [id, port, time]"},
		{"a\nb\n", "b\na\n", "add to examples/x/example.yaml: unordered: true"},
		{"3 keys\n", "4 keys\n", ""},
	} {
		if got := Suggest(e, &Evidence{Output: []byte(row.a)}, &Evidence{Output: []byte(row.b)}); got != row.want {
			t.Errorf("%q, %q: got %q, want %q", row.a, row.b, got, row.want)
		}
	}
}

func TestParseValues(t *testing.T) {
	for _, row := range []struct{ src, err string }{
		{"a=1\nb_2=x = y\n", ""},
		{"", ""},
		{"a=1\r\nb=2\r\n", ""},
		{"a=1\na=2\n", `values, line 2: "a" is recorded twice`},
		{"A=1\n", `values, line 1: "A=1" is not name=value, with a name such as leaked_keys`},
		{"a\n", `values, line 1: "a" is not name=value, with a name such as leaked_keys`},
		{"a=1\x00\n", `values, line 1: the value of "a" is not one line of text`},
		{"a=\xff\n", `values, line 1: the value of "a" is not one line of text`},
	} {
		_, err := ParseValues([]byte(row.src))
		if err == nil && row.err != "" || err != nil && err.Error() != row.err {
			t.Errorf("%q: error %v, want %q", row.src, err, row.err)
		}
	}
}

func TestReadTables(t *testing.T) {
	long := "x\n" + strings.Repeat("1\n", MaxRows+1)
	for _, row := range []struct{ name, src, err string }{
		{"t.csv", "x,y\n1,2\n", ""},
		{"t.csv", "x,y\r\n1,2\r\n", ""},
		{"t.csv", "x\n", ""},
		{"t.csv", "", "table t.csv: no header row"},
		{"t.csv", "x,x\n", "table t.csv: column 2 has no name of its own"},
		{"t.csv", "x,y\n1\n", "table t.csv: record on line 2: wrong number of fields"},
		{"t.csv", "\xff\n", "table t.csv: not UTF-8"},
		{"t.csv", long, "table t.csv: more than 10000 rows"},
		{"t.txt", "x\n", `"t.txt" is not a table: record regular files named *.csv, in no folder`},
		{"d/t.csv", "x\n", `"d" is not a table: record regular files named *.csv, in no folder`},
		{".t.csv", "x\n", `".t.csv" is not a table: record regular files named *.csv, in no folder`},
	} {
		_, err := ReadTables(fstest.MapFS{row.name: {Data: []byte(row.src)}})
		if err == nil && row.err != "" || err != nil && err.Error() != row.err {
			t.Errorf("%s %.20q: error %v, want %q", row.name, row.src, err, row.err)
		}
	}
}

func FuzzParseTable(f *testing.F) {
	f.Add([]byte("x,y\n1,\"2\"\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		rows, err := ParseTable("t.csv", src)
		if err == nil && (len(rows) == 0 || len(rows[0]) == 0) {
			t.Fatalf("%q gave no header and no error", src)
		}
	})
}
