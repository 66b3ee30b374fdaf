package quote

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	f, err := Input{Dir: "../..", modules: &modules{}}.openModuleFile(context.Background(), s)
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
		f, err := Input{Dir: filepath.Join(dir, folder), modules: &modules{}}.openModuleFile(context.Background(), s)
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

// TestModuleChanged edits files of a module in a module cache of its own. The
// go command does not see that, since it compares the archive alone.
func TestModuleChanged(t *testing.T) {
	needGo(t)
	const name, version = "github.com/PuerkitoBio/goquery", "v1.13.0"
	real, err := goCommand(context.Background(), "../..", "env", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	dir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("GOMODCACHE", tmp)
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(strings.TrimSpace(string(real)))+"/cache/download")
	t.Cleanup(func() { // the go command makes modules read-only
		filepath.WalkDir(tmp, func(file string, _ fs.DirEntry, _ error) error { return os.Chmod(file, 0o755) })
	})
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile("../../" + file)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cached := Input{Dir: dir, Cache: filepath.Join(t.TempDir(), "cache")}
	read := func() error {
		in := cached.open()
		defer in.cache.Close()
		f, err := in.openModuleFile(context.Background(), lesson.Source{ID: "lib", Module: name, Path: "doc.go"})
		if err == nil {
			f.Close()
		}
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	outliveStamps()
	if err := read(); err != nil {
		t.Fatalf("read once more: %v", err)
	}
	module := filepath.Join(tmp, "github.com", "!puerkito!bio", "goquery@"+version)
	for _, change := range []func(file string) error{
		func(string) error { return nil },
		func(file string) error { return os.WriteFile(file, []byte("package goquery // changed"), 0o644) },
		func(file string) error { return os.Remove(file) },
		func(file string) error { return os.WriteFile(filepath.Join(filepath.Dir(file), "new.go"), nil, 0o644) },
		func(file string) error { return os.Rename(file, file+".txt") },
	} {
		for _, file := range []string{"doc.go", "type.go"} {
			file = filepath.Join(module, file)
			was, err := os.ReadFile(file)
			if err == nil {
				err = errors.Join(os.Chmod(module, 0o755), os.Chmod(file, 0o644), change(file))
			}
			if err != nil {
				t.Fatal(err)
			}
			now, _ := os.ReadFile(file)
			files, _ := filepath.Glob(filepath.Join(module, "*.go"))
			var c *complaint
			if err := read(); (string(now) != string(was) || slices.Contains(files, filepath.Join(module, "new.go"))) != errors.As(err, &c) {
				t.Errorf("%s: got %v", filepath.Base(file), err)
			}
			os.Remove(filepath.Join(module, "new.go"))
			os.Remove(file + ".txt")
			if err := os.WriteFile(file, was, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := read(); err != nil {
				t.Errorf("%s is as it was: %v", filepath.Base(file), err)
			}
		}
	}
}
