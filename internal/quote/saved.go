package quote

import (
	"context"
	"crypto/sha256"
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
	file      string                      // as problems name it; "" where the page is not here
	info      func() (fs.FileInfo, error) // of the file itself, no link followed; nil where it is not asked for
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
			open:      func() (io.ReadCloser, error) { return in.openModuleFile(ctx, s) },
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
	private := here.below("private")
	if found := private.pages("page"); len(found) > 0 {
		return private.place("", found, false, ps)
	}
	return place{}
}

// read opens and extracts the page at p. A *complaint is the author's.
func (p place) read(strip Stripper) (*Page, error) {
	stored, _, err := p.bytes()
	if err != nil {
		return nil, err
	}
	return p.extract(stored, sha256.Sum256(stored), strip)
}

// bytes returns what is kept at p, and the state of the file that it came from,
// nil where that is not told. A *complaint is the author's.
func (p place) bytes() ([]byte, fs.FileInfo, error) {
	r, err := p.open()
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return nil, nil, &complaint{text: fmt.Sprintf("cannot be read: %v", pathError.Err)}
	}
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	var info fs.FileInfo
	if f, ok := r.(fs.File); ok {
		info, _ = f.Stat() // an error leaves it nil
	}
	stored, err := readWithin(r)
	if err != nil {
		return nil, nil, &complaint{text: cause(err).Error()}
	}
	return stored, info, nil
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
