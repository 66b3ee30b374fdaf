package load

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"verbatim/internal/golden"

	"github.com/rogpeppe/go-internal/txtar"
)

// testdata/sites/*.txtar are sites; the file "want" is what is read from them.
func TestSite(t *testing.T) {
	golden.Archives(t, "testdata/sites/*.txtar", func(t *testing.T, a *txtar.Archive) *txtar.Archive {
		fsys := fstest.MapFS{}
		for _, f := range a.Files {
			if f.Name != "want" {
				fsys[f.Name] = &fstest.MapFile{Data: []byte(bytesOf.Replace(string(f.Data)))}
			}
		}
		return golden.Set(t, a, "want", []byte(dump(t, fsys)))
	})
}

// bytesOf are the bytes that a text file cannot show.
var bytesOf = strings.NewReplacer("<BOM>", "\ufeff", "<CR>", "\r", "<BELL>", "\a", "<E9>", "\xe9", "<FF>", "\xff", "<FE>", "\xfe")

// dump writes what a reader of the test wants to see of a book.
func dump(t *testing.T, fsys fstest.MapFS) string {
	var b strings.Builder
	book, ps, err := Site(fsys)
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	for _, l := range book.All() {
		m := l.Meta
		fmt.Fprintf(&b, "lesson %s: title %q summary %q needs %v checked %q aliases %q draft %t redis %q\n",
			l.ID, m.Title, m.Summary, len(m.Needs), m.Checked, m.Aliases, m.Draft, m.Redis)
	}
	for _, e := range book.Course {
		fmt.Fprintf(&b, "course %s %q depth %d\n", e.Lesson, e.Title, e.Depth)
	}
	for _, e := range book.Examples {
		fmt.Fprintf(&b, "example %s: go %t run %q needs %s exit %d timeout %v env %v\n", e.ID, e.Go, e.Run, e.Needs, e.Exit, e.Timeout, e.Env)
	}
	for _, s := range book.Sources {
		fmt.Fprintf(&b, "source %s: url %s publish %t module %q file %q\n", s.ID, s.URL, s.Publish, s.Module, s.Path)
	}
	for _, f := range book.Files {
		fmt.Fprintf(&b, "file %s\n", f)
	}
	ps.Sort()
	ps.Print(&b)
	return b.String()
}

func TestSplitWords(t *testing.T) {
	for _, row := range []struct {
		in   string
		want []string
	}{
		{"python3 main.py", []string{"python3", "main.py"}},
		{`sh -c 'echo "a b" | cat'`, []string{"sh", "-c", `echo "a b" | cat`}},
		{`a "b \"c\" \d" ''`, []string{"a", `b "c" \d`, ""}},
		{`a\ b $HOME *`, []string{"a b", "$HOME", "*"}},
		{"  ", nil},
	} {
		got, err := splitWords(row.in)
		if err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", row.want) {
			t.Errorf("splitWords(%q) = %q, %v; want %q", row.in, got, err, row.want)
		}
	}
	for _, in := range []string{`a "b`, `a 'b`, `a \`} {
		if got, err := splitWords(in); err == nil {
			t.Errorf("splitWords(%q) = %q, want an error", in, got)
		}
	}
}

// Arbitrary bytes give a body that begins inside the file, and places in it.
func FuzzFrontMatter(f *testing.F) {
	f.Add([]byte("---\ntitle: a\nneeds: [b, {id: c, why: d}]\n---\n# x\n"))
	f.Add([]byte("\ufeff---\r\ntitle: a\r\n---\r\n"))
	f.Add([]byte("---\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		_, start, ps := frontMatter("f.md", src)
		if start < 0 || start > len(src) {
			t.Fatalf("the body begins at %d of %d", start, len(src))
		}
		for _, p := range ps {
			if p.Line < 1 {
				t.Fatalf("a problem without a line: %v", p)
			}
		}
	})
}
