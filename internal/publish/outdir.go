package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"verbatim/internal/cli"
)

// CheckOut returns a usage error for an output folder that a build could damage: one
// that contains or lies inside a source folder of the site at root, or one with files
// and no manifest. out is absolute, or relative to the current folder.
func CheckOut(root, out string) error {
	for _, name := range []string{"content", "examples", "quotes", "templates", ".cache", ".git"} {
		source := filepath.Join(root, name)
		below, err := Contains(source, out)
		above, aboveErr := Contains(out, source)
		if err := errors.Join(err, aboveErr); err != nil {
			return err
		}
		if below || above {
			return &cli.UsageError{Text: fmt.Sprintf("-out %s contains or lies inside %s/: choose a folder of its own", out, name)}
		}
	}
	entries, err := os.ReadDir(out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the output folder: %w", err)
	}
	if _, err := os.Stat(filepath.Join(out, Manifest)); err != nil {
		return &cli.UsageError{Text: fmt.Sprintf("-out %s holds files and no list %s of what a build wrote there: restore that file, empty the folder, or choose another", out, Manifest)}
	}
	return nil
}

// Contains reports whether the path inner is outer or lies below it, after following
// symbolic links. Neither path needs to exist. It returns an error if the current
// folder is not known.
func Contains(outer, inner string) (bool, error) {
	outer, err := filepath.Abs(outer)
	if err != nil {
		return false, fmt.Errorf("find the current folder: %w", err)
	}
	if inner, err = filepath.Abs(inner); err != nil {
		return false, fmt.Errorf("find the current folder: %w", err)
	}
	rel, err := filepath.Rel(realPath(outer), realPath(inner))
	return err == nil && filepath.IsLocal(rel), nil
}

// realPath follows symbolic links in the part of p that exists.
func realPath(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	dir := filepath.Dir(p)
	if dir == p {
		return p
	}
	return filepath.Join(realPath(dir), filepath.Base(p))
}
