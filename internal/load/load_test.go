package load

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the want files of testdata")

// testdata/sites/*.txtar are sites; the file "want" is what is read from them.
func TestSite(t *testing.T) {
	cases, err := filepath.Glob("testdata/sites/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range cases {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fsys, want, at := fstest.MapFS{}, "", -1
			for i, f := range archive.Files {
				if f.Name == "want" {
					want, at = string(f.Data), i
					continue
				}
				fsys[f.Name] = &fstest.MapFile{Data: []byte(bytesOf.Replace(string(f.Data)))}
			}
			got := dump(t, fsys)
			if got == want {
				return
			}
			if *update && at >= 0 {
				archive.Files[at].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		})
	}
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
