package site

import (
	"fmt"
	"os"
	"path/filepath"

	"verbatim/internal/load"
	"verbatim/internal/run"
)

// openModule opens the folder of the go.mod that holds the site, if that is above
// the site's root.
func (b *build) openModule() error {
	root, err := filepath.EvalSymlinks(b.Root) // as the go command looks for it
	if err != nil {
		return fmt.Errorf("open the site: %w", err)
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil && !info.IsDir() && dir == root:
			return nil
		case err == nil && !info.IsDir():
			sub, err := filepath.Rel(dir, root)
			if err == nil {
				b.module, err = os.OpenRoot(dir)
			}
			if err != nil {
				return fmt.Errorf("open the module that holds the site: %w", err)
			}
			b.sub = filepath.ToSlash(sub)
			return nil
		case dir == filepath.Dir(dir):
			return nil
		}
	}
}

// newTree returns a tree of the inputs of examples as they are now.
func (b *build) newTree() *run.Tree {
	tree := run.NewTree(b.fsys, b.pinned)
	if b.module != nil {
		tree.InModule(load.Files(b.module), b.sub)
	}
	return tree
}
