package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/claim"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// site is what all pages share. It does not change once it is made.
type site struct {
	*Theme
	in     Input
	facts  claim.Facts
	byID   map[string]int              // in in.Lessons, by id
	uses   func() map[string][]*Lesson // by example
	order  []lesson.Entry              // the course without its modules' names
	places map[string]place            // in the course, by lesson
	items  *sync.Map                   // entries of menus: entryKey → template.HTML
}

// The kinds of pages that are drawn from more than one lesson.
type (
	coursePages  struct{ *site } // the home page and the index
	evidencePage struct{ *site } // evidence.html
	feedPages    struct{ *site } // feed.xml, sitemap.xml and robots.txt
	paperPages   struct{ *site } // pages to print
)

// newSite makes what all pages share. It sorts the lessons by id.
func newSite(in Input) (*site, error) {
	if in.Theme == nil {
		theme, err := ReadTheme(in.Templates)
		if err != nil {
			return nil, err
		}
		in.Theme = theme
	}
	in.Lessons = slices.SortedFunc(slices.Values(in.Lessons), func(a, b Lesson) int { return strings.Compare(a.ID, b.ID) })
	s := &site{Theme: in.Theme, in: in, byID: map[string]int{}, items: &sync.Map{}}
	s.facts = claim.Facts{Examples: map[string]claim.Example{}, Sources: in.Sources, Quotations: in.Quotes}
	for id, e := range in.Examples {
		s.facts.Examples[id] = e.facts()
	}
	s.facts.Lesson = s.lessonOf
	for i := range in.Lessons {
		l := &in.Lessons[i]
		if l.Gist == nil {
			doc, err := l.doc()
			if err != nil {
				return nil, err
			}
			l.Gist = s.Read(l.Lesson, doc)
		}
		s.byID[l.ID] = i
	}
	s.uses = sync.OnceValue(s.findUses)
	for _, e := range in.Course {
		if s.find(e.Lesson) != nil {
			s.order = append(s.order, e)
		}
	}
	s.places = s.placed()
	return s, nil
}

// facts returns what the claims about an example depend on.
func (e Example) facts() claim.Example {
	tables := map[string]bool{}
	for name := range e.Tables {
		tables[name] = true
	}
	return claim.Example{
		Ran: e.Ran, Connected: e.Connected, Service: e.Service, Go: e.Go, Date: e.Date, Exit: e.Exit,
		Masked: len(e.Masks) > 0, Tolerance: e.Tolerance, Values: e.Values, Tables: tables, Uses: e.Uses,
	}
}

// lessonOf returns the lesson of a file of content/, or nil.
func (s *site) lessonOf(file string) *lesson.Lesson {
	if s.in.Home != nil && file == s.in.Home.File {
		return s.in.Home.Lesson
	}
	if l := s.find(strings.TrimSuffix(strings.TrimPrefix(file, "content/"), ".md")); l != nil && l.File == file {
		return l.Lesson
	}
	return nil
}

// find returns a lesson of the site by its id, or nil.
func (s *site) find(id string) *Lesson {
	i, ok := s.byID[id]
	if !ok {
		return nil
	}
	return &s.in.Lessons[i]
}

// plan lists the pages to draw and complains about those that would be in one
// another's place.
func (s *site) plan() (plans []plan, ps problem.List) {
	taken := newPlaces(s.static)
	for _, file := range s.in.Files {
		taken.take(file, "content/"+file, problem.Pos{File: "content/" + file}, &ps)
	}
	for i := range s.in.Lessons {
		l := &s.in.Lessons[i]
		id, path := l.ID, pagePath(l.ID)
		if taken.take(path, l.File, problem.Pos{File: l.File}, &ps) {
			plans = append(plans, plan{path, func(s *site) ([]byte, error) { return s.lesson(s.find(id), path) }})
		}
	}
	for i := range s.in.Lessons {
		plans = append(plans, s.redirects(&s.in.Lessons[i], taken, &ps)...)
	}
	for _, id := range slices.Sorted(maps.Keys(s.in.Examples)) {
		path := examplePath(id)
		if taken.take(path, "the page of the example "+id, problem.Pos{File: s.in.Examples[id].Dir}, &ps) {
			plans = append(plans, plan{path, func(s *site) ([]byte, error) { return s.examplePage(id) }})
		}
	}
	plans = append(plans,
		plan{"evidence.html", func(s *site) ([]byte, error) { return evidencePage{s}.evidence() }},
		plan{"search.html", func(s *site) ([]byte, error) { return coursePages{s}.index() }},
		plan{"404.html", (*site).missing},
		plan{"index.html", func(s *site) ([]byte, error) { return coursePages{s}.home() }})
	plans = append(plans, feedPages{s}.feeds(taken, &ps)...)
	ps.Sort()
	return plans, ps
}

func (s *site) redirects(l *Lesson, taken *places, ps *problem.List) (plans []plan) {
	pos := l.Meta.Pos["aliases"]
	if pos.File == "" {
		pos = problem.Pos{File: l.File}
	}
	for _, alias := range l.Meta.Aliases {
		path, wrong := AliasPath(alias)
		if wrong != "" {
			ps.AddHint(pos, "alias", `write a path of this site, as in "old/name.html"`, "the alias %q %s", alias, wrong)
			continue
		}
		if taken.take(path, "the alias "+alias+" of "+l.File, pos, ps) {
			id := l.ID
			plans = append(plans, plan{path, func(s *site) ([]byte, error) {
				return s.execute("redirect.html", view{
					Language: s.language(), Title: title(s.find(id).Lesson), URL: rootOf(path) + pagePath(id),
				})
			}})
		}
	}
	return plans
}

