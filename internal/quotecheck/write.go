package quotecheck

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// file is a file of the site that is to be written.
type file struct {
	name string // slash-separated, below the site's root
	data []byte
}

// ignoring returns a .gitignore with which git ignores all of a folder.
func ignoring(folder string) file { return file{path.Join(folder, ".gitignore"), []byte("*\n")} }

// aside is the end of the name of a file that is not in place yet.
const aside = ".aside"

// writeFiles writes all files aside and then renames each into place, so that
// each is whole at any instant and a full disk changes none. A file with the
// same bytes is left alone.
func writeFiles(root *os.Root, files []file) error {
	var due []file
	for _, f := range files {
		if old, err := fs.ReadFile(root.FS(), f.name); err != nil || !bytes.Equal(old, f.data) {
			due = append(due, f)
		}
	}
	for i, f := range due {
		err := root.MkdirAll(path.Dir(f.name), 0o755)
		if err == nil {
			err = root.WriteFile(f.name+aside, f.data, 0o644)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("write %s: %w", f.name, err), remove(root, due[:i+1]))
		}
	}
	for i, f := range due {
		if err := root.Rename(f.name+aside, f.name); err != nil {
			return errors.Join(fmt.Errorf("write %s: %w", f.name, err), remove(root, due[i:]))
		}
	}
	return nil
}

// remove takes away what was written aside.
func remove(root *os.Root, files []file) error {
	var all []error
	for _, f := range files {
		if err := root.Remove(f.name + aside); !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}
