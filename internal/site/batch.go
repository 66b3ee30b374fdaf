package site

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

// batch is a set of changes to files, made in two steps. put writes every new
// file aside, which is all that can fail for want of room or permission;
// commit then only renames and deletes. Until commit nothing has changed, and
// from then on each file is whole, old or new, at every instant.
//
// Several goroutines may put at once.
type batch struct {
	mu      sync.Mutex
	changes []change
	planned map[target]bool // files that an earlier change concerns
	folders map[target]*folder
	asides  int      // files written aside
	blocked []target // folders where a file goes, and files where a folder goes
}

// folder is one that files are written to. It is opened once: finding the way
// to it for each file takes longer than writing the file.
type folder struct {
	root  *os.Root        // the folder itself, nil where the bytes have to wait elsewhere
	aside string          // where they wait, below the batch's root
	names map[string]bool // what is in it; nil when that is not known
}

// maxOpen is how many folders are held open.
const maxOpen = 400

type target struct {
	root *os.Root
	name string
}

type change struct {
	root      *os.Root
	name      string  // slash-separated, below root
	temporary string  // where its bytes wait; "" deletes the file
	folder    *folder // of both, nil to find the way by their paths
	expect    []byte  // what the file must still hold, or nil
	turn      int     // lower ones are made first
}

// put plans to give a file these bytes, if it has others.
func (b *batch) put(root *os.Root, name string, data []byte) error {
	return b.add(change{root: root, name: name}, data)
}

// add plans to give c's file these bytes, if it has others.
func (b *batch) add(c change, data []byte) error {
	if err := b.place(&c); err != nil {
		return fmt.Errorf("write %s: %w", c.name, err)
	}
	exists := false
	if c.folder == nil || c.folder.names == nil || c.folder.names[path.Base(c.name)] {
		root, name := c.at(c.name)
		old, err := fs.ReadFile(load.Files(root), name)
		if info, statErr := root.Lstat(name); err != nil && statErr == nil && info.IsDir() {
			b.block(target{c.root, c.name})
		}
		exists = err == nil
		if exists && bytes.Equal(old, data) && !b.concerns(c) {
			return nil
		}
	}
	var keep fs.FileMode
	if exists {
		keep = modeOf(c.root, c.name)
	}
	b.plan(&c)
	root, name := c.at(c.temporary)
	if err := writeNew(root, name, data, keep); err != nil {
		return fmt.Errorf("write %s: %w", c.name, err)
	}
	return nil
}

// at gives the shortest way to a file in the folder of c.
func (c change) at(name string) (*os.Root, string) {
	if c.folder == nil {
		return c.root, name
	}
	return c.folder.root, path.Base(name)
}

// concerns tells whether an earlier change is about the same file.
func (b *batch) concerns(c change) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.planned[target{c.root, c.name}]
}

// block notes what stands in the way of a file.
func (b *batch) block(at target) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.blocked = append(b.blocked, at)
}

// place finds where the bytes of c wait: its temporary is that folder until plan
// names the file.
func (b *batch) place(c *change) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := target{c.root, path.Dir(c.name)}
	f := b.folders[at]
	if f == nil {
		var err error
		var inTheWay string
		if f, inTheWay, err = openFolder(c.root, at.name, len(b.folders) < maxOpen); err != nil {
			return err
		}
		if inTheWay != "" {
			b.blocked = append(b.blocked, target{c.root, inTheWay})
		}
		if b.folders == nil {
			b.folders = map[target]*folder{}
		}
		b.folders[at] = f
	}
	c.temporary = f.aside
	if f.root != nil {
		c.folder = f
	}
	return nil
}

// openFolder makes a folder ready for new files, and holds it open if it may.
// It names the file that is in the way of the folder, if there is one.
func openFolder(root *os.Root, dir string, hold bool) (f *folder, inTheWay string, err error) {
	aside, inTheWay, err := nearby(root, dir)
	if err != nil {
		return nil, "", err
	}
	f = &folder{aside: aside}
	if aside != dir || !hold {
		return f, inTheWay, nil
	}
	if f.root, err = root.OpenRoot(dir); err != nil {
		return f, "", nil // by its path, then
	}
	if entries, err := fs.ReadDir(f.root.FS(), "."); err == nil {
		f.names = map[string]bool{}
		for _, e := range entries {
			f.names[e.Name()] = true
		}
	}
	return f, "", nil
}

