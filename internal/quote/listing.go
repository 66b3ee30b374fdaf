package quote

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"verbatim/internal/pagecache"
	"verbatim/internal/problem"
)

// listing holds the entries of a folder. Looking up each file by itself takes longer
// than reading the page.
type listing struct {
	fsys  fs.FS // for reading
	names fs.FS // the same files, for listing and Lstat; may be faster, and does not follow links out of the site
	cache *pagecache.Cache
	path  string
	files []pagecache.Entry // sorted by name
}

// below returns the listing of a folder in f, which is empty if it cannot be read.
func (f listing) below(dir string) listing {
	f.path, f.files = path.Join(f.path, dir), nil
	info, err := fs.Lstat(f.names, f.path)
	if err != nil || !info.IsDir() {
		f.names = f.fsys // because it checks where a link leads
		return f.read()
	}
	if files, known := f.cache.Entries(info); known {
		f.files = files
		return f
	}
	return f.read()
}

// read lists the folder at f.path.
func (f listing) read() listing {
	before := f.cache.Now()
	folder, err := f.names.Open(f.path)
	if err != nil {
		return f
	}
	defer folder.Close()
	d, ok := folder.(fs.ReadDirFile)
	if !ok {
		return f
	}
	found, err := d.ReadDir(-1)
	for _, e := range found {
		f.files = append(f.files, pagecache.Entry{Name: e.Name(), Type: e.Type()})
	}
	slices.SortFunc(f.files, func(a, b pagecache.Entry) int { return strings.Compare(a.Name, b.Name) })
	if info, failed := folder.Stat(); err == nil && failed == nil {
		f.cache.NoteEntries(before, info, f.files)
	}
	return f
}

func (f listing) find(name string) (int, bool) {
	return slices.BinarySearchFunc(f.files, name, func(e pagecache.Entry, name string) int { return strings.Compare(e.Name, name) })
}

func (f listing) has(name string) bool {
	_, ok := f.find(name)
	return ok
}

// open opens a regular file.
func (f listing) open(name string) (io.ReadCloser, error) {
	if i, ok := f.find(name); ok && f.files[i].Type.IsRegular() {
		return f.fsys.Open(path.Join(f.path, name))
	}
	return openRegular(f.fsys, path.Join(f.path, name))
}

// pages returns the pages whose name is base and a known extension.
func (f listing) pages(base string) []string {
	var found []string
	for _, ext := range Extensions {
		for _, name := range []string{base + ext, base + ext + ".gz"} {
			if f.has(name) {
				found = append(found, name)
			}
		}
	}
	return found
}

// place returns the place of the first page, and adds a problem for a second one. dir is
// what problems call the root of the file system.
func (f listing) place(dir string, pages []string, committed bool, ps *problem.List) place {
	file := path.Join(dir, f.path, pages[0])
	if len(pages) > 1 {
		ps.Add(problem.Pos{File: path.Join(dir, f.path, pages[1])}, "page", "is a second page of the source beside %s", path.Join(f.path, pages[0]))
	}
	return place{
		file:      file,
		info:      func() (fs.FileInfo, error) { return fs.Lstat(f.names, path.Join(f.path, pages[0])) },
		open:      func() (io.ReadCloser, error) { return f.open(pages[0]) },
		committed: committed,
	}
}

// openRegular opens a regular file, because reading a pipe or a device may never end.
func openRegular(fsys fs.FS, name string) (io.ReadCloser, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return fsys.Open(name)
}
