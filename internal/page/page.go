// Package page renders the files of a site: lessons, index, example and evidence
// pages, feed and sitemap. The same lessons, records and templates give the same
// bytes on every machine and day, with any number of workers. ReadTheme reads a
// theme; the package reads and writes no other files.
package page

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/claim"
	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/problem"
	"verbatim/internal/search"
)

// Input is everything that a site is drawn from.
type Input struct {
	Templates fs.FS    // the theme: *.html and static/
	Theme     *Theme   // the same, read; nil where it is still to be read
	Home      *Lesson  // content/index.md, nil when the site has none
	Lessons   []Lesson // all others, in any order
	Course    []lesson.Entry
	Examples  map[string]Example
	Sources   map[string]lesson.Source
	Quotes    map[problem.Pos]claim.Quotation
	Files     []string // paths below public/ that are copied from content/

	// ImageSize returns the size in pixels of an image that a lesson's file
	// names by dest; 0, 0 when unknown. It may be nil, and is called by
	// several goroutines.
	ImageSize func(file, dest string) (width, height int)
}

// Lesson is a lesson with its text.
type Lesson struct {
	*lesson.Lesson
	Doc  *markdown.Doc                 // parsed; nil where it is to be parsed again when it is needed
	Open func() (*markdown.Doc, error) // parses it again
	Gist *Gist                         // from Design.Read, or nil
	Text func() (Text, error)          // what Design.Draw gave; nil where the text is to be drawn with the site
}

func (l *Lesson) doc() (*markdown.Doc, error) {
	if l.Doc != nil {
		return l.Doc, nil
	}
	return l.Open()
}

// Example is what readers are told about an example.
type Example struct {
	lesson.Example
	Ran       bool                    // on a real service: there is a record
	Connected bool                    // the run connected to its service
	Uses      map[string]claim.UsedAs // files below examples/ that the run had
	Lines     []string                // the recorded output
	Values    map[string]string
	Tables    map[string][][]string // by file name, "burst.csv"
	Service   string                // "Redis 7.0.15", "" for none
	Go        string                // "1.26.0", "" for none
	Date      string                // of the record, 2026-11-29
	Command   string                // what a reader types to run it
	Files     []File                // its sources, by path below its folder
}

// File is one file of the site.
type File struct {
	Path string // slash-separated, below public/
	Data []byte
}

// Render draws every page of the site and collects the static files: these
// and the search index first, then lessons by path, redirects, examples, the
// pages about the site, and the home page and the feeds last.
// Where there are problems the files are complete but for those that collide.
// It holds the whole site in memory; New returns a Site that is drawn page by page.
func Render(in Input) ([]File, problem.List, error) {
	s, err := New(in)
	if err != nil {
		return nil, nil, err
	}
	files := s.Static()
	err = s.Search(func(f File) error {
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	drawn, err := s.drawAll(s.pages)
	return slices.Concat(files, drawn), s.Problems, err
}

// Site is a site that is drawn page by page. It does not change, and several
// goroutines may draw at once.
type Site struct {
	*site
	Problems problem.List // pages that would be in one another's place
	pages    []plan
	at       map[string]int // path → page
}

// New plans a site and draws nothing yet.
func New(in Input) (*Site, error) {
	shared, err := newSite(in)
	if err != nil {
		return nil, err
	}
	s := &Site{site: shared}
	s.pages, s.Problems = shared.plan()
	s.at = make(map[string]int, len(s.pages))
	for i, p := range s.pages {
		s.at[p.path] = i
	}
	return s, nil
}

// With returns the site with l, whose Gist is set, in place of the lesson that has its id. Neither
// the paths of the site nor its course may depend on the difference. A lesson
// that the site does not have, a draft say, makes none.
func (s *Site) With(l Lesson) *Site {
	at, ok := s.byID[l.ID]
	if !ok {
		return s
	}
	shared := *s.site
	shared.in.Lessons = slices.Clone(s.in.Lessons)
	shared.in.Lessons[at] = l
	with := *s
	with.site = &shared
	shared.uses = sync.OnceValue(shared.findUses)
	return &with
}

// Page returns the number of the page at a path, if there is one.
func (s *Site) Page(path string) (i int, ok bool) {
	i, ok = s.at[path]
	return i, ok
}

// Static returns the theme's own files.
func (s *Site) Static() []File { return slices.Clip(s.static) }

// Len is the number of pages.
func (s *Site) Len() int { return len(s.pages) }

// Path is where page i lies, below public/: lessons come first, by path, the
// home page and the feeds last.
func (s *Site) Path(i int) string { return s.pages[i].path }

// Draw draws page i.
func (s *Site) Draw(i int) (File, error) { return s.pages[i].file(s.site) }

// Search hands over the files of the search index.
func (s *Site) Search(write func(File) error) error {
	pages, counts := make([]search.Page, len(s.in.Lessons)), make([]search.Count, len(s.in.Lessons))
	for i, l := range s.in.Lessons {
		pages[i] = search.Page{URL: pagePath(l.ID), Title: title(l.Lesson), Summary: describe(l.Lesson), Sections: l.Gist.sections}
		counts[i] = l.Gist.words
	}
	return s.words.Index(pages, counts, func(f search.File) error { return write(File(f)) })
}

// plan is a page to be drawn.
type plan struct {
	path string
	draw func(*site) ([]byte, error)
}

// drawAll draws pages one after another.
func (s *site) drawAll(plans []plan) ([]File, error) {
	var files []File
	for _, p := range plans {
		drawn, err := p.file(s)
		if err != nil {
			return nil, err
		}
		files = append(files, drawn)
	}
	return files, nil
}

// file draws the page.
func (p plan) file(s *site) (File, error) {
	data, err := p.draw(s)
	if err != nil {
		return File{}, fmt.Errorf("draw %s: %w", p.path, err)
	}
	return File{p.path, data}, nil
}

// Probes are a few pages that use every kind of template: the first lesson, the
// first example, and all that belong to neither.
func (s *Site) Probes() (pages []int) {
	seen := map[bool]bool{}
	for i, p := range s.pages {
		other := probed[p.path]
		example := strings.HasPrefix(p.path, "examples/")
		if other || !seen[example] {
			pages = append(pages, i)
		}
		seen[example] = seen[example] || !other
	}
	return pages
}

var probed = map[string]bool{"evidence.html": true, "search.html": true, "404.html": true, "index.html": true}
