//go:build unix

package load

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// Files that are not files are named, and never opened.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"content/sub", "examples/x"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"content/a.md": "# A\n", "content/sub/file": "", "content/two\nlines": "", "content/\x1b.md": "# B\n", "examples/x/main.sh": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"content/folder": "sub", "content/loop": ".", "content/gone": "nowhere", "content/out": os.TempDir(), "content/fine": "sub/file",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"content/pipe.md", "content/pipe", "examples/x/pipe", "examples/x/example.yaml"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	book, ps, err := Site(Files(root))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, p := range ps {
		named = append(named, p.File)
	}
	slices.Sort(named)
	want := []string{`"content/\x1b.md"`, `"content/two\nlines"`, "content/folder", "content/gone", "content/loop", "content/out",
		"content/pipe", "content/pipe.md", "examples/x/example.yaml", "examples/x/example.yaml", "examples/x/pipe"}
	if !slices.Equal(named, want) {
		t.Errorf("named %q\nwant  %q", named, want)
	}
	if want := []string{"content/fine", "content/sub/file"}; !slices.Equal(book.Files, want) || len(book.Lessons) != 1 {
		t.Errorf("files %q, want %q; %d lessons", book.Files, want, len(book.Lessons))
	}
}
