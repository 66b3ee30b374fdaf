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

	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/problem"
)

// site is what all pages share. It does not change once it is made.
type site struct {
	in        Input
	templates *template.Template
	lessons   map[string]*Lesson
	uses      map[string][]*Lesson        // by example
	sections  map[string][]lesson.Section // text of each lesson by its headings
	order     []lesson.Entry              // the course without its modules' names
	code      *markdown.Highlighter
}

// newSite reads the theme.
func newSite(in Input) (*site, []File, error) {
	files, static, err := readStatic(in.Templates)
	if err != nil {
		return nil, nil, err
	}
	s := &site{in: in, lessons: map[string]*Lesson{}, code: &markdown.Highlighter{}, sections: map[string][]lesson.Section{}}
	s.templates, err = template.New("").Funcs(template.FuncMap{
		"date": longDate,
		"plural": func(r []lesson.Range) bool {
			return len(r) > 1 || len(r) == 1 && r[0].From != r[0].To
		},
		"hash":   func(name string) (string, error) { return inlineHash(in.Templates, name) },
		"inline": func(name string) (template.JS, error) { return inlineScript(in.Templates, name) },
		"static": func(name string) (string, error) {
			if static[name] == "" {
				return "", fmt.Errorf("no static file %q", name)
			}
			return static[name], nil
		},
	}).ParseFS(in.Templates, "*.html")
	if err != nil {
		return nil, nil, fmt.Errorf("read the templates: %w", err)
	}
	for i := range in.Lessons {
		l := &in.Lessons[i]
		s.lessons[l.ID], s.sections[l.ID] = l, l.Doc.Sections()
	}
	s.findUses()
	for _, e := range in.Course {
		if s.lessons[e.Lesson] != nil {
			s.order = append(s.order, e)
		}
	}
	return s, files, nil
}

// plan lists the pages to draw and complains about those that would be in one
// another's place.
func (s *site) plan() (plans []plan, ps problem.List) {
	taken := places{map[string]string{}, map[string]string{}}
	for _, own := range []struct{ file, what string }{
		{"index.html", "the home page"}, {"404.html", "the page for missing pages"},
		{"evidence.html", "the page about the evidence"}, {"search.html", "the search page"},
		{"static/style.css", "the theme"}, {"search/index.js", "the search index"},
	} {
		taken.take(own.file, own.what, problem.Pos{}, &ps)
	}
	for _, file := range s.in.Files {
		taken.take(file, "content/"+file, problem.Pos{File: "content/" + file}, &ps)
	}
	for i := range s.in.Lessons {
		l := &s.in.Lessons[i]
		path := pagePath(l.ID)
		if taken.take(path, l.File, problem.Pos{File: l.File}, &ps) {
			plans = append(plans, plan{path, func() ([]byte, error) { return s.lesson(l, path) }})
		}
	}
	for i := range s.in.Lessons {
		plans = append(plans, s.redirects(&s.in.Lessons[i], taken, &ps)...)
	}
	for _, id := range slices.Sorted(maps.Keys(s.in.Examples)) {
		path := examplePath(id)
		if taken.take(path, "the page of the example "+id, problem.Pos{File: s.in.Examples[id].Dir}, &ps) {
			plans = append(plans, plan{path, func() ([]byte, error) { return s.examplePage(id) }})
		}
	}
	plans = append(plans,
		plan{"evidence.html", s.evidence},
		plan{"search.html", s.index},
		plan{"404.html", s.missing},
		plan{"index.html", s.home})
	plans = append(plans, s.feeds()...)
	ps.Sort()
	return plans, ps
}

