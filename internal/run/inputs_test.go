package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
)

// Every change of testdata/inputs.txtar makes exactly the examples stale that
// it names: as Verify sees it, which runs nothing, and as Compute sees it.
func TestStaleness(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/inputs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	changes := archive.Files[len(archive.Files)-1]
	root := t.TempDir()
	writeSite(t, root, archive)
	examples, before := fingerprints(t, root, "redis:7.0.15")
	if len(before) != 3 {
		t.Fatalf("fingerprints of %d examples, want 3", len(before))
	}
	for line := range strings.Lines(string(changes.Data)) {
		what, want, _ := strings.Cut(strings.TrimSpace(line), " |")
		t.Run(what, func(t *testing.T) {
			writeSite(t, root, archive)
			apply(t, root, strings.Fields(what))
			var stale []string
			tree := NewTree(os.DirFS(root), "redis:7.0.15")
			for _, e := range examples {
				now, exact, err := tree.Verify(e, before[e.ID])
				if err != nil {
					t.Fatal(err)
				}
				if !exact {
					computed, _, err := tree.Compute(context.Background(), root, []lesson.Example{e})
					if err != nil {
						t.Fatal(err)
					}
					now = computed[e.ID]
				}
				if len(Changes(before[e.ID], now)) > 0 {
					stale = append(stale, e.ID)
				}
			}
			if got := strings.Join(stale, " "); got != strings.TrimSpace(want) {
				t.Errorf("stale: %q, want %q", got, strings.TrimSpace(want))
			}
			_, after := fingerprints(t, root, "redis:7.0.15")
			for _, e := range examples {
				differs := len(Changes(before[e.ID], after[e.ID])) > 0
				if differs != slices.Contains(stale, e.ID) {
					t.Errorf("Compute and Verify disagree on %s: %v", e.ID, Changes(before[e.ID], after[e.ID]))
				}
			}
		})
	}
}

// The pinned image is an input of what needs Redis, and of nothing else.
func TestStalenessOfImage(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/inputs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	writeSite(t, root, archive)
	_, before := fingerprints(t, root, "redis:7.0.15")
	examples, after := fingerprints(t, root, "redis:7.2.0")
	for _, e := range examples {
		changes := Changes(before[e.ID], after[e.ID])
		if stale := len(changes) > 0; stale != (e.Needs == "redis") {
			t.Errorf("%s needs %s: changes %v", e.ID, e.Needs, changes)
		}
	}
}

func fingerprints(t *testing.T, root, image string) ([]lesson.Example, map[string]Inputs) {
	t.Helper()
	book, _, err := load.Site(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	inputs, ps, err := NewTree(os.DirFS(root), image).Compute(context.Background(), root, book.Examples)
	if err != nil || len(ps) > 0 {
		t.Fatal(err, ps)
	}
	return book.Examples, inputs
}

// writeSite makes root hold exactly the archive's files.
func writeSite(t *testing.T, root string, archive *txtar.Archive) {
	t.Helper()
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range archive.Files {
		write(t, filepath.Join(root, f.Name), f.Data)
	}
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func apply(t *testing.T, root string, words []string) {
	t.Helper()
	file := filepath.Join(root, words[1])
	var err error
	switch words[0] {
	case "append":
		var old []byte
		if old, err = os.ReadFile(file); err == nil {
			comment := "\n# more\n"
			if ext := filepath.Ext(file); ext == ".go" || ext == ".mod" {
				comment = "\n// more\n"
			}
			write(t, file, append(old, comment...))
		}
	case "create":
		text := "new\n"
		if filepath.Ext(file) == ".go" {
			text = "package " + map[bool]string{true: "main", false: "lib"}[strings.Contains(file, "/one/")] + "\n"
		}
		write(t, file, []byte(text))
	case "delete":
		err = os.Remove(file)
	case "rename":
		err = os.Rename(file, filepath.Join(root, words[2]))
	case "touch":
		err = os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0))
	default:
		t.Fatalf("unknown change %q", words)
	}
	if err != nil {
		t.Fatal(err)
	}
}
