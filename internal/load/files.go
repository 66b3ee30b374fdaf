package load

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"

	"verbatim/internal/problem"
)

// ErrIrregular is why a pipe, a socket or a device is not read: opening one may
// wait for ever.
var ErrIrregular = errors.New("not a regular file")

// StateFS is a file system that says what a file was when it was read.
type StateFS interface {
	fs.FS
	ReadState(name string) ([]byte, fs.FileInfo, error)
}

// Files returns the files below root for reading: regular files and folders, and
// links as far as they stay inside.
func Files(root *os.Root) StateFS { return files{root.FS(), root} }

// files refuses to open what is neither a regular file nor a folder.
type files struct {
	fs.FS
	root *os.Root
}

func (f files) Open(name string) (fs.File, error) {
	if err := f.readable(name); err != nil {
		return nil, err
	}
	return f.FS.Open(name)
}

// readable looks before anything is opened: opening a pipe may wait for ever.
func (f files) readable(name string) error {
	info, err := fs.Stat(f.FS, name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
	}
	return nil
}

func (f files) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }

// ReadFile reads a file that it opens once.
func (f files) ReadFile(name string) ([]byte, error) {
	data, _, err := f.ReadState(name)
	return data, err
}

// ReadState opens the file once and looks at what it opened, without waiting for
// a program at the other end of a pipe. The second result is what the file
// system said of the file just before it was read.
func (f files) ReadState(name string) ([]byte, fs.FileInfo, error) {
	file, err := f.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		if irregular := f.readable(name); irregular != nil {
			return nil, nil, irregular
		}
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
	}
	data := make([]byte, 0, info.Size()+1) // one more to meet the end at once
	for {
		n, err := file.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			return data, info, nil
		}
		if err != nil {
			return data, info, err
		}
		if len(data) == cap(data) {
			data = slices.Grow(data, 512)
		}
	}
}

func (f files) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS, name) }

func (f files) ReadLink(name string) (string, error) { return fs.ReadLink(f.FS, name) }

func (f files) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(f.FS, name) }

// oddName reports whether a name has a control character: no list of files and no
// message could show it.
func oddName(name string) bool { return strings.ContainsFunc(name, unicode.IsControl) }

// complain names a file of an author that cannot be used, and why.
func complain(ps *problem.List, file string, why error) {
	hint := ""
	if errors.Is(why, ErrIrregular) {
		hint = "move it out of the folder: a pipe, a socket or a device has no bytes to read"
	}
	ps.AddHint(problem.Pos{File: file}, "file", hint, "cannot be read: %v", why)
}

// unreadable returns the reason why a file of an author cannot be used, or returns nil.
func unreadable(fsys fs.FS, file string) error {
	info, err := fs.Stat(fsys, file)
	switch {
	case err != nil:
		return cause(err)
	case info.IsDir():
		return errors.New("a link to a folder; links to files are followed, links to folders are not")
	case !info.Mode().IsRegular():
		return ErrIrregular
	}
	return nil
}
