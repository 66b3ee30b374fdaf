//go:build unix

package site

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"verbatim/internal/filetree"
	"verbatim/internal/golden"

	"github.com/rogpeppe/go-internal/txtar"
)

// oddSite is what every case of TestOdd begins with.
var oddSite = map[string]string{
	"content/index.md":        "# Home\n\n- [A](a.md)\n- [B](deep/b.md)\n",
	"content/a.md":            "# A\n\nHello.\n\n```output {of=e}\n```\n",
	"content/deep/b.md":       "# B\n\nHello.\n",
	"examples/e/example.yaml": "run: sh main.sh\nneeds: none\n",
	"examples/e/main.sh":      "echo hello\n",
}

// TestOdd: testdata/odd.txtar says what lies in the way, and what build says.
func TestOdd(t *testing.T) {
	golden.Archives(t, "testdata/odd.txtar", func(t *testing.T, a *txtar.Archive) *txtar.Archive {
		cases := map[string]string{}
		for i := range a.Files {
			f := &a.Files[i]
			if kind, name, expects := strings.Cut(f.Name, "/"); expects {
				f.Data = []byte(odd(t, cases[name], kind == "check"))
			} else {
				cases[f.Name] = string(f.Data)
			}
		}
		return a
	})
}

// odd builds a site, executes the lines of a case, and returns the report of the next
// build. If that reports a problem, it must have written nothing.
func odd(t *testing.T, lines string, check bool) string {
	t.Helper()
	dir, _ := filetree.New(t, oddSite)
	config := Config{Root: dir, Today: "2026-11-29"}
	if r, err := Build(context.Background(), config); err != nil || len(r.Problems) > 0 {
		t.Fatalf("the site does not build: %v %v", err, r)
	}
	for line := range strings.Lines(lines) {
		what, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if err := lay(what, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	before := listing(t, dir)
	config.Check = check
	r, err := Build(context.Background(), config)
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	if after := listing(t, dir); len(r.Problems) > 0 && after != before {
		t.Errorf("%q: the build wrote:\n%s\nbefore:\n%s", lines, after, before)
	}
	var said strings.Builder
	r.Problems.Print(&said)
	return said.String()
}

// lay puts an odd thing at name, or removes what is there.
func lay(what, name string) error {
	if what == "remove" {
		return os.RemoveAll(name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	switch what {
	case "pipe":
		return syscall.Mkfifo(name, 0o644)
	case "folder":
		return os.Mkdir(name, 0o755)
	case "file":
		return os.WriteFile(name, []byte("mine\n"), 0o644)
	}
	return fmt.Errorf("no such thing: %q", what)
}

// listing names everything in the site but the cache, with its kind, size and
// time of change.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		if d.Name() == CacheDir {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			fmt.Fprintln(&all, name, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
