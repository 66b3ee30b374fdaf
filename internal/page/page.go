// Package page promises the files of a site: for the same lessons, records and
// templates the same bytes, whoever asks, on whatever day, with any number of
// workers. It reads and writes nothing but what it is given.
package page

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/problem"
)

// Input is everything that a site is drawn from.
type Input struct {
	Templates fs.FS    // the theme: *.html and static/
	Home      *Lesson  // content/index.md, nil when the site has none
	Lessons   []Lesson // all others, in any order
	Course    []lesson.Entry
	Examples  map[string]Example
	Sources   map[string]lesson.Source
	States    map[problem.Pos]string // of quotations: verified, attested, …
	Files     []string               // paths below public/ that are copied from content/
	Workers   int                    // pages drawn at a time, at least 1

	// ImageSize gives the size in pixels of an image that a lesson's file
	// names by dest; 0, 0 when unknown. It may be nil, and is called by
	// several goroutines.
	ImageSize func(file, dest string) (width, height int)
}

// Lesson is a lesson with its parsed text.
type Lesson struct {
	*lesson.Lesson
	Doc *markdown.Doc
}

// Example is what readers are told about an example.
type Example struct {
	lesson.Example
	Ran     bool     // on a real service: there is a record
	Lines   []string // the recorded output
	Values  map[string]string
	Tables  map[string][][]string // by file name, "burst.csv"
	Service string                // "Redis 7.0.15", "" for none
	Go      string                // "1.26.0", "" for none
	Date    string                // of the record, 2026-11-29
	Command string                // what a reader types to run it
	Files   []File                // its sources, by path below its folder
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
func Render(in Input) ([]File, problem.List, error) {
	in.Lessons = slices.Clone(in.Lessons)
	slices.SortFunc(in.Lessons, func(a, b Lesson) int { return strings.Compare(a.ID, b.ID) })
	s, files, err := newSite(in)
	if err != nil {
		return nil, nil, err
	}
	plans, problems := s.plan()
	drawn, err := drawAll(plans, max(1, in.Workers))
	if err != nil {
		return nil, nil, err
	}
	index, err := s.searchIndex()
	if err != nil {
		return nil, nil, err
	}
	return slices.Concat(files, index, drawn), problems, nil
}

// plan is a page to be drawn.
type plan struct {
	path string
	draw func() ([]byte, error)
}

// drawAll draws pages several at a time and keeps their order. The first
// failure in that order is the one it reports.
func drawAll(plans []plan, workers int) ([]File, error) {
	files, errs := make([]File, len(plans)), make([]error, len(plans))
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				data, err := plans[i].draw()
				files[i], errs[i] = File{plans[i].path, data}, err
			}
		})
	}
	for i := range plans {
		next <- i
	}
	close(next)
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("draw %s: %w", plans[i].path, err)
		}
	}
	return files, nil
}
