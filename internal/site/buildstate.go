package site

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"verbatim/internal/check"
	"verbatim/internal/claim"
	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/page"
	"verbatim/internal/problem"
	"verbatim/internal/record"
	"verbatim/internal/run"
)

// buildState is a site as it was read at one moment. Refresh starts from the last one.
// It does not change once its snapshot is shown.
type buildState struct {
	b      *build // its book holds the lessons as they were read
	pages  *page.Site
	checks *check.Site // passed on from state to state
	shown  *Snapshot

	rest   problem.List            // of no one lesson
	whole  problem.List            // check.Whole
	own    map[string]problem.List // by lesson file: of reading it, and of its fences
	claims map[string]problem.List // by lesson file: check.Lesson

	stale  []string
	inputs map[string]string // by stale example
}

// rebuild reads the site again, except lessons that did not change.
func (l *Live) rebuild(ctx context.Context, changed []string) (*buildState, error) {
	// The root stays open for as long as pages may be drawn from it; it is
	// closed when nothing holds the state any more.
	root, err := os.OpenRoot(l.config.Root)
	if err != nil {
		return nil, fmt.Errorf("open the site: %w", err)
	}
	b := &build{
		Config: l.config, root: root, fsys: load.Files(root),
		cache: filepath.Join(l.config.Root, CacheDir), report: &Report{},
		records: map[string]*record.Record{}, stale: map[string][]run.Change{}, edits: map[string]edit{},
		quoteStates: map[problem.Pos]claim.Quotation{},
	}
	if err := b.openModule(); err != nil {
		return nil, err
	}
	if err := l.keep(b, changed); err != nil {
		return nil, err
	}
	e := &buildState{b: b, own: map[string]problem.List{}, claims: map[string]problem.List{}, inputs: map[string]string{}}
	if err := b.readBook(); err != nil {
		return nil, err
	}
	if err := l.findStale(b, e); err != nil {
		return nil, err
	}
	e.rest, b.report.Problems = b.report.Problems, nil
	for _, lesson := range b.book.All() {
		e.readFences(lesson)
	}
	e.checks = b.checked()
	e.checks.Index()
	e.checkAll()
	if err := b.quotations(ctx); err != nil {
		return nil, err
	}
	read := b.book
	if err := b.refresh(); err != nil {
		return nil, err
	}
	if e.pages, err = b.plan(); err != nil {
		return nil, err
	}
	e.rest = append(e.rest, b.report.Problems...)
	b.book = read
	return e, nil
}

// keep takes over from the last state what need not be read again.
func (l *Live) keep(b *build, changed []string) error {
	if l.now == nil {
		return nil
	}
	last := l.now.b
	b.readings = maps.Clone(last.readings)
	theme := func(name string) bool { return name == "templates" || strings.HasPrefix(name, "templates/") }
	if b.theme = last.theme; changed == nil || slices.ContainsFunc(changed, theme) {
		design, err := last.theme.Again(b.templates())
		if err != nil {
			return fmt.Errorf("render: %w", err)
		}
		b.theme = design
	}
	named := map[string]bool{}
	for _, name := range changed {
		named[name] = true
	}
	lessons := map[string]*load.Lesson{}
	for _, lesson := range last.book.All() {
		lessons[lesson.File] = lesson
	}
	b.reuse = func(file string) *load.Lesson {
		lesson := lessons[file]
		switch {
		case lesson == nil, bytes.Contains(lesson.Source, []byte("{{")): // a value may be another
			return nil
		case last.edits[file].new != nil: // what was kept of it is that of its new fences
			return nil
		case changed == nil:
			if now, err := fs.ReadFile(b.fsys, file); err != nil || !bytes.Equal(now, lesson.Source) {
				return nil
			}
			return lesson
		}
		for name := file; name != "."; name = path.Dir(name) {
			if named[name] {
				return nil
			}
		}
		return lesson
	}
	return nil
}

// maxQuick is how many lessons may change at once before reading the site
// again is no slower.
const maxQuick = 8

