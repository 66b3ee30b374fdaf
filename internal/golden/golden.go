// Package golden compares results of tests with files of testdata. The flag -update
// writes the results into the files instead:
//
//	go test ./internal/chart -update
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Update is the flag -update.
var Update = flag.Bool("update", false, "write results into testdata instead of comparing them")

// Archives runs a subtest for each txtar archive whose path matches pattern. compute
// returns the archive with the results that the test computes from its other files.
func Archives(t *testing.T, pattern string, compute func(t *testing.T, a *txtar.Archive) *txtar.Archive) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no archive matches %s: %v", pattern, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want := txtar.Format(a)
			got := compute(t, &txtar.Archive{Comment: a.Comment, Files: append([]txtar.File{}, a.Files...)})
			if bytes.Equal(txtar.Format(got), want) {
				return
			}
			if *Update {
				write(t, name, txtar.Format(got))
				return
			}
			report(t, a, got)
		})
	}
}

// report reports the files of got that differ from want.
func report(t *testing.T, want, got *txtar.Archive) {
	t.Helper()
	for i, f := range got.Files {
		switch {
		case i >= len(want.Files) || want.Files[i].Name != f.Name:
			t.Errorf("the archive has no file %q in place %d; run go test with -update. Got:\n%s", f.Name, i+1, f.Data)
		case !bytes.Equal(want.Files[i].Data, f.Data):
			t.Errorf("%s: got\n%s\nwant\n%s", f.Name, f.Data, want.Files[i].Data)
		}
	}
	if len(want.Files) > len(got.Files) {
		t.Errorf("the archive has %d files, want %d; run go test with -update", len(want.Files), len(got.Files))
	}
}

// Set returns the archive with the content of the file called name replaced. It fails
// the test if there is no such file.
func Set(t *testing.T, a *txtar.Archive, name string, data []byte) *txtar.Archive {
	t.Helper()
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = data
			return a
		}
	}
	t.Fatalf("the archive has no file %q", name)
	return nil
}

// File compares got with the content of a file.
func File(t *testing.T, name string, got []byte) {
	t.Helper()
	if *Update {
		write(t, name, got)
		return
	}
	if want, err := os.ReadFile(name); err != nil || !bytes.Equal(want, got) {
		t.Errorf("%s (%v): got\n%s", name, err, got)
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