func (s *site) redirects(l *Lesson, taken places, ps *problem.List) (plans []plan) {
	pos := l.Meta.Pos["aliases"]
	if pos.File == "" {
		pos = problem.Pos{File: l.File}
	}
	for _, alias := range l.Meta.Aliases {
		path, wrong := aliasPath(alias)
		if wrong != "" {
			ps.AddHint(pos, "alias", `write a path of this site, as in "old/name.html"`, "the alias %q %s", alias, wrong)
			continue
		}
		if taken.take(path, "the alias "+alias+" of "+l.File, pos, ps) {
			plans = append(plans, plan{path, func() ([]byte, error) {
				return s.execute("redirect.html", view{
					Language: s.language(), Title: title(l.Lesson), URL: rootOf(path) + pagePath(l.ID),
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
	v, err := s.lessonView(l, page, newTheme(s, l))
	if err != nil {
		return nil, err
	}
	return s.execute("lesson.html", v)
}

// lessonView is what a lesson's template sees, its text drawn by t.
func (s *site) lessonView(l *Lesson, page string, t *theme) (view, error) {
	v := s.view(page)
	v.ID, v.Kind, v.Here = l.ID, "article", "course"
	v.Minutes, v.Menu = minutes(s.sections[l.ID]), s.menu(l.ID, v.Root)
	for _, tag := range l.Meta.Tags {
		v.Tags = append(v.Tags, link{URL: v.Root + "search.html#" + tagID(tag), Title: tag})
	}
	v.Claim, v.Checked = l.Meta.Summary, l.Meta.Checked
	v.Description = describe(l)
	v.Needs, v.Related = s.links(l.Meta.Needs, v.Root), s.links(l.Meta.Related, v.Root)
	v.Previous, v.Next = s.neighbours(l.ID, v.Root)
	if err := s.fill(&v, l, t); err != nil {
		return v, err
	}
	if v.Related != nil {
		v.TOC = append(v.TOC, entry{"v-related", "Related lessons"})
	}
	var err error
	v.Learning, err = s.learning(l, v.Minutes)
	return v, err
}

// spoken adds what assistive technology misses in the tables and task lists of
// plain Markdown. Neither element can come from an author's HTML.
var spoken = strings.NewReplacer(
	"<th>", `<th scope="col">`, "<th align=", `<th scope="col" align=`,
	`<input checked="" disabled="" type="checkbox"`, `<input checked="" disabled="" type="checkbox" aria-label="done"`,
	`<input disabled="" type="checkbox"`, `<input disabled="" type="checkbox" aria-label="to do"`,
)

// fill draws a lesson's text into the view.
func (s *site) fill(v *view, l *Lesson, t *theme) error {
	body, err := l.Doc.HTML(t)
	if err != nil {
		return err
	}
	v.Title, v.Body, v.TOC = title(l.Lesson), template.HTML(spoken.Replace(string(body))), t.toc
	v.H1, v.H1ID, err = l.Doc.Title(t)
	if err != nil {
		return err
	}
	if v.H1 == "" {
		v.H1 = template.HTML(template.HTMLEscapeString(v.Title))
	}
	v.Strip = s.counts(&l.Body, t.first("example", "v-examples"), t.first("source", "v-sources"))
	return nil
}

// links gives the lessons that refs name; check complains about the others.
func (s *site) links(refs []lesson.Ref, root string) (links []link) {
	for _, ref := range refs {
		if l := s.lessons[ref.ID]; l != nil {
			links = append(links, link{root + pagePath(ref.ID), title(l.Lesson), ref.Why})
		}
	}
	return links
}

// neighbours gives the lessons before and after one in the course.
func (s *site) neighbours(id, root string) (previous, next *link) {
	i := slices.IndexFunc(s.order, func(e lesson.Entry) bool { return e.Lesson == id })
	at := func(i int) *link {
		if i < 0 || i >= len(s.order) {
			return nil
		}
		l := s.lessons[s.order[i].Lesson]
		return &link{URL: root + pagePath(l.ID), Title: title(l.Lesson)}
	}
	if i < 0 {
		return nil, nil
	}
	return at(i - 1), at(i + 1)
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

// execute draws one template.
func (s *site) execute(name string, data any) ([]byte, error) {
	var out bytes.Buffer
	if err := s.templates.ExecuteTemplate(&out, name, data); err != nil {
		return nil, fmt.Errorf("draw with the templates: %w", err)
	}
	return out.Bytes(), nil
}
