package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// stagingDir is a directory that files are written to. It is opened once, because
// resolving its path for each file takes longer than writing the file.
type stagingDir struct {
	root   *os.Root        // the directory itself; nil if files are staged in another one
	staged string          // where files are staged, relative to the root of the batch
	names  map[string]bool // its entries; nil if they are not known
}

// maxOpen is how many directories of a batch are open at once.
const maxOpen = 400

// resolve finds the directory in which the content of c is staged, and sets c.staged
// to it until plan names the file.
func (b *Batch) resolve(c *change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := target{c.root, path.Dir(c.name)}
	d := b.dirs[at]
	if d == nil {
		var err error
		var blocking string
		if d, blocking, err = openDir(c.root, at.name, len(b.dirs) < maxOpen); err != nil {
			return err
		}
		if blocking != "" {
			b.blocked = append(b.blocked, target{c.root, blocking})
		}
		if b.dirs == nil {
			b.dirs = map[target]*stagingDir{}
		}
		b.dirs[at] = d
	}
	c.staged = d.staged
	if d.root != nil {
		c.dir = d
	}
	return nil
}

// openDir creates a directory for new files, and with keep keeps it open. blocking
// names the file that is in the place of the directory, if there is one.
func openDir(root *os.Root, dir string, keep bool) (d *stagingDir, blocking string, err error) {
	staged, blocking, err := makeDir(root, dir)
	if err != nil {
		return nil, "", err
	}
	d = &stagingDir{staged: staged}
	if staged != dir || !keep {
		return d, blocking, nil
	}
	if d.root, err = root.OpenRoot(dir); err != nil {
		return d, "", nil // files are reached by their paths
	}
	if entries, err := fs.ReadDir(d.root.FS(), "."); err == nil {
		d.names = map[string]bool{}
		for _, e := range entries {
			d.names[e.Name()] = true
		}
	}
	return d, "", nil
}

// makeDir creates the directory in which a file is staged: its own, or if a file is in
// the place of that one, which a later change may delete, the nearest one above it.
func makeDir(root *os.Root, dir string) (staged, blocking string, err error) {
	err = root.MkdirAll(dir, 0o755)
	if err == nil || dir == "." {
		return dir, "", err
	}
	for at := dir; at != "."; at = path.Dir(at) {
		if info, statErr := root.Stat(at); statErr == nil && !info.IsDir() {
			staged, _, err = makeDir(root, path.Dir(at))
			return staged, at, err
		}
	}
	return "", "", err
}

// Obstacle is a file or directory that blocks a file of a batch, and that no change of
// the batch deletes.
type Obstacle struct {
	Root  *os.Root
	Name  string // below Root
	IsDir bool   // a directory in the place of a file; else a file in the place of a directory
}

// Obstacles returns what blocks files of the batch, sorted by name. Commit fails at
// each of them.
func (b *Batch) Obstacles() (all []Obstacle) {
	deleted, seen := map[target]bool{}, map[target]bool{}
	for _, c := range b.changes {
		if c.staged == "" {
			deleted[target{c.root, c.name}] = true
		}
	}
	for _, at := range b.blocked {
		if !seen[at] && !isDeleted(deleted, at) {
			info, err := at.root.Lstat(at.name)
			all = append(all, Obstacle{at.root, at.name, err == nil && info.IsDir()})
		}
		seen[at] = true
	}
	slices.SortFunc(all, func(x, y Obstacle) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// isDeleted reports whether a file is deleted, or every file of a directory and with
// them the directory. An empty directory is not deleted.
func isDeleted(deleted map[target]bool, at target) bool {
	some, others := false, false
	err := fs.WalkDir(dirFS(at.root), at.name, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !IsStaged(d.Name()) {
			some, others = true, others || !deleted[target{at.root, name}]
		}
		return err
	})
	return err == nil && some && !others
}

// IsStaged reports whether a file of this base name is staged by a batch.
func IsStaged(base string) bool { return strings.HasPrefix(base, stagingPrefix) }

// Sweep deletes the staged files that a killed build left below dirs.
func Sweep(root *os.Root, dirs ...string) error {
	for _, dir := range dirs {
		err := fs.WalkDir(dirFS(root), dir, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if !d.IsDir() && IsStaged(d.Name()) {
				return root.Remove(name)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	return nil
}

// dirFS returns the tree below root for listing only: a directory that is opened by an
// os.Root looks at every file that it lists. Files are read and deleted through root.
func dirFS(root *os.Root) fs.FS { return os.DirFS(root.Name()) }
