package cachedir_test

import (
	"os"
	"path/filepath"
	"testing"

	"verbatim/internal/cachedir"
)

// Make writes the .gitignore into a new folder, an old one and beside an empty
// file that a full disk left, and keeps lines of somebody else.
func TestMake(t *testing.T) {
	for _, row := range []struct{ name, had, want string }{
		{"no folder", "-", "*\n"},
		{"an old folder", "", "*\n"},
		{"an empty file", " \n", "*\n"},
		{"other lines", "bin/\n", "bin/\n"},
	} {
		dir := filepath.Join(t.TempDir(), "deep", cachedir.Name)
		file := filepath.Join(dir, ".gitignore")
		if row.had != "-" {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if len(row.had) > 1 {
			if err := os.WriteFile(file, []byte(row.had), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			if err := cachedir.Make(dir); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != row.want {
			t.Errorf("%s: %q, %v", row.name, got, err)
		}
	}
	if err := cachedir.Make(filepath.Join(os.DevNull, "x")); err == nil {
		t.Error("a folder below a file: no error")
	}
}