// incremental returns the next state if only lessons changed, and nothing in them that
// other pages show. Otherwise it returns nil.
func (l *Live) incremental(changed []string) (*buildState, error) {
	if l.now == nil || changed == nil || len(changed) > maxQuick {
		return nil, nil
	}
	var lessons []*load.Lesson
	last := l.now.b
	for _, file := range changed {
		was := last.lessonOf(file)
		if was == nil || last.edits[file].new != nil {
			return nil, nil
		}
		if info, err := last.root.Lstat(file); err != nil || !info.Mode().IsRegular() {
			return nil, nil
		}
		now, err := last.book.Lesson(last.fsys, file)
		if err != nil || now.ID == "" || !sameDependents(was, now) || last.book.Home == nil {
			return nil, err
		}
		lessons = append(lessons, now)
	}
	next := *l.now
	next.b = last.resume()
	next.own, next.claims = maps.Clone(next.own), maps.Clone(next.claims)
	whole := len(last.book.Examples) > 0 // a lesson may use another one now
	for _, now := range lessons {
		whole = whole || now.Meta.Title != last.lessonOf(now.File).Meta.Title
		if err := next.replace(now); err != nil {
			return nil, err
		}
	}
	if whole {
		next.whole = next.checks.Whole()
	}
	return &next, nil
}

// lessonOf returns the lesson of a file, but not the home page.
func (b *build) lessonOf(file string) *load.Lesson {
	id, ok := strings.CutSuffix(strings.TrimPrefix(file, load.Content+"/"), ".md")
	if !ok {
		return nil
	}
	at, ok := slices.BinarySearchFunc(b.book.Lessons, id, func(l *load.Lesson, id string) int { return strings.Compare(l.ID, id) })
	if !ok || b.book.Lessons[at].File != file {
		return nil
	}
	return b.book.Lessons[at]
}

// sameDependents reports whether a site that has one lesson in place of the other
// has the same pages, examples and quotations.
func sameDependents(a, b *load.Lesson) bool {
	return a.Meta.Draft == b.Meta.Draft && len(a.Meta.Aliases)+len(b.Meta.Aliases) == 0 &&
		!slices.ContainsFunc(slices.Concat(a.Body.Evidence, b.Body.Evidence), func(e lesson.Evidence) bool {
			return e.Kind == lesson.EvidenceTranscript || e.Kind == lesson.EvidenceQuotation
		})
}

// resume returns a build that starts from what b read.
func (b *build) resume() *build {
	return &build{
		Config: b.Config, root: b.root, module: b.module, sub: b.sub, fsys: b.fsys, cache: b.cache, book: b.book, pinned: b.pinned,
		records: b.records, stale: b.stale, edits: maps.Clone(b.edits), quoteStates: b.quoteStates, theme: b.theme,
		readings: b.readings, recordsOnDisk: b.recordsOnDisk, report: &Report{},
	}
}

// replace puts a lesson that was read again in its place.
func (e *buildState) replace(now *load.Lesson) error {
	was := e.b.lessonOf(now.File)
	e.b.book = e.b.book.With(now)
	e.readFences(now)
	e.checks.Replace(&now.Lesson)
	if sameIDs(was, now) {
		e.check(now)
	} else {
		e.checkAll()
	}
	drawn, err := e.b.edited(now)
	if err != nil {
		return err
	}
	e.pages = e.pages.With(e.b.pageOf(drawn))
	return nil
}

func sameIDs(a, b *load.Lesson) bool {
	if len(a.Body.IDs) != len(b.Body.IDs) {
		return false
	}
	for id := range a.Body.IDs {
		if _, ok := b.Body.IDs[id]; !ok {
			return false
		}
	}
	return true
}

// readFences notes the problems of reading a lesson, and brings its fences in
// step.
func (e *buildState) readFences(l *load.Lesson) {
	e.b.report.Problems = nil
	e.b.fencesOf(l)
	put(e.own, l.File, slices.Concat(l.Problems, e.b.report.Problems))
	e.b.report.Problems = nil
}

func (e *buildState) check(l *load.Lesson) { put(e.claims, l.File, e.checks.Lesson(&l.Lesson)) }

func (e *buildState) checkAll() {
	for _, l := range e.b.book.All() {
		e.check(l)
	}
	e.whole = e.checks.Whole()
}

func put(lists map[string]problem.List, file string, ps problem.List) {
	if delete(lists, file); len(ps) > 0 {
		lists[file] = ps
	}
}

// snapshot returns the snapshot of the state.
func (e *buildState) snapshot() *Snapshot {
	s := &Snapshot{
		Stale: e.stale, inputs: e.inputs, pages: e.pages, root: e.b.root,
		copies: map[string]string{}, static: map[string][]byte{}, drawn: map[string][]byte{},
	}
	s.Problems = slices.Concat(e.rest, e.whole)
	for _, lists := range []map[string]problem.List{e.own, e.claims} {
		for _, ps := range lists {
			s.Problems = append(s.Problems, ps...)
		}
	}
	s.Problems.Sort()
	for _, file := range e.b.book.Files {
		s.copies[published(file)] = file
	}
	for _, f := range e.pages.Static() {
		s.static[f.Path] = f.Data
	}
	return s
}
