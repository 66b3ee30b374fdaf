// Package filetree writes and reads small folders of files, for tests.
package filetree

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// New writes files, text by slash-separated path, below a new folder. It returns the
// folder's path and the folder, open until the test ends.
func New(t *testing.T, files map[string]string) (string, *os.Root) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		Write(t, dir, name, text)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return dir, root
}

// Write writes a file below dir, and makes the folders that it needs.
func Write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Texts returns every file below dir with its text, as "a=1 b/c=2", sorted.
func Texts(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		lines = append(lines, rel+"="+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}
