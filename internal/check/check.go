// Package check promises that what lessons claim about the rest of the site
// is so: links lead somewhere, every lesson is in the course and every example
// is used. It reads and never runs, writes or fetches anything.
package check

import (
	"cmp"
	"slices"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/record"
)

// Site is what the checks look at.
type Site struct {
	Home     *lesson.Lesson // nil without content/index.md
	Lessons  []*lesson.Lesson
	Course   []lesson.Entry
	Examples []lesson.Example
	Records  map[string]*record.Record // by example
	Files    []string                  // files of content/ that are copied

	byFile map[string]*lesson.Lesson
	byID   map[string]*lesson.Lesson
	copied map[string]bool
}

// table is every check of one lesson.
var table = []func(s *Site, l *lesson.Lesson, ps *problem.List){
	outputs, tips, links, relations,
}

// whole are the checks of the site as a whole.
var whole = []func(s *Site, ps *problem.List){course, unused}

// Run looks at everything and lists what is wrong.
func Run(s *Site) problem.List {
	var ps problem.List
	s.index()
	for _, l := range s.all() {
		for _, check := range table {
			check(s, l, &ps)
		}
	}
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

// index makes every lookup a map's: a site may have ten thousand lessons.
func (s *Site) index() {
	s.byFile, s.byID, s.copied = map[string]*lesson.Lesson{}, map[string]*lesson.Lesson{}, map[string]bool{}
	for _, l := range s.all() {
		s.byFile[l.File], s.byID[l.ID] = l, l
	}
	for _, file := range s.Files {
		s.copied[file] = true
	}
}

func (s *Site) exampleIDs() []string {
	ids := make([]string, len(s.Examples))
	for i, e := range s.Examples {
		ids[i] = e.ID
	}
	return ids
}

// outputs: every output fence names an example, and lines that it has.
func outputs(s *Site, l *lesson.Lesson, ps *problem.List) {
	ids := s.exampleIDs()
	for _, f := range l.Body.Fences {
		if !slices.Contains(ids, f.Of) {
			ps.AddHint(f.Pos, "lookup", cmp.Or(problem.DidYouMean(f.Of, ids), "make examples/"+f.Of+"/main.go, or name another"),
				"no example %q", f.Of)
			continue
		}
		r := s.Records[f.Of]
		if r == nil {
			continue // why it has none is a problem of its own
		}
		if _, err := record.Pick(record.Lines(r.Output), f); err != nil {
			ps.Add(f.Pos, "lookup", "%v of example %q", err, f.Of)
		}
	}
}

// tips: what a tip says it ran exists.
func tips(s *Site, l *lesson.Lesson, ps *problem.List) {
	ids := s.exampleIDs()
	for _, c := range l.Body.Containers {
		if id, ok := c.Attr["run"]; ok && c.Kind == "tip" && !slices.Contains(ids, id) {
			ps.AddHint(c.Pos, "lookup", problem.DidYouMean(id, ids), "no example %q", id)
		}
	}
}

// relations: lessons named in the front matter exist.
func relations(s *Site, l *lesson.Lesson, ps *problem.List) {
	for _, ref := range slices.Concat(l.Meta.Needs, l.Meta.Related) {
		if s.byID[ref.ID] == nil {
			ps.AddHint(ref.Pos, "course", problem.DidYouMean(ref.ID, s.lessonIDs()), "no lesson %q", ref.ID)
		}
	}
}

func (s *Site) lessonIDs() []string {
	var ids []string
	for _, l := range s.Lessons {
		ids = append(ids, l.ID)
	}
	return ids
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

// unused: an example that no lesson shows proves nothing to anybody.
func unused(s *Site, ps *problem.List) {
	used := map[string]bool{}
	for _, l := range s.all() {
		for _, f := range l.Body.Fences {
			used[f.Of] = true
		}
		for _, c := range l.Body.Containers {
			used[c.Attr["run"]] = true
		}
	}
	for _, e := range s.Examples {
		if !used[e.ID] {
			ps.AddHint(problem.Pos{File: e.Dir}, "unused",
				"show it with ```output {of="+e.ID+"}, or delete its folder", "no lesson uses example %q", e.ID)
		}
	}
}
