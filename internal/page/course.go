package page

import (
	"cmp"
	"html/template"
	"slices"

	"verbatim/internal/lesson"
)

// home draws the home page: content/index.md, or else every lesson by title.
func (s *site) home() ([]byte, error) {
	v := s.view("index.html")
	v.Here, v.Course = "course", ""
	if s.in.Home == nil {
		return s.plainHome(v)
	}
	v.Claim = s.in.Home.Meta.Summary
	v.Description = cmp.Or(v.Claim, s.in.Home.Body.FirstSentence)
	if len(s.order) > 0 {
		first := s.lessons[s.order[0].Lesson]
		v.Next = &link{URL: pagePath(first.ID), Title: title(first.Lesson)}
	}
	if err := s.fill(&v, s.in.Home, newTheme(s, s.in.Home)); err != nil {
		return nil, err
	}
	v.Strip = s.siteCounts()
	return s.execute("home.html", v)
}

func (s *site) plainHome(v view) ([]byte, error) {
	var entries []lesson.Entry
	for _, l := range s.byTitle() {
		entries = append(entries, lesson.Entry{Lesson: l.ID, Title: title(l.Lesson), Depth: 1})
	}
	body, err := s.course(entries, 0)
	if err != nil {
		return nil, err
	}
	v.Title, v.H1, v.Body = "Lessons", "Lessons", body
	return s.execute("home.html", v)
}

// siteCounts sums up the whole course.
func (s *site) siteCounts() []count {
	var all lesson.Body
	for _, l := range s.in.Lessons {
		all.Fences = append(all.Fences, l.Body.Fences...)
		all.Containers = append(all.Containers, l.Body.Containers...)
	}
	return s.counts(&all, "", "")
}

// row is a line of the course on the home page.
type row struct {
	ID, URL, Title, Summary string
	Number, Depth           int
	Proofs                  []count
}

// course draws a list of lessons, of which before come earlier on the page.
func (s *site) course(entries []lesson.Entry, before int) (template.HTML, error) {
	var rows []row
	for _, e := range entries {
		l := s.lessons[e.Lesson]
		if l == nil {
			rows = append(rows, row{Title: e.Title, Depth: e.Depth})
			continue
		}
		before++
		r := row{ID: l.ID, URL: pagePath(l.ID), Title: e.Title, Summary: l.Meta.Summary, Number: before, Depth: e.Depth}
		for _, c := range s.counts(&l.Body, "", "") {
			if c.Mark != "" {
				r.Proofs = append(r.Proofs, c)
			}
		}
		rows = append(rows, r)
	}
	data, err := s.execute("course.html", rows)
	return template.HTML(data), err
}

// maxMenu is how many lessons the menu of a lesson lists before it shows only
// the nearest.
const maxMenu = 30

// menu is where a lesson stands in the course.
type menu struct {
	Module       string // "" without modules
	Number, Size int    // in the whole course, from 1
	Lessons      []menuEntry
}

type menuEntry struct {
	link
	Here bool
}

// menu lists the lessons of the same module, or nil for a lesson that the
// course does not hold or that is alone in it.
func (s *site) menu(id, root string) *menu {
	at := slices.IndexFunc(s.in.Course, func(e lesson.Entry) bool { return e.Lesson == id })
	if at < 0 || len(s.order) < 2 {
		return nil
	}
	m := &menu{Size: len(s.order)}
	from, to := s.module(at)
	if from > 0 {
		m.Module = s.in.Course[from-1].Title
	}
	here := 0
	for _, e := range s.in.Course[from:to] {
		l := s.lessons[e.Lesson]
		if l == nil {
			continue
		}
		if e.Lesson == id {
			here = len(m.Lessons)
		}
		m.Lessons = append(m.Lessons, menuEntry{link{URL: root + pagePath(l.ID), Title: e.Title}, e.Lesson == id})
	}
	m.Number = 1 + slices.IndexFunc(s.order, func(e lesson.Entry) bool { return e.Lesson == id })
	if len(m.Lessons) > maxMenu {
		first := min(max(0, here-maxMenu/2), len(m.Lessons)-maxMenu)
		m.Lessons = m.Lessons[first : first+maxMenu]
	}
	return m
}

// module gives the entries from the nearest heading before at up to the next.
func (s *site) module(at int) (from, to int) {
	from, to = at, at
	for from > 0 && s.in.Course[from-1].Lesson != "" {
		from--
	}
	for to < len(s.in.Course) && s.in.Course[to].Lesson != "" {
		to++
	}
	return from, to
}
