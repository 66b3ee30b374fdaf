package serve

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/problem"
	"verbatim/internal/site"
)

// stage is what is shown: the newest snapshot, and of older ones the pages that
// have problems now. It is safe for use by several goroutines.
type stage struct {
	strict bool // warnings are shown as problems

	mu       sync.Mutex
	next     chan struct{} // closed when anything changes
	snapshot *site.Snapshot
	problems problem.List      // those of the snapshot that must be mended
	failure  string            // why the newest sources give no snapshot, or ""
	troubled map[string]bool   // pages with problems of their own
	kept     map[string][]byte // their bytes from when they had none
	newest   map[string]string // "static/style.css" → "static/style-1a2b3c4d.css"
	runs     map[string]runState
}

func newStage(strict bool) *stage {
	return &stage{
		strict: strict, next: make(chan struct{}), troubled: map[string]bool{},
		kept: map[string][]byte{}, newest: map[string]string{}, runs: map[string]runState{},
	}
}

// changed wakes everyone who waits; s.mu is held.
func (s *stage) changed() {
	close(s.next)
	s.next = make(chan struct{})
}

// fail keeps everything as it is and says why there is nothing newer.
func (s *stage) fail(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = reason
	s.changed()
}

// show takes a snapshot over. A page with problems stays as it was before it
// had any.
func (s *stage) show(snapshot *site.Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := s.wrong(snapshot.Problems)
	troubled, kept := map[string]bool{}, map[string][]byte{}
	for _, p := range problems {
		for _, page := range pagesOf(p.File) {
			troubled[page] = true
			if good, ok := s.good(page); ok {
				kept[page] = good
			}
		}
	}
	for _, name := range snapshot.Changed {
		if _, ok := snapshot.File(name); ok && hashed.MatchString(name) {
			s.newest[hashed.ReplaceAllString(name, "$1")] = name
		}
	}
	s.snapshot, s.problems, s.failure = snapshot, problems, ""
	s.troubled, s.kept = troubled, kept
	s.changed()
}

// wrong leaves out warnings, unless they count.
func (s *stage) wrong(all problem.List) problem.List {
	if s.strict {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(p problem.Problem) bool { return p.Warning })
}

// good gives a page as it was when it had no problem; s.mu is held.
func (s *stage) good(page string) ([]byte, bool) {
	if data, ok := s.kept[page]; ok || s.troubled[page] || s.snapshot == nil {
		return data, ok
	}
	return s.snapshot.File(page)
}

// hashed is a name that holds the digest of its content.
var hashed = regexp.MustCompile(`-[0-9a-f]{8}(\.[a-z0-9]+)$`)

// pagesOf gives the pages that a file's problems concern first.
func pagesOf(file string) []string {
	if id, ok := strings.CutPrefix(file, "content/"); ok {
		return []string{strings.TrimSuffix(id, ".md") + ".html"}
	}
	var pages []string
	if strings.HasPrefix(file, "examples/") {
		for dir := file; dir != "examples"; dir = path.Dir(dir) {
			pages = append(pages, dir+".html") // which of them is the example's, only the site knows
		}
	}
	return pages
}

// answer is what a request for a path gets.
type answer struct {
	path     string // where it is found
	data     []byte
	status   int
	kept     bool // older than the newest sources
	failure  string
	problems problem.List
	runs     map[string]runState
}

// find answers for a path of the site, and tells when to ask again.
func (s *stage) find(name string) (answer, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := answer{path: name, status: 200, failure: s.failure, problems: s.problems, runs: map[string]runState{}}
	for id, r := range s.runs {
		a.runs[id] = r
	}
	a.data, a.kept = s.kept[name]
	switch {
	case a.kept:
		return a, s.next
	case s.snapshot == nil || s.troubled[name] && !s.has(name):
		a.status = 500
		return a, s.next
	}
	// A page from before a change of the theme asks for a name from before.
	for _, other := range []string{name, s.newest[hashed.ReplaceAllString(name, "$1")]} {
		if data, ok := s.snapshot.File(other); ok {
			a.path, a.data = other, data
			return a, s.next
		}
	}
	a.path, a.status = "404.html", 404
	a.data, _ = s.snapshot.File(a.path)
	return a, s.next
}

func (s *stage) has(name string) bool {
	_, ok := s.snapshot.File(name)
	return ok
}