// view is what a page's template sees.
type view struct {
	Language, Course, Title, Description string
	License, Repository                  string
	Canonical, Feed                      string      // "" without base_url
	Kind                                 string      // of the page, for those who show links to it
	Learning                             template.JS // a lesson, for search engines
	Here                                 string      // which part of the site this is
	Root                                 string      // leads to the top of the site
	H1                                   template.HTML
	H1ID, Claim, Checked, URL            string
	ID                                   string // of the lesson
	Strip                                []count
	TOC                                  []entry
	Body                                 template.HTML
	Needs, Related                       []link
	Previous, Next                       *link
	Minutes                              int             // to read it
	Answers                              []template.HTML // of a worksheet, for its last page
	Paper                                bool            // it is printed: no script
	Tags                                 []link
	Menu                                 *menu
}

// link leads to another lesson.
type link struct{ URL, Title, Why string }

func (s *site) view(page string) view {
	v := view{Language: s.language(), Root: rootOf(page), Kind: "website", Canonical: s.absolute(page), Feed: s.absolute("feed.xml")}
	if s.in.Home != nil {
		meta := s.in.Home.Meta
		v.Course, v.License, v.Repository = title(s.in.Home.Lesson), meta.License, meta.Repository
	}
	return v
}

// title is what a lesson is called.
func title(l *lesson.Lesson) string { return cmp.Or(l.Meta.Title, l.Body.Title, l.ID) }

func (s *site) language() string {
	if s.in.Home == nil {
		return "en"
	}
	return cmp.Or(s.in.Home.Meta.Language, "en")
}

// lesson draws a lesson's page.
func (s *site) lesson(l *Lesson, page string) ([]byte, error) {
	v, err := s.lessonView(l, page, nil)
	if err != nil {
		return nil, err
	}
	return s.execute("lesson.html", v)
}

// lessonView is what a lesson's template sees. Its text is drawn by t; where t
// is nil, it may have been drawn before.
func (s *site) lessonView(l *Lesson, page string, t *pageRenderer) (view, error) {
	v := s.view(page)
	v.ID, v.Kind, v.Here = l.ID, "article", "course"
	v.Minutes = l.Gist.minutes
	for _, tag := range l.Meta.Tags {
		v.Tags = append(v.Tags, link{URL: v.Root + "search.html#" + tagID(tag), Title: tag})
	}
	v.Claim, v.Checked = l.Meta.Summary, l.Meta.Checked
	v.Description = describe(l.Lesson)
	v.Needs, v.Related = s.links(l.Meta.Needs, v.Root), s.links(l.Meta.Related, v.Root)
	v.Previous, v.Next = s.neighbours(l.ID, v.Root)
	if err := s.fill(&v, l, t); err != nil {
		return v, err
	}
	if v.Related != nil {
		v.TOC = append(v.TOC, entry{"v-related", "Related lessons"})
	}
	var err error
	if v.Menu, err = s.menu(l.ID, v.Root); err != nil {
		return v, err
	}
	v.Learning, err = s.learning(l, v.Minutes)
	return v, err
}

// fill puts a lesson's text into the view.
func (s *site) fill(v *view, l *Lesson, t *pageRenderer) (err error) {
	var text Text
	switch {
	case t == nil && l.Text != nil:
		text, err = l.Text()
	case t == nil:
		if t, err = newRenderer(s, l); err == nil {
			text, err = t.text()
		}
	default:
		text, err = t.text()
	}
	v.Title, v.Body, v.TOC, v.H1, v.H1ID, v.Strip = title(l.Lesson), template.HTML(text.HTML), text.contents, text.h1, text.h1ID, text.strip
	return err
}

// links returns the lessons that refs name; check complains about the others.
func (s *site) links(refs []lesson.Ref, root string) (links []link) {
	for _, ref := range refs {
		if l := s.find(ref.ID); l != nil {
			links = append(links, link{root + pagePath(ref.ID), title(l.Lesson), ref.Why})
		}
	}
	return links
}

// neighbours returns the lessons before and after one in the course.
func (s *site) neighbours(id, root string) (previous, next *link) {
	p, listed := s.places[id]
	if !listed {
		return nil, nil
	}
	at := func(i int) *link {
		if i < 0 || i >= len(s.order) {
			return nil
		}
		l := s.find(s.order[i].Lesson)
		return &link{URL: root + pagePath(l.ID), Title: title(l.Lesson)}
	}
	return at(p.at - 1), at(p.at + 1)
}

// missing draws 404.html. It is served for any address, so its links begin
// with the path of the site where that is known.
func (s *site) missing() ([]byte, error) {
	v := s.view("404.html")
	v.Title, v.Canonical = "This page is not here", ""
	if s.in.Home != nil && s.in.Home.Meta.BaseURL != "" {
		if base, err := url.Parse(s.in.Home.Meta.BaseURL); err == nil {
			v.Root = strings.TrimSuffix(base.EscapedPath(), "/") + "/"
		}
	}
	return s.execute("404.html", v)
}

// buffers are what templates write to, which grow to the size of a page once.
var buffers = sync.Pool{New: func() any { return &bytes.Buffer{} }}

// execute draws one template.
func (d *Theme) execute(name string, data any) ([]byte, error) {
	out := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(out)
	out.Reset()
	if err := d.templates.ExecuteTemplate(out, name, data); err != nil {
		return nil, fmt.Errorf("draw with the templates: %w", err)
	}
	return bytes.Clone(out.Bytes()), nil
}
