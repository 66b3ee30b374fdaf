package page

import (
	"html/template"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Suffix is what the name of a worksheet ends with, before ".html".
const Suffix = "-worksheet"

// Paper draws the pages that are printed and belong to no site: for each
// lesson one as it is and a worksheet with its answers at the end, and
// course.html with all lessons. They hold no script, and lead nowhere that is
// not on the same paper or on the web.
func Paper(in Input) ([]File, error) {
	s, err := newSite(in)
	if err != nil {
		return nil, err
	}
	plans := []plan{{"course.html", func(s *site) ([]byte, error) { return paperPages{s}.paperCourse() }}}
	for i := range s.in.Lessons {
		l := &s.in.Lessons[i]
		plans = append(plans,
			plan{pagePath(l.ID), func(s *site) ([]byte, error) { return paperPages{s}.sheet(l, false) }},
			plan{pagePath(l.ID + Suffix), func(s *site) ([]byte, error) { return paperPages{s}.sheet(l, true) }})
	}
	return s.drawAll(plans)
}

// sheet draws one lesson for paper.
func (s paperPages) sheet(l *Lesson, worksheet bool) ([]byte, error) {
	t, err := newRenderer(s.site, l)
	if err != nil {
		return nil, err
	}
	t.apart = worksheet
	v, err := s.lessonView(l, pagePath(l.ID), t)
	if err != nil {
		return nil, err
	}
	v.Paper, v.Answers, v.Learning = true, t.answers, ""
	html, err := s.execute("lesson.html", v)
	return []byte(s.grounded(string(html), path.Dir(l.ID), nil)), err
}

// part is one lesson of the printed course. Its ids begin with Prefix.
type part struct {
	Number        int // its place in the course, from 1
	Prefix, Title string
	HTML          template.HTML
}

func (s paperPages) paperCourse() ([]byte, error) {
	v := struct {
		view
		Parts []part
	}{view: s.view("course.html")}
	v.Title, v.Paper = s.courseTitle(), true
	v.Course = ""
	if s.in.Home != nil {
		v.Claim = s.in.Home.Meta.Summary
	}
	prefixes := map[string]string{}
	for i, e := range s.order {
		prefixes[e.Lesson] = "v-" + strconv.Itoa(i+1) + "-"
	}
	for i, e := range s.order {
		l := s.find(e.Lesson)
		t, err := newRenderer(s.site, l)
		if err != nil {
			return nil, err
		}
		lv, err := s.lessonView(l, pagePath(l.ID), t)
		if err != nil {
			return nil, err
		}
		lv.Previous, lv.Next = nil, nil
		html, err := s.execute("lessontext", lv)
		if err != nil {
			return nil, err
		}
		text := prefixed(string(html), prefixes[l.ID])
		text = s.grounded(text, path.Dir(l.ID), func(id, fragment string) string {
			if id == "" {
				id = l.ID
			}
			if prefixes[id] == "" {
				return ""
			}
			if fragment == "" {
				fragment = "v-main"
			}
			return "#" + prefixes[id] + fragment
		})
		v.Parts = append(v.Parts, part{i + 1, prefixes[l.ID], title(l.Lesson), template.HTML(text)})
	}
	html, err := s.execute("paper.html", v)
	return []byte(s.grounded(string(html), "", nil)), err
}

// What templates and Markdown write as attributes; in text their quotation
// marks are escaped.
var (
	ids     = regexp.MustCompile(`( id| for| aria-labelledby)="([^"]+)"`)
	anchors = regexp.MustCompile(`(<a\b[^>]*?) href="([^"]*)"`)
	images  = regexp.MustCompile(`(<img src=")([^":]+")`)
)

// prefixed changes the ids of a page to ids that no other page has.
func prefixed(html, prefix string) string {
	return ids.ReplaceAllStringFunc(html, func(attribute string) string {
		m := ids.FindStringSubmatch(attribute)
		return m[1] + `="` + prefix + strings.Join(strings.Fields(m[2]), " "+prefix) + `"`
	})
}

// grounded makes the links of a page in dir right for paper. moved returns the
// place on the same paper of a part of a lesson, "" as id being this one; where
// it is nil only this page is there. Links to other pages of the site lead to
// the web, or nowhere without base_url.
func (s paperPages) grounded(html, dir string, moved func(id, fragment string) string) string {
	if moved != nil {
		html = images.ReplaceAllString(html, "${1}"+strings.TrimPrefix(dir+"/", "./")+"${2}")
	}
	return anchors.ReplaceAllStringFunc(html, func(tag string) string {
		m := anchors.FindStringSubmatch(tag)
		target, fragment, _ := strings.Cut(m[2], "#")
		if strings.Contains(target, ":") || target == "" && moved == nil {
			return tag
		}
		to := ""
		id := strings.TrimSuffix(path.Join(dir, target), ".html")
		if target == "" {
			id = ""
		}
		if moved != nil {
			to = moved(id, fragment)
		}
		if to == "" && target != "" {
			to = s.absolute(path.Join(dir, target))
		}
		if to == "" {
			return m[1]
		}
		return m[1] + ` href="` + to + `"`
	})
}
