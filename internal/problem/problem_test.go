package problem

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestDidYouMean(t *testing.T) {
	table, err := os.ReadFile("testdata/near.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(table)); s.Scan(); {
		var row struct {
			Word, Want, Why string
			Known           []string
		}
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatalf("%v in %s", err, s.Text())
		}
		if got := DidYouMean(row.Word, row.Known); got != row.Want {
			t.Errorf("DidYouMean(%q, %q) = %q, want %q: %s", row.Word, row.Known, got, row.Want, row.Why)
		}
	}
}

func TestAt(t *testing.T) {
	src := []byte("ab\r\ncd\n\nx")
	for _, row := range []struct{ offset, line, col int }{
		{0, 1, 1}, {1, 1, 2}, {4, 2, 1}, {7, 3, 1}, {8, 4, 1}, {9, 4, 2}, {99, 4, 2}, {-1, 1, 1},
	} {
		if got := At("f", src, row.offset); got.Line != row.line || got.Col != row.col {
			t.Errorf("At(%d) = %d:%d, want %d:%d", row.offset, got.Line, got.Col, row.line, row.col)
		}
	}
}

// The list prints in one order, without repetitions, however it was gathered.
func TestListPrintsSorted(t *testing.T) {
	var l List
	l.Warn(Pos{"b.md", 1, 1}, "image", "no alternative text")
	l.AddHint(Pos{"a.md", 10, 2}, "lookup", "did you mean \"x\"?\nor not", "no example %q", "y")
	l.Add(Pos{"a.md", 9, 2}, "steps", "there is no step 3")
	l.Add(Pos{"a.md", 9, 2}, "steps", "there is no step 3")
	l.Add(Pos{File: "a.md"}, "file", "cannot be read")
	l.Sort()
	var b strings.Builder
	l.Print(&b)
	want := `a.md: cannot be read [file]
a.md:9:2: there is no step 3 [steps]
a.md:10:2: no example "y" [lookup]
    did you mean "x"?
    or not
b.md:1:1: warning: no alternative text [image]
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
	if problems, warnings := l.Count(); problems != 3 || warnings != 1 {
		t.Errorf("counted %d problems and %d warnings", problems, warnings)
	}
}
