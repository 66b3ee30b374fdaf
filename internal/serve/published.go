package serve

import (
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/problem"
	"verbatim/internal/site"
)

// published holds what the server shows: the newest snapshot of the site, for
// pages with problems their last version without any, and the state of the running
// examples. It is an http.Handler and safe for concurrent use.
type published struct {
	strict bool // warnings count as problems

	mu          sync.Mutex
	changed     chan struct{} // closed, and replaced, at every change
	snapshot    *site.Snapshot
	problems    problem.List      // those of the snapshot, warnings only if strict
	failure     string            // why the last refresh returned no snapshot, "" when it did
	hasProblems map[string]bool   // pages whose own files have problems
	lastGood    map[string][]byte // the last version without problems of such pages
	currentName map[string]string // "static/style.css" → "static/style-1a2b3c4d.css"
	runs        map[string]runState
}

func newPublished(strict bool) *published {
	return &published{
		strict: strict, changed: make(chan struct{}), hasProblems: map[string]bool{},
		lastGood: map[string][]byte{}, currentName: map[string]string{}, runs: map[string]runState{},
	}
}

// notify wakes all requests that wait for a change. The caller holds pub.mu.
func (pub *published) notify() {
	close(pub.changed)
	pub.changed = make(chan struct{})
}

// setFailure records why there is no newer snapshot. The pages stay as they are.
func (pub *published) setFailure(reason string) {
	pub.mu.Lock()
	defer pub.mu.Unlock()
	pub.failure = reason
	pub.notify()
}

// setSnapshot publishes a snapshot. Of each page with problems it keeps the last
// version without any.
func (pub *published) setSnapshot(snapshot *site.Snapshot) {
	pub.mu.Lock()
	defer pub.mu.Unlock()
	problems := pub.filterWarnings(snapshot.Problems)
	hasProblems, lastGood := map[string]bool{}, map[string][]byte{}
	for _, p := range problems {
		for _, page := range pagesOf(p.File) {
			hasProblems[page] = true
			if good, ok := pub.goodVersion(page); ok {
				lastGood[page] = good
			}
		}
	}
	for _, name := range snapshot.Changed {
		if _, ok := snapshot.File(name); ok && hashSuffix.MatchString(name) {
			pub.currentName[withoutHash(name)] = name
		}
	}
	pub.snapshot, pub.problems, pub.failure = snapshot, problems, ""
	pub.hasProblems, pub.lastGood = hasProblems, lastGood
	pub.notify()
}

// filterWarnings returns the problems without warnings, or all of them if pub is
// strict.
func (pub *published) filterWarnings(all problem.List) problem.List {
	if pub.strict {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(p problem.Problem) bool { return p.Warning })
}

// goodVersion returns the newest version of a page without problems. The caller
// holds pub.mu.
func (pub *published) goodVersion(page string) ([]byte, bool) {
	if data, ok := pub.lastGood[page]; ok || pub.hasProblems[page] || pub.snapshot == nil {
		return data, ok
	}
	return pub.snapshot.File(page)
}

// hashSuffix matches the end of a file name that contains a hash of the content.
var hashSuffix = regexp.MustCompile(`-[0-9a-f]{8}(\.[a-z0-9]+)$`)

// withoutHash returns "static/style.css" for "static/style-1a2b3c4d.css".
func withoutHash(name string) string { return hashSuffix.ReplaceAllString(name, "$1") }

// pagesOf returns the pages that are made from a file and therefore show its
// problems first. For a file below examples/ they are candidates: only package
// site knows which directory is the example's.
func pagesOf(file string) []string {
	if id, ok := strings.CutPrefix(file, "content/"); ok {
		return []string{strings.TrimSuffix(id, ".md") + ".html"}
	}
	var pages []string
	if strings.HasPrefix(file, "examples/") {
		for dir := file; dir != "examples"; dir = path.Dir(dir) {
			pages = append(pages, dir+".html")
		}
	}
	return pages
}

// response is the content for one requested path, and the state of the site that
// its page shows.
type response struct {
	path     string // of the file that is sent; may differ from the requested path
	data     []byte // nil when there is nothing to send
	status   int
	outdated bool // data is the last version of the page without problems
	failure  string
	problems problem.List
	runs     map[string]runState
}

// find returns the response for a path of the site, and a channel that is closed
// when the response may have changed.
func (pub *published) find(name string) (response, <-chan struct{}) {
	pub.mu.Lock()
	defer pub.mu.Unlock()
	r := response{path: name, status: http.StatusOK, failure: pub.failure, problems: pub.problems, runs: maps.Clone(pub.runs)}
	r.data, r.outdated = pub.lastGood[name]
	switch {
	case r.outdated:
		return r, pub.changed
	case pub.snapshot == nil || pub.hasProblems[name] && !pub.has(name):
		r.status = http.StatusInternalServerError
		return r, pub.changed
	}
	// A page from before a change of the theme requests files by their old hashes.
	for _, candidate := range []string{name, pub.currentName[withoutHash(name)]} {
		if data, ok := pub.snapshot.File(candidate); ok {
			r.path, r.data = candidate, data
			return r, pub.changed
		}
	}
	r.path, r.status = "404.html", http.StatusNotFound
	r.data, _ = pub.snapshot.File(r.path)
	return r, pub.changed
}

// has reports whether the snapshot has a file. The caller holds pub.mu.
func (pub *published) has(name string) bool {
	_, ok := pub.snapshot.File(name)
	return ok
}
