package quote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// place is where the saved page of a source is on this machine.
type place struct {
	file      string // as problems name it; "" where the page is not here
	open      func() (io.ReadCloser, error)
	committed bool // every clone has the same bytes
}

// Extensions are the kinds of page that a source may have, each also with .gz.
var Extensions = []string{".html", ".md", ".txt", ".mhtml"}

// locate finds the page of s: in the module that it names, in the clone,
// among the pages of the -pages folder, or in the private folder that git
// ignores, in this order. here is what lies in the source's own folder.
func (in Input) locate(ctx context.Context, s lesson.Source, here listing, ps *problem.List) place {
	if s.Module != "" {
		return place{
			file:      s.Module + "/" + s.Path,
			open:      func() (io.ReadCloser, error) { return openModuleFile(ctx, in.Dir, s) },
			committed: true,
		}
	}
	folder := path.Dir(s.File)
	found := here.pages("page")
	switch {
	case len(found) == 0 && s.Publish:
		ps.AddHint(startOf(s.File), "source", "save it there, or say publish: false",
			"publish is true, but there is no %s/page.html", folder)
	case len(found) > 0 && !s.Publish:
		ps.AddHint(startOf(s.File), "source", "move it to "+folder+"/private/, or say publish: true if its licence allows that",
			"publish is false, but %s lies where git commits it", path.Join(folder, found[0]))
	}
	if len(found) > 0 {
		return here.place("", found, s.Publish, ps)
	}
	if found := in.given.pages(s.ID); len(found) > 0 {
		return in.given.place(in.PagesDir, found, false, ps)
	}
	if !here.has("private") {
		return place{}
	}
	private := list(in.Site, folder+"/private")
	if found := private.pages("page"); len(found) > 0 {
		return private.place("", found, false, ps)
	}
	return place{}
}

// listing is what lies in a folder, by name: asking for each file by itself takes
// longer than reading the page.
type listing struct {
	fsys  fs.FS
	path  string
	files []fs.DirEntry // by name
}

// list reads a folder; one that cannot be read is empty.
func list(fsys fs.FS, dir string) listing {
	files, _ := fs.ReadDir(fsys, dir)
	return listing{fsys, dir, files}
}

func (f listing) find(name string) (int, bool) {
	return slices.BinarySearchFunc(f.files, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
}

func (f listing) has(name string) bool {
	_, ok := f.find(name)
	return ok
}

// open opens a file that is no folder, pipe or device.
func (f listing) open(name string) (io.ReadCloser, error) {
	if i, ok := f.find(name); ok && f.files[i].Type().IsRegular() {
		return f.fsys.Open(path.Join(f.path, name))
	}
	return openRegular(f.fsys, path.Join(f.path, name))
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
		open:      func() (io.ReadCloser, error) { return f.open(pages[0]) },
		committed: committed,
	}
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

// read opens and extracts the page at p. A *complaint is the author's.
func (p place) read(strip Stripper) (*Page, error) {
	stored, err := p.bytes()
	if err != nil {
		return nil, err
	}
	return p.extract(stored, sha256.Sum256(stored), strip)
}

// bytes gives what is kept at p. A *complaint is the author's.
func (p place) bytes() ([]byte, error) {
	f, err := p.open()
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return nil, &complaint{text: fmt.Sprintf("cannot be read: %v", pathError.Err)}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stored, err := readWithin(f)
	if err != nil {
		return nil, &complaint{text: cause(err).Error()}
	}
	return stored, nil
}

// extract reads the page that is kept in these bytes, whose digest is sum. The
// error is a *complaint.
func (p place) extract(stored []byte, sum [sha256.Size]byte, strip Stripper) (*Page, error) {
	page, err := readPage(p.file, stored, sum, strip)
	if err != nil {
		return nil, &complaint{text: strings.TrimSpace(err.Error())}
	}
	return page, nil
}

// cause is the reason of a failed read, without the path that the problem
// already names.
func cause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

func startOf(file string) problem.Pos { return problem.Pos{File: file, Line: 1, Col: 1} }
