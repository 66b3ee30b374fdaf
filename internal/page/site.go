package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
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
	order     []lesson.Entry // the course without its modules' names
	code      *markdown.Highlighter
}

// newSite reads the theme.
func newSite(in Input) (*site, []File, error) {
	files, static, err := readStatic(in.Templates)
	if err != nil {
		return nil, nil, err
	}
	s := &site{in: in, lessons: map[string]*Lesson{}, code: &markdown.Highlighter{}}
	s.templates, err = template.New("").Funcs(template.FuncMap{
		"date": longDate,
		"plural": func(r []lesson.Range) bool {
			return len(r) > 1 || len(r) == 1 && r[0].From != r[0].To
		},
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
		s.lessons[in.Lessons[i].ID] = &in.Lessons[i]
	}
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
	taken := places{"index": "the home page", "404": "the page for missing pages"}
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
	plans = append(plans,
		plan{"404.html", s.missing},
		plan{"index.html", s.home})
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
	Root                                 string // leads to the top of the site
	IsHome                               bool
	H1                                   template.HTML
	H1ID, Claim, Checked, URL            string
	Strip                                []count
	TOC                                  []entry
	Body                                 template.HTML
	Needs, Related                       []link
	Previous, Next                       *link
}

// link leads to another lesson.
type link struct{ URL, Title, Why string }

func (s *site) view(page string) view {
	v := view{Language: s.language(), Root: rootOf(page)}
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
	v := s.view(page)
	v.Claim, v.Checked = l.Meta.Summary, l.Meta.Checked
	v.Description = cmp.Or(l.Meta.Summary, l.Body.FirstSentence)
	v.Needs, v.Related = s.links(l.Meta.Needs, v.Root), s.links(l.Meta.Related, v.Root)
	v.Previous, v.Next = s.neighbours(l.ID, v.Root)
	if err := s.fill(&v, l); err != nil {
		return nil, err
	}
	if v.Related != nil {
		v.TOC = append(v.TOC, entry{"v-related", "Related lessons"})
	}
	return s.execute("lesson.html", v)
}

// fill draws a lesson's text into the view.
func (s *site) fill(v *view, l *Lesson) error {
	t := newTheme(s, l)
	body, err := l.Doc.HTML(t)
	if err != nil {
		return err
	}
	v.Title, v.Body, v.TOC = title(l.Lesson), body, t.toc
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

// home draws the home page: content/index.md, or else every lesson by title.
func (s *site) home() ([]byte, error) {
	v := s.view("index.html")
	v.IsHome, v.Course = true, ""
	if s.in.Home == nil {
		return s.plainHome(v)
	}
	v.Claim = s.in.Home.Meta.Summary
	v.Description = cmp.Or(v.Claim, s.in.Home.Body.FirstSentence)
	if len(s.order) > 0 {
		first := s.lessons[s.order[0].Lesson]
		v.Next = &link{URL: pagePath(first.ID), Title: title(first.Lesson)}
	}
	if err := s.fill(&v, s.in.Home); err != nil {
		return nil, err
	}
	v.Strip = s.siteCounts()
	return s.execute("home.html", v)
}

func (s *site) plainHome(v view) ([]byte, error) {
	lessons := slices.Clone(s.in.Lessons)
	slices.SortStableFunc(lessons, func(a, b Lesson) int {
		return cmp.Compare(strings.ToLower(title(a.Lesson)), strings.ToLower(title(b.Lesson)))
	})
	var entries []lesson.Entry
	for _, l := range lessons {
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
	URL, Title, Summary string
	Number, Depth       int
	Proofs              []count
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
		r := row{URL: pagePath(l.ID), Title: e.Title, Summary: l.Meta.Summary, Number: before, Depth: e.Depth}
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

// missing draws 404.html. It is served for any address, so its links begin
// with the path of the site where that is known.
func (s *site) missing() ([]byte, error) {
	v := s.view("404.html")
	v.Title = "This page is not here"
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
