package snippet_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/golden"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/snippet"
)

// TestCases cuts what each line of the file ask names out of the files of an
// archive. A line is from=, then perhaps func=, region= or lines=.
func TestCases(t *testing.T) {
	golden.Archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) *txtar.Archive {
		site := fstest.MapFS{}
		var ask []byte
		for _, f := range a.Files {
			switch f.Name {
			case "ask":
				ask = f.Data
			case "want":
			default:
				site["examples/"+f.Name] = &fstest.MapFile{Data: f.Data}
			}
		}
		var got bytes.Buffer
		for i, line := range strings.Split(strings.TrimSpace(string(ask)), "\n") {
			lines, problems := snippet.Read(site, fence(t, line, i+1))
			fmt.Fprintf(&got, "# %s\n", line)
			for _, line := range lines {
				fmt.Fprintf(&got, "|%s\n", line)
			}
			problems.Print(&got)
		}
		return golden.Set(t, a, "want", got.Bytes())
	})
}

// fence makes the fence of one line of ask.
func fence(t *testing.T, line string, n int) lesson.Fence {
	t.Helper()
	f := lesson.Fence{Pos: problem.Pos{File: "in.md", Line: n, Col: 1}}
	for _, word := range strings.Fields(line) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "from":
			f.From = value
		case "func":
			f.Func = value
		case "region":
			f.Region = value
		case "lines":
			f.Lines = value
		default:
			t.Fatalf("ask, line %d: no key %q", n, key)
		}
	}
	return f
}

// FuzzCut: no file and no choice crashes; every line shown is one of the file,
// but for its indentation.
func FuzzCut(f *testing.F) {
	f.Add([]byte("package p\n\n// F\nfunc F() {}\n"), "F", "", "")
	f.Add([]byte("# [a]\n\tx\n# [/a]\n"), "", "a", "")
	f.Add([]byte("a\r\nb\r\n"), "", "", "1-2")
	f.Add([]byte("//line x.go:100\npackage p\nfunc (t *T[A, B]) F() {\n}"), "T.F", "", "")
	f.Fuzz(func(t *testing.T, src []byte, fn, region, numbers string) {
		lines, problems := snippet.Cut("examples/a/b.go", src, lesson.Fence{Func: fn, Region: region, Lines: numbers})
		if (len(lines) == 0) == (len(problems) == 0) {
			t.Errorf("lines %q and problems %v", lines, problems)
		}
		for _, line := range lines {
			if !bytes.Contains(src, []byte(line)) {
				t.Errorf("%q is not in the file", line)
			}
		}
	})
}

// Code that browsers would show in another order is a problem at its place, in
// whichever way it was chosen; what is not shown is none.
func TestDirections(t *testing.T) {
	for _, r := range []rune{0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069} {
		src := "package main\n\n// [a]\nfunc a() {\n\tb(`" + string(r) + "}`)\n}\n// [/a]\n\nfunc c() {\n}\n"
		for _, f := range []lesson.Fence{{}, {Region: "a"}, {Func: "a"}, {Lines: "5"}} {
			if _, ps := snippet.Cut("examples/x/main.go", []byte(src), f); len(ps) != 1 || ps[0].Line != 5 || ps[0].Col != 5 {
				t.Errorf("%U, %+v: problems %v", r, f, ps)
			}
		}
		for _, f := range []lesson.Fence{{Func: "c"}, {Lines: "1-4"}} {
			if _, ps := snippet.Cut("examples/x/main.go", []byte(src), f); len(ps) > 0 {
				t.Errorf("%U, %+v: problems %v", r, f, ps)
			}
		}
	}
}
