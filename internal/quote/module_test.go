package quote

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/lesson"
)

// needGo skips a test where there is no go command; go test itself has one, so
// this is for test binaries that were carried elsewhere.
func needGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command on PATH")
	}
}

// TestModule reads a file of a module that this repository requires.
func TestModule(t *testing.T) {
	needGo(t)
	s := lesson.Source{ID: "lib", Module: "github.com/PuerkitoBio/goquery", Path: "doc.go"}
	f, err := openModuleFile(context.Background(), "../..", s)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	page, err := ReadPage(s.Path, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := page.Find("implements features similar to jQuery, including the chainable syntax, to manipulate and query an HTML document."); got.Verdict != Match {
		t.Errorf("got %s, want a match of the package comment: %+v", got.Verdict, got)
	}
}

// TestModuleProblems has a folder for each way in which a module is no source.
func TestModuleProblems(t *testing.T) {
	needGo(t)
	archive, err := txtar.ParseFile("testdata/modules.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	want := map[string]string{}
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if filepath.Base(name) == "want" {
			want[filepath.Dir(f.Name)] = strings.TrimSpace(string(f.Data))
			name = filepath.Join(filepath.Dir(name), "x.txt")
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(want) == 0 {
		t.Fatal("testdata/modules.txtar wants nothing")
	}
	for folder, text := range want {
		s := lesson.Source{ID: "lib", Module: "example.org/lib", Path: "lib.go"}
		if folder == "escape" {
			s.Path = "../lib.go"
		}
		f, err := openModuleFile(context.Background(), filepath.Join(dir, folder), s)
		if f != nil {
			io.Copy(io.Discard, f)
			f.Close()
		}
		var c *complaint
		if !errors.As(err, &c) || c.text != text {
			t.Errorf("%s: got %v, want the complaint %q", folder, err, text)
		}
	}
}
