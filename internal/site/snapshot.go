package site

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/page"
	"verbatim/internal/problem"
)

// Snapshot is the whole site as its sources were at one moment. Its pages are
// drawn when they are first asked for. Several goroutines may ask.
type Snapshot struct {
	Problems problem.List // sorted; the pages are drawn all the same, as far as they can be

	// Changed are paths whose bytes differ from the snapshot before, sorted: of
	// those that were asked for lately, and those that came or went. Of the first
	// snapshot it names the theme's files.
	Changed []string

	Stale []string // examples that their records do not fit, or that have none, sorted

	inputs map[string]string // by stale example
	pages  *page.Site
	root   *os.Root
	copies map[string]string // path → file of content/
	static map[string][]byte

	mu    sync.Mutex
	drawn map[string][]byte // what was asked for
	asked []string          // the same pages, the newest last
	index sync.Once         // of the search
	found map[string][]byte // its files
}

// Inputs returns the digest of all that a stale example depends on: while it is
// the same, running the example again would show nothing new.
func (s *Snapshot) Inputs(example string) string { return s.inputs[example] }

// searchFolder is where the search index lies.
const searchFolder = "search/"

// File returns the bytes at a path of the site, "a/b.html". They must not be
// changed.
func (s *Snapshot) File(path string) ([]byte, bool) {
	if data, ok := s.static[path]; ok {
		return data, true
	}
	if strings.HasPrefix(path, searchFolder) {
		if data, ok := s.searchIndex()[path]; ok {
			return data, true
		}
	}
	if file, ok := s.copies[path]; ok {
		data, err := s.root.ReadFile(file)
		return data, err == nil
	}
	data, err := s.page(path)
	return data, err == nil && data != nil
}

// page returns a page, or nil when there is none.
func (s *Snapshot) page(path string) ([]byte, error) {
	s.mu.Lock()
	data, drawn := s.drawn[path]
	s.mu.Unlock()
	i, ok := s.pages.Page(path)
	if drawn || !ok {
		return data, nil
	}
	f, err := s.pages.Draw(i)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, drawn := s.drawn[path]; !drawn {
		s.asked = append(s.asked, path)
	}
	s.drawn[path] = f.Data
	return f.Data, nil
}

func (s *Snapshot) searchIndex() map[string][]byte {
	s.index.Do(func() {
		s.found = map[string][]byte{}
		_ = s.pages.Search(func(f page.File) error { // it fails only with its writer
			s.found[f.Path] = f.Data
			return nil
		})
	})
	return s.found
}

// paths returns the path of every file, sorted.
func (s *Snapshot) paths() []string {
	paths := slices.Concat(slices.Collect(maps.Keys(s.copies)), slices.Collect(maps.Keys(s.static)), slices.Collect(maps.Keys(s.searchIndex())))
	for i := range s.pages.Len() {
		paths = append(paths, s.pages.Path(i))
	}
	slices.Sort(paths)
	return paths
}

// probe draws a page of each kind, so that a broken template is an error and
// not a missing page: the first lesson, and those that are no lesson's.
func (s *Snapshot) probe() error {
	for _, i := range s.pages.Probes() {
		if _, err := s.pages.Draw(i); err != nil {
			return err
		}
	}
	return nil
}

// maxAsked is how many of the pages that were asked for last are compared with
// those of the snapshot before.
const maxAsked = 8

// since lists what differs from an earlier state, nil for none.
func (s *Snapshot) since(last *buildState) []string {
	var changed []string
	if last == nil {
		return slices.Sorted(maps.Keys(s.static))
	}
	older := last.shown
	older.mu.Lock()
	before, asked := maps.Clone(older.drawn), slices.Clone(older.asked)
	older.mu.Unlock()
	for _, path := range asked[max(0, len(asked)-maxAsked):] {
		now, err := s.page(path)
		if err == nil && now != nil && !bytes.Equal(now, before[path]) {
			changed = append(changed, path)
		}
	}
	if s.root != older.root { // else only lessons changed, and none came or went
		here, there := s.own(), older.own()
		for path := range here {
			if !there[path] {
				changed = append(changed, path)
			}
		}
		for path := range there {
			if !here[path] {
				changed = append(changed, path)
			}
		}
	}
	slices.Sort(changed)
	return slices.Compact(changed)
}

// own returns all paths but those of the search.
func (s *Snapshot) own() map[string]bool {
	paths := map[string]bool{}
	for path := range s.copies {
		paths[path] = true
	}
	for path := range s.static {
		paths[path] = true
	}
	for i := range s.pages.Len() {
		paths[s.pages.Path(i)] = true
	}
	return paths
}
