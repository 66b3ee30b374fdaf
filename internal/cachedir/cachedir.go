// Package cachedir creates the cache folder of a site and keeps it out of git,
// because it holds texts of pages that are not published.
package cachedir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Name is the name of the folder below a site's root.
const Name = ".cache"

// ignoreFile makes git ignore the whole folder, itself included.
const ignoreFile = ".gitignore"

// Make creates the folder dir with a .gitignore that ignores everything in it. A
// .gitignore that has any content is left as it is. Make returns an error if it
// cannot create them.
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
