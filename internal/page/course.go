package page

import (
	"cmp"
	"html/template"
	"strings"

	"verbatim/internal/lesson"
)

// home draws the home page: content/index.md, or else every lesson by title.
func (s coursePages) home() ([]byte, error) {
	v := s.view("index.html")
	v.Here, v.Course = "course", ""
	if s.in.Home == nil {
		return s.plainHome(v)
	}
	v.Claim = s.in.Home.Meta.Summary
	v.Description = cmp.Or(v.Claim, s.in.Home.Body.FirstSentence)
	if len(s.order) > 0 {
		first := s.find(s.order[0].Lesson)
		v.Next = &link{URL: pagePath(first.ID), Title: title(first.Lesson)}
	}
	if err := s.fill(&v, s.in.Home, nil); err != nil {
		return nil, err
	}
	v.Strip = s.strip(s.siteClaims(), "", "")
	return s.execute("home.html", v)
}

func (s coursePages) plainHome(v view) ([]byte, error) {
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
		l := s.find(e.Lesson)
		if l == nil {
			rows = append(rows, row{Title: e.Title, Depth: e.Depth})
			continue
		}
		before++
		r := row{ID: l.ID, URL: pagePath(l.ID), Title: e.Title, Summary: l.Meta.Summary, Number: before, Depth: e.Depth}
		for _, c := range s.strip(s.claimsOf(l.Lesson), "", "") {
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

// menu is the position of a lesson in the course.
type menu struct {
	Module       string        // "" without modules
	Number, Size int           // in the whole course, from 1
	Items        template.HTML // the lessons nearby, a line each
}

// menuEntry is a line of a menu.
type menuEntry struct {
	link
	Here bool
}

// entryKey is a place in site.order, and the way from the page to the top.
type entryKey struct {
	at   int
	root string
}

// entry draws a line of a menu, here for the lesson whose page it is on. Every
// lesson is in the menus of many others, and is drawn for them once.
func (s *site) entry(at int, root string, here bool) (template.HTML, error) {
	key := entryKey{at, root}
	if html, ok := s.items.Load(key); ok && !here {
		return html.(template.HTML), nil
	}
	e := s.order[at]
	data, err := s.execute("menuitem", menuEntry{link{URL: root + pagePath(e.Lesson), Title: e.Title}, here})
	html := template.HTML(data) + "\n"
	if err == nil && !here {
		s.items.Store(key, html)
	}
	return html, err
}

// place is the position of a lesson in the course: its place in site.order, that
// of the first lesson of its module and of the first of the next.
type place struct {
	at, from, to int
	module       string // "" without modules
}

// placed finds the places of all lessons of the course.
func (s *site) placed() map[string]place {
	places := map[string]place{}
	at, from, module := 0, 0, ""
	end := func() {
		for _, e := range s.order[from:at] {
			p := places[e.Lesson]
			p.to = at
			places[e.Lesson] = p
		}
	}
	for _, e := range s.in.Course {
		switch {
		case e.Lesson == "":
			end()
			from, module = at, e.Title
		case s.find(e.Lesson) != nil:
			places[e.Lesson] = place{at: at, from: from, module: module}
			at++
		}
	}
	end()
	return places
}

// menu lists the lessons of the same module, or nil for a lesson that the
// course does not hold or that is alone in it.
func (s *site) menu(id, root string) (*menu, error) {
	p, listed := s.places[id]
	if !listed || len(s.order) < 2 {
		return nil, nil
	}
	from, to := p.from, p.to
	if to-from > maxMenu {
		from += min(max(0, p.at-from-maxMenu/2), to-from-maxMenu)
		to = from + maxMenu
	}
	var items strings.Builder
	for at := from; at < to; at++ {
		html, err := s.entry(at, root, at == p.at)
		if err != nil {
			return nil, err
		}
		items.WriteString(string(html))
	}
	return &menu{Module: p.module, Number: 1 + p.at, Size: len(s.order), Items: template.HTML(items.String())}, nil
}
