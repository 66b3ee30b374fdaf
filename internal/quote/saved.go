package quote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
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

// extensions are the kinds of page that a source may have, each also with .gz.
var extensions = []string{".html", ".md", ".txt", ".mhtml"}

// locate finds the page of s: in the module that it names, in the clone,
// among the pages of the -pages folder, or in the private folder that git
// ignores, in this order.
func (in Input) locate(ctx context.Context, s lesson.Source, ps *problem.List) place {
	if s.Module != "" {
		return place{
			file:      s.Module + "/" + s.Path,
			open:      func() (io.ReadCloser, error) { return openModuleFile(ctx, in.Dir, s) },
			committed: true,
		}
	}
	folder := path.Dir(s.File)
	found := pagesIn(in.Site, folder, "page")
	switch {
	case len(found) == 0 && s.Publish:
		ps.AddHint(startOf(s.File), "source", "save it there, or say publish: false",
			"publish is true, but there is no %s/page.html", folder)
	case len(found) > 0 && !s.Publish:
		ps.AddHint(startOf(s.File), "source", "move it to "+folder+"/private/, or say publish: true if its licence allows that",
			"publish is false, but %s lies where git commits it", found[0])
	}
	if len(found) > 0 {
		return one(in.Site, "", found, s.Publish, ps)
	}
	if in.Pages != nil {
		if found := pagesIn(in.Pages, ".", s.ID); len(found) > 0 {
			return one(in.Pages, in.PagesDir, found, false, ps)
		}
	}
	if found := pagesIn(in.Site, folder+"/private", "page"); len(found) > 0 {
		return one(in.Site, "", found, false, ps)
	}
	return place{}
}

// one gives the place of the first page, and complains about others beside it.
// dir is how problems name the root of fsys.
func one(fsys fs.FS, dir string, files []string, committed bool, ps *problem.List) place {
	if len(files) > 1 {
		ps.Add(problem.Pos{File: path.Join(dir, files[1])}, "page", "is a second page of the source beside %s", files[0])
	}
	return place{
		file:      path.Join(dir, files[0]),
		open:      func() (io.ReadCloser, error) { return openRegular(fsys, files[0]) },
		committed: committed,
	}
}

// pagesIn lists the pages in folder whose name is base and a known extension.
func pagesIn(fsys fs.FS, folder, base string) []string {
	var found []string
	for _, ext := range extensions {
		for _, file := range []string{path.Join(folder, base+ext), path.Join(folder, base+ext+".gz")} {
			if _, err := fs.Stat(fsys, file); !errors.Is(err, fs.ErrNotExist) {
				found = append(found, file)
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
	f, err := p.open()
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return nil, &complaint{text: fmt.Sprintf("cannot be read: %v", pathError.Err)}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	page, err := ReadPage(p.file, f, strip)
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
