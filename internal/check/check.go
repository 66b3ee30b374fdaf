// Package check checks what lessons refer to: links lead to a file or a heading, every
// lesson is in the course, every example is used, answers agree with recorded values.
// It reads the loaded site only; it runs, writes and fetches nothing.
package check

import (
	"slices"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/record"
)

// Site is what the checks look at.
type Site struct {
	Home     *lesson.Lesson   // nil without content/index.md
	Lessons  []*lesson.Lesson // sorted by id
	Course   []lesson.Entry
	Examples []lesson.Example
	Records  map[string]*record.Record // by example
	Files    []string                  // files of content/ that are copied

	byFile map[string]*lesson.Lesson
	byID   map[string]*lesson.Lesson
	copied map[string]bool
	known  []string // all files that a link may lead to

	examples map[string]lesson.Example
	ids      []string // of the examples
	near     near
}

// table is every check of one lesson.
var table = []func(s *Site, l *lesson.Lesson, ps *problem.List){
	outputs, values, charts, diagrams, answers, tips, links, relations,
}

// whole are the checks of the site as a whole.
var whole = []func(s *Site, ps *problem.List){course, tolerances, unused}

// Run runs every check and returns the problems.
func Run(s *Site) problem.List {
	var ps problem.List
	s.Index()
	for _, l := range s.all() {
		ps = append(ps, s.Lesson(l)...)
	}
	return append(ps, s.Whole()...)
}

// Lesson runs the checks of one lesson. Index comes first.
func (s *Site) Lesson(l *lesson.Lesson) (ps problem.List) {
	for _, check := range table {
		check(s, l, &ps)
	}
	return ps
}

// Whole runs the checks of the site as a whole. Index comes first.
func (s *Site) Whole() (ps problem.List) {
	for _, check := range whole {
		check(s, &ps)
	}
	return ps
}

func (s *Site) all() []*lesson.Lesson {
	if s.Home == nil {
		return s.Lessons
	}
	return append([]*lesson.Lesson{s.Home}, s.Lessons...)
}

// Index makes every lookup a map's: a site may have ten thousand lessons.
func (s *Site) Index() {
	s.byFile, s.byID, s.copied = map[string]*lesson.Lesson{}, map[string]*lesson.Lesson{}, map[string]bool{}
	s.known = slices.Clone(s.Files)
	for _, l := range s.all() {
		s.byFile[l.File], s.byID[l.ID] = l, l
		s.known = append(s.known, l.File)
	}
	for _, file := range s.Files {
		s.copied[file] = true
	}
	s.examples, s.ids = map[string]lesson.Example{}, nil
	for _, e := range s.Examples {
		s.examples[e.ID] = e
		s.ids = append(s.ids, e.ID)
	}
	s.near = near{}
}

// Replace puts l in the place of the lesson of its id, which is not the home
// page.
func (s *Site) Replace(l *lesson.Lesson) {
	at, ok := slices.BinarySearchFunc(s.Lessons, l.ID, func(x *lesson.Lesson, id string) int { return strings.Compare(x.ID, id) })
	if !ok {
		return
	}
	delete(s.near.ids, s.Lessons[at])
	delete(s.near.transcripts, s.Lessons[at])
	s.Lessons[at], s.byFile[l.File], s.byID[l.ID] = l, l, l
}

func (s *Site) has(example string) bool {
	_, ok := s.examples[example]
	return ok
}

// tips checks that the examples of tips exist.
func tips(s *Site, l *lesson.Lesson, ps *problem.List) {
	for _, c := range l.Body.Containers {
		if id, ok := c.Attr["run"]; ok && c.Kind == "tip" && !s.has(id) {
			ps.AddHint(c.Pos, "lookup", s.exampleNames().DidYouMean(id), "no example %q", id)
		}
	}
}

// relations: lessons named in the front matter exist.
func relations(s *Site, l *lesson.Lesson, ps *problem.List) {
	for _, ref := range slices.Concat(l.Meta.Needs, l.Meta.Related) {
		if s.byID[ref.ID] == nil {
			ps.AddHint(ref.Pos, "course", s.lessonNames().DidYouMean(ref.ID), "no lesson %q", ref.ID)
		}
	}
}

// course: the home page lists every lesson, and nothing that is not there.
func course(s *Site, ps *problem.List) {
	if s.Home == nil {
		return
	}
	listed := map[string]bool{}
	for _, e := range s.Course {
		listed[e.Lesson] = true
	}
	for _, l := range s.Lessons {
		if !listed[l.ID] && !l.Meta.Draft {
			ps.AddHint(problem.Pos{File: l.File, Line: 1, Col: 1}, "course",
				"add it to the list in content/index.md: - ["+l.Meta.Title+"]("+l.ID+".md)",
				"the course does not list lesson %q", l.ID)
		}
	}
}
