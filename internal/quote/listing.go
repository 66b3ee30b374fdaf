package quote

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"verbatim/internal/problem"
)

// entry is a name in a folder.
type entry struct {
	name string
	kind fs.FileMode // its type bits
}

// listing is what lies in a folder, by name: asking for each file by itself takes
// longer than reading the page.
type listing struct {
	fsys  fs.FS // what is read comes from here
	names fs.FS // the same, for looking at what is there: it may be quicker, and leaves no folder
	cache *cache
	path  string
	files []entry // by name
}

// below lists a folder in f; one that cannot be read is empty.
func (f listing) below(dir string) listing {
	f.path, f.files = path.Join(f.path, dir), nil
	info, err := fs.Lstat(f.names, f.path)
	if err != nil || !info.IsDir() {
		f.names = f.fsys // which knows how far a link may lead
		return f.read()
	}
	if files, known := f.cache.entries(info); known {
		f.files = files
		return f
	}
	return f.read()
}

// read lists the folder at f.path.
func (f listing) read() listing {
	before := f.cache.now()
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
		f.files = append(f.files, entry{e.Name(), e.Type()})
	}
	slices.SortFunc(f.files, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	if info, failed := folder.Stat(); err == nil && failed == nil {
		f.cache.noteEntries(before, info, f.files)
	}
	return f
}

func (f listing) find(name string) (int, bool) {
	return slices.BinarySearchFunc(f.files, name, func(e entry, name string) int { return strings.Compare(e.name, name) })
}

func (f listing) has(name string) bool {
	_, ok := f.find(name)
	return ok
}

// open opens a file that is no folder, pipe or device.
func (f listing) open(name string) (io.ReadCloser, error) {
	if i, ok := f.find(name); ok && f.files[i].kind.IsRegular() {
		return f.fsys.Open(path.Join(f.path, name))
	}
	return openRegular(f.fsys, path.Join(f.path, name))
}

// pages lists the pages whose name is base and a known extension.
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

// place gives the place of the first page, and complains about others beside it.
// dir is how problems name the root of the file system.
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

// openRegular opens a file that is no folder, pipe or device: those never end.
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
