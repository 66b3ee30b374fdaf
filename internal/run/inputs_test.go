package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
)

// Every change of testdata/*.txtar makes exactly the examples stale that it
// names, by Verify, which runs no program, and by Compute. The comment of a file
// names the folder of the site.
func TestStaleness(t *testing.T) {
	for file, examples := range map[string]int{"inputs.txtar": 3, "module.txtar": 5, "vendor.txtar": 1} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		sub := "."
		if _, after, ok := strings.Cut(string(archive.Comment), "site: "); ok {
			sub, _, _ = strings.Cut(after, "\n")
		}
		staleness(t, archive, sub, examples)
	}
}

func staleness(t *testing.T, archive *txtar.Archive, sub string, count int) {
	changes := archive.Files[len(archive.Files)-1]
	top := t.TempDir()
	root := filepath.Join(top, sub)
	writeSite(t, top, archive)
	examples, before := fingerprints(t, top, sub, "redis:7.0.15")
	if len(before) != count {
		t.Fatalf("fingerprints of %d examples, want %d", len(before), count)
	}
	for line := range strings.Lines(string(changes.Data)) {
		what, want, _ := strings.Cut(strings.TrimSpace(line), " |")
		t.Run(what, func(t *testing.T) {
			writeSite(t, top, archive)
			words := strings.Split(what, " ")
			if words[0] != "rename" && words[0] != "set" && words[0] != "mode" { // names may hold blanks
				words = strings.SplitN(what, " ", 2)
			}
			apply(t, top, words)
			var stale []string
			tree := treeOf(top, sub, "redis:7.0.15")
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
			after, _, err := treeOf(top, sub, "redis:7.0.15").Compute(t.Context(), root, examples)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range examples {
				differs := len(Changes(before[e.ID], after[e.ID])) > 0
				if differs != slices.Contains(stale, e.ID) {
					t.Errorf("Compute and Verify disagree on %s: %v", e.ID, Changes(before[e.ID], after[e.ID]))
				}
			}
		})
	}
}

// treeOf returns the tree of the site at sub in the module at top.
func treeOf(top, sub, image string) *Tree {
	tree := NewTree(os.DirFS(filepath.Join(top, sub)), image)
	if sub != "." {
		tree.InModule(os.DirFS(top), sub)
	}
	return tree
}

// The pinned image is an input of what needs Redis, and of nothing else.
func TestStalenessOfImage(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/inputs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	writeSite(t, root, archive)
	_, before := fingerprints(t, root, ".", "redis:7.0.15")
	examples, after := fingerprints(t, root, ".", "redis:7.2.0")
	for _, e := range examples {
		changes := Changes(before[e.ID], after[e.ID])
		if stale := len(changes) > 0; stale != (e.Needs == "redis") {
			t.Errorf("%s needs %s: changes %v", e.ID, e.Needs, changes)
		}
	}
}

func fingerprints(t *testing.T, top, sub, image string) ([]lesson.Example, map[string]Inputs) {
	t.Helper()
	root := filepath.Join(top, sub)
	book, _, err := load.Site(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	inputs, ps, err := treeOf(top, sub, image).Compute(context.Background(), root, book.Examples)
	if err != nil || len(ps) > 0 {
		t.Fatal(err, ps)
	}
	return book.Examples, inputs
}

// writeSite replaces the content of root by the archive's files.
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
	file := filepath.Join(root, words[len(words)-1])
	if words[0] == "rename" || words[0] == "set" {
		file = filepath.Join(root, words[1])
	}
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
		if filepath.Base(file) == "go.mod" {
			text = "module nested.example\n\ngo 1.24\n"
		}
		if filepath.Ext(file) == ".go" {
			text = "package " + map[bool]string{true: "main", false: filepath.Base(filepath.Dir(file))}[strings.Contains(file, "/one/")] + "\n"
		}
		write(t, file, []byte(text))
	case "delete":
		err = os.Remove(file)
	case "rename":
		err = os.Rename(file, filepath.Join(root, words[2]))
	case "chmod":
		err = os.Chmod(file, 0o755)
	case "mode":
		var mode uint64
		if mode, err = strconv.ParseUint(words[1], 8, 32); err == nil {
			err = os.Chmod(file, os.FileMode(mode))
		}
	case "folder":
		err = os.MkdirAll(file, 0o755)
	case "set": // a line of the file to another
		var old []byte
		if old, err = os.ReadFile(file); err == nil {
			from, to, _ := strings.Cut(strings.Join(words[2:], " "), " → ")
			if !strings.Contains(string(old), from) {
				t.Fatalf("%s has no %q", words[1], from)
			}
			write(t, file, []byte(strings.Replace(string(old), from, strings.ReplaceAll(to, `\n`, "\n"), 1)))
		}
	case "touch":
		err = os.Chtimes(file, time.Unix(1, 0), time.Unix(1, 0))
	default:
		t.Fatalf("unknown change %q", words)
	}
	if err != nil {
		t.Fatal(err)
	}
}
