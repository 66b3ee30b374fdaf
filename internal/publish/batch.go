// Package publish changes files of an author and of a built site, all of them or none.
//
// A Batch collects changes. It stages the content of each new file beside the file
// (Put, Add, Replace), and Commit then only renames and deletes. Complete adds to a
// batch that has every file of a site the deletions of what earlier builds wrote,
// which the manifest lists. Sweep deletes what a killed build left staged.
package publish

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"verbatim/internal/load"
)

// Batch is a set of changes to files, made in two steps. Put, Add and Replace stage
// the content of every new file, which is all that can fail because a disk is full or
// a permission is missing; Commit then only renames and deletes. Until Commit nothing
// has changed, and from then on each file is whole, old or new, at every instant.
// Either Commit or Abort ends a batch, and Abort may follow Commit.
//
// Several goroutines may add changes at once. The zero value is an empty batch.
type Batch struct {
	mu      sync.Mutex
	changes []change
	planned map[target]bool // files that an earlier change concerns
	dirs    map[target]*stagingDir
	staged  int      // number of staged files
	blocked []target // directories in the place of a file, and files in the place of a directory
}

// stagingPrefix begins the name of a staged file.
const stagingPrefix = ".verbatim-aside-"

type target struct {
	root *os.Root
	name string
}

type change struct {
	root   *os.Root
	name   string      // slash-separated, below root
	staged string      // where its content is staged; "" deletes the file
	dir    *stagingDir // of both; nil if they are reached by their paths
	expect []byte      // what the file must still hold, or nil
	phase  phase
}

// Put plans to write a file below root, unless it holds data already.
func (b *Batch) Put(root *os.Root, name string, data []byte) error {
	return b.add(change{root: root, name: name}, data)
}

// Add plans like Put for a file of a site: Commit writes what pages need before the
// pages, and the entry pages last. Complete must follow.
func (b *Batch) Add(out *os.Root, name string, data []byte) error {
	return b.add(change{root: out, name: name, phase: phaseOf(name)}, data)
}

// Replace plans like Put, for a file that must still hold old at its commit. If name
// is a symbolic link, the file behind it changes, because that one is what the author
// edits.
func (b *Batch) Replace(root *os.Root, name string, old, data []byte) error {
	name, err := evalSymlinks(root, name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return b.add(change{root: root, name: name, expect: old}, data)
}

// Remove plans to delete a file, and the directories that this leaves empty.
func (b *Batch) Remove(root *os.Root, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list(change{root: root, name: name})
}

// Len returns the number of planned changes.
func (b *Batch) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.changes)
}

// Abort deletes what is staged and not committed, and closes the directories of the
// batch. The roots of its changes must still be open.
func (b *Batch) Abort() {
	for _, c := range b.changes {
		if c.staged != "" {
			c.root.Remove(c.staged)
		}
	}
	b.changes = nil
	for _, d := range b.dirs {
		if d.root != nil {
			d.root.Close()
		}
	}
	b.dirs = nil
}

// Commit makes the changes phase by phase, and within a phase in the order in which
// they were planned. It returns the names of files that it left as they are, because
// they no longer hold what Replace expects. After an error the remaining changes are
// not made.
func (b *Batch) Commit() (left []string, err error) {
	slices.SortStableFunc(b.changes, func(x, y change) int { return int(x.phase) - int(y.phase) })
	for len(b.changes) > 0 {
		c := b.changes[0]
		if c.expect != nil {
			if now, err := c.root.ReadFile(c.name); err != nil || !bytes.Equal(now, c.expect) {
				c.root.Remove(c.staged)
				left = append(left, c.name)
				b.changes = b.changes[1:]
				continue
			}
		}
		if err := c.commit(); err != nil {
			return left, err
		}
		b.changes = b.changes[1:]
	}
	return left, nil
}

// add plans a change and stages data, unless c's file holds data already.
func (b *Batch) add(c change, data []byte) error {
	if err := b.resolve(&c); err != nil {
		return fmt.Errorf("write %s: %w", c.name, err)
	}
	exists := false
	if c.dir == nil || c.dir.names == nil || c.dir.names[path.Base(c.name)] {
		root, name := c.locate(c.name)
		old, err := fs.ReadFile(load.Files(root), name)
		if info, statErr := root.Lstat(name); err != nil && statErr == nil && info.IsDir() {
			b.block(target{c.root, c.name})
		}
		exists = err == nil
		if exists && bytes.Equal(old, data) && !b.isPlanned(c) {
			return nil
		}
	}
	var mode fs.FileMode
	if exists {
		mode = modeOf(c.root, c.name)
	}
	b.plan(&c)
	root, name := c.locate(c.staged)
	if err := writeFile(root, name, data, mode); err != nil {
		return fmt.Errorf("write %s: %w", c.name, err)
	}
	return nil
}

// locate returns the shortest path to a file in the directory of c, and the root that
// it is relative to.
func (c change) locate(name string) (*os.Root, string) {
	if c.dir == nil {
		return c.root, name
	}
	return c.dir.root, path.Base(name)
}

// isPlanned reports whether an earlier change concerns the same file.
func (b *Batch) isPlanned(c change) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.planned[target{c.root, c.name}]
}

func (b *Batch) block(at target) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.blocked = append(b.blocked, at)
}

// plan names the file in which the content of c is staged, and lists c.
func (b *Batch) plan(c *change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.staged = path.Join(c.staged, stagingPrefix+strconv.Itoa(b.staged))
	b.staged++
	b.list(*c)
}

func (b *Batch) list(c change) {
	if b.planned == nil {
		b.planned = map[target]bool{}
	}
	b.planned[target{c.root, c.name}] = true
	b.changes = append(b.changes, c)
}

// evalSymlinks follows the links at name. root refuses one that leads out of it.
func evalSymlinks(root *os.Root, name string) (string, error) {
	const maxLinks = 40 // as in Linux
	at := name
	for range maxLinks {
		to, err := root.Readlink(at)
		if err != nil {
			return at, nil // no link
		}
		if at = path.Join(path.Dir(at), filepath.ToSlash(to)); filepath.IsAbs(to) {
			return name, errors.New("a link to an absolute path")
		}
	}
	return name, errors.New("too many links")
}

func (c change) commit() error {
	if c.staged == "" {
		return c.remove()
	}
	if c.dir != nil {
		if err := c.dir.root.Rename(path.Base(c.staged), path.Base(c.name)); err == nil {
			return nil
		} // else the error for the path below names what blocks the file
	}
	if err := c.root.MkdirAll(path.Dir(c.name), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", c.name, err)
	}
	if err := c.root.Rename(c.staged, c.name); err != nil {
		return fmt.Errorf("write %s: %w", c.name, err)
	}
	return nil
}

func (c change) remove() error {
	if info, err := c.root.Lstat(c.name); err == nil && info.IsDir() {
		return nil // no build makes a directory in the place of a file
	}
	if err := c.root.Remove(c.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete %s: %w", c.name, err)
	}
	for dir := path.Dir(c.name); dir != "."; dir = path.Dir(dir) {
		if c.root.Remove(dir) != nil {
			return nil // not empty
		}
	}
	return nil
}

// writeFile writes a file with the permissions mode, or for 0 those of a new file.
func writeFile(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && mode != 0 {
		err = f.Chmod(mode) // because the umask applies to new files only
	}
	return errors.Join(err, f.Close())
}

// modeOf returns the permissions of a file that is replaced, 0 if it does not exist.
func modeOf(root *os.Root, name string) fs.FileMode {
	info, err := root.Stat(name)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}
