// Package cachedir makes the folder of a site that holds what can be deleted,
// and keeps it out of git: it holds texts of pages that are not published.
package cachedir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Name is what the folder is called below a site's root.
const Name = ".cache"

// ignoreFile makes git ignore the whole folder, itself included.
const ignoreFile = ".gitignore"

// Make makes the folder dir and its .gitignore, unless they are there. It leaves
// a .gitignore alone that somebody wrote other lines into.
func Make(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the cache: %w", err)
	}
	file := filepath.Join(dir, ignoreFile)
	old, err := os.ReadFile(file)
	if err == nil && len(bytes.TrimSpace(old)) > 0 {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make the cache: %w", err)
	}
	if err := os.WriteFile(file, []byte("*\n"), 0o644); err != nil {
		return fmt.Errorf("make the cache: %w", err)
	}
	return nil
}
