package site

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
)

// batch is a set of changes to files, made in two steps. put writes every new
// file aside, which is all that can fail for want of room or permission;
// commit then only renames and deletes. Until commit nothing has changed, and
// from then on each file is whole, old or new, at every instant.
type batch struct {
	changes []change
	planned map[target]bool // files that an earlier change concerns
}

type target struct {
	root *os.Root
	name string
}

type change struct {
	root      *os.Root
	name      string // slash-separated, below root
	temporary string // where its bytes wait; "" deletes the file
	expect    []byte // what the file must still hold, or nil
}

// put plans to give a file these bytes, if it has others.
func (b *batch) put(root *os.Root, name string, data []byte) error {
	if old, err := root.ReadFile(name); err == nil && bytes.Equal(old, data) && !b.planned[target{root, name}] {
		return nil
	}
	dir, err := nearby(root, path.Dir(name))
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	c := change{root: root, name: name, temporary: path.Join(dir, aside+strconv.Itoa(len(b.changes)))}
	b.plan(c)
	if err := writeNew(root, c.temporary, data, modeOf(root, name)); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// nearby makes the folder where a file's bytes wait: its own, or where a file
// that is still to be deleted stands in the way, the nearest above.
func nearby(root *os.Root, dir string) (string, error) {
	err := root.MkdirAll(dir, 0o755)
	if err == nil || dir == "." {
		return dir, err
	}
	for at := dir; at != "."; at = path.Dir(at) {
		if info, statErr := root.Stat(at); statErr == nil && !info.IsDir() {
			return nearby(root, path.Dir(at))
		}
	}
	return "", err
}

// replace plans like put, for a file that must still hold old when its turn
// comes.
func (b *batch) replace(root *os.Root, name string, old, data []byte) error {
	planned := len(b.changes)
	if err := b.put(root, name, data); err != nil {
		return err
	}
	if len(b.changes) > planned {
		b.changes[planned].expect = old
	}
	return nil
}

// remove plans to delete a file, and the folders that it leaves empty.
func (b *batch) remove(root *os.Root, name string) {
	b.plan(change{root: root, name: name})
}

func (b *batch) plan(c change) {
	if b.planned == nil {
		b.planned = map[target]bool{}
	}
	b.planned[target{c.root, c.name}] = true
	b.changes = append(b.changes, c)
}

// abort drops what has not been committed.
func (b *batch) abort() {
	for _, c := range b.changes {
		if c.temporary != "" {
			c.root.Remove(c.temporary)
		}
	}
	b.changes = nil
}

// commit makes the changes in the order in which they were planned. It gives
// the files that it left alone because they no longer hold what they must.
func (b *batch) commit() (left []string, err error) {
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

func writeNew(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// modeOf keeps the permissions of a file that is replaced.
func modeOf(root *os.Root, name string) fs.FileMode {
	if info, err := root.Stat(name); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}
