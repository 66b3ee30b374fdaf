package page

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"verbatim/internal/problem"
)

// The addresses of a site are known only with base_url; without it there is no
// feed, no map and no canonical link.

// absolute returns the address of a file of the site, or "" without base_url.
func (s *site) absolute(file string) string {
	if s.in.Home == nil || s.in.Home.Meta.BaseURL == "" {
		return ""
	}
	if file == "index.html" {
		file = ""
	}
	return strings.TrimSuffix(s.in.Home.Meta.BaseURL, "/") + "/" + (&url.URL{Path: file}).EscapedPath()
}

// date is the day a lesson was last proved: that of its newest record or of
// its front matter, "" when it has neither.
func (s *site) date(l *Lesson) string {
	newest := l.Meta.Checked
	for _, c := range s.claimsOf(l.Lesson) {
		newest = max(newest, s.in.Examples[c.Example].Date)
	}
	return newest
}

// forPrograms lists what a site with base_url has for other programs. A file of
// the same name in content/ replaces it.
var forPrograms = []struct {
	plan
	what string
}{
	{plan{"feed.xml", func(s *site) ([]byte, error) { return feedPages{s}.atom() }}, "the feed"},
	{plan{"sitemap.xml", func(s *site) ([]byte, error) { return feedPages{s}.sitemap() }}, "the site map"},
	{plan{"robots.txt", func(s *site) ([]byte, error) { return feedPages{s}.robots() }}, "the file for robots"},
}

// feeds plans what other programs read, unless the author wrote it.
func (s feedPages) feeds(taken *places, ps *problem.List) (plans []plan) {
	if s.absolute("") == "" {
		return nil
	}
	for _, f := range forPrograms {
		if !slices.Contains(s.in.Files, f.path) && taken.makes(f.path, f.what, ps) {
			plans = append(plans, f.plan)
		}
	}
	return plans
}

// Replaced returns the files of content/ that replace files which the site would
// have without them, as "content/robots.txt".
func (s *Site) Replaced() (files []string) {
	if s.absolute("") == "" {
		return nil
	}
	for _, f := range forPrograms {
		if slices.Contains(s.in.Files, f.path) {
			files = append(files, "content/"+f.path)
		}
	}
	return files
}

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Links   []atomLink  `xml:"link"`
	Author  string      `xml:"author>name"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Summary string   `xml:"summary,omitempty"`
}

// atom draws the feed: the lessons by date, the newest first. One without a
// date has no entry.
func (s feedPages) atom() ([]byte, error) {
	f := atomFeed{ID: s.absolute(""), Title: s.courseTitle(), Author: s.courseTitle(), Updated: "1970-01-01T00:00:00Z"}
	f.Links = []atomLink{{"self", s.absolute("feed.xml")}, {"", s.absolute("")}}
	for i := range s.in.Lessons {
		l := &s.in.Lessons[i]
		date := s.date(l)
		if date == "" {
			continue
		}
		address := s.absolute(pagePath(l.ID))
		f.Entries = append(f.Entries, atomEntry{
			ID: address, Title: title(l.Lesson), Updated: date + "T00:00:00Z",
			Link: atomLink{Href: address}, Summary: describe(l.Lesson),
		})
		f.Updated = max(f.Updated, date+"T00:00:00Z")
	}
	slices.SortStableFunc(f.Entries, func(a, b atomEntry) int { return strings.Compare(b.Updated, a.Updated) })
	return encodeXML(f)
}

type siteMap struct {
	XMLName xml.Name  `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []siteURL `xml:"url"`
}

type siteURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
}

func (s feedPages) sitemap() ([]byte, error) {
	m := siteMap{URLs: []siteURL{{Loc: s.absolute("")}, {Loc: s.absolute("evidence.html")}, {Loc: s.absolute("search.html")}}}
	for i := range s.in.Lessons {
		l := &s.in.Lessons[i]
		m.URLs = append(m.URLs, siteURL{s.absolute(pagePath(l.ID)), s.date(l)})
	}
	return encodeXML(m)
}

func (s feedPages) robots() ([]byte, error) {
	return fmt.Appendf(nil, "User-agent: *\nAllow: /\n\nSitemap: %s\n", s.absolute("sitemap.xml")), nil
}

func encodeXML(v any) ([]byte, error) {
	data, err := xml.MarshalIndent(v, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return append([]byte(xml.Header), append(data, '\n')...), nil
}