// plan names the file where the bytes of c wait, and lists c.
func (b *batch) plan(c *change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.temporary = path.Join(c.temporary, aside+strconv.Itoa(b.asides))
	b.asides++
	b.list(*c)
}

func (b *batch) list(c change) {
	if b.planned == nil {
		b.planned = map[target]bool{}
	}
	b.planned[target{c.root, c.name}] = true
	b.changes = append(b.changes, c)
}

// nearby makes the folder where a file's bytes wait: its own, or where a file
// that may still be deleted stands in the way, the nearest above that file.
func nearby(root *os.Root, dir string) (aside, inTheWay string, err error) {
	err = root.MkdirAll(dir, 0o755)
	if err == nil || dir == "." {
		return dir, "", err
	}
	for at := dir; at != "."; at = path.Dir(at) {
		if info, statErr := root.Stat(at); statErr == nil && !info.IsDir() {
			aside, _, err = nearby(root, path.Dir(at))
			return aside, at, err
		}
	}
	return "", "", err
}

// replace plans like put, for a file that must still hold old when its turn
// comes. Where name is a link, the file behind it changes: an author goes on
// editing that one.
func (b *batch) replace(root *os.Root, name string, old, data []byte) error {
	name, err := behind(root, name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return b.add(change{root: root, name: name, expect: old}, data)
}

// behind follows links to the file that is shown at name. root sees to it that
// none leads out.
func behind(root *os.Root, name string) (string, error) {
	const maxLinks = 40 // as Linux has it
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

// remove plans to delete a file, and the folders that it leaves empty.
func (b *batch) remove(root *os.Root, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list(change{root: root, name: name})
}

// abort drops what has not been committed.
func (b *batch) abort() {
	for _, c := range b.changes {
		if c.temporary != "" {
			c.root.Remove(c.temporary)
		}
	}
	b.changes = nil
	for _, f := range b.folders {
		if f.root != nil {
			f.root.Close()
		}
	}
	b.folders = nil
}

// commit makes the changes turn by turn, and in a turn in the order in which
// they were planned. It gives the files that it left alone because they no
// longer hold what they must.
func (b *batch) commit() (left []string, err error) {
	slices.SortStableFunc(b.changes, func(x, y change) int { return x.turn - y.turn })
	for len(b.changes) > 0 {
		c := b.changes[0]
		if c.expect != nil {
			if now, err := c.root.ReadFile(c.name); err != nil || !bytes.Equal(now, c.expect) {
				c.root.Remove(c.temporary)
				left = append(left, c.name)
				b.changes = b.changes[1:]
				continue
			}
		}
		if err := c.make(); err != nil {
			return left, err
		}
		b.changes = b.changes[1:]
	}
	return left, nil
}

func (c change) make() error {
	if c.temporary != "" {
		if c.folder != nil {
			if err := c.folder.root.Rename(path.Base(c.temporary), path.Base(c.name)); err == nil {
				return nil
			} // else what stands in the way may be told from its path
		}
		if err := c.root.MkdirAll(path.Dir(c.name), 0o755); err != nil {
			return fmt.Errorf("write %s: %w", c.name, err)
		}
		if err := c.root.Rename(c.temporary, c.name); err != nil {
			return fmt.Errorf("write %s: %w", c.name, err)
		}
		return nil
	}
	if info, err := c.root.Lstat(c.name); err == nil && info.IsDir() {
		return nil // no build writes a folder: it is somebody else's
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

// writeNew writes a file with the permissions keep, or for 0 those of a new one.
func writeNew(root *os.Root, name string, data []byte, keep fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && keep != 0 {
		err = f.Chmod(keep) // the umask is for new files
	}
	return errors.Join(err, f.Close())
}

// modeOf gives the permissions of a file that is replaced, 0 if it has gone.
func modeOf(root *os.Root, name string) fs.FileMode {
	info, err := root.Stat(name)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}
