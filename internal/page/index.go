package page

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// indexView is what the search page shows without a script: every lesson by
// title, and by tag.
type indexView struct {
	view
	All  []link
	Tags []tagged
}

// tagged is a tag with its lessons.
type tagged struct {
	ID, Name string
	Lessons  []link
}

// index draws the page on which readers find lessons.
func (s *site) index() ([]byte, error) {
	v := indexView{view: s.view("search.html")}
	v.Title, v.Here = "All lessons", "search"
	v.Description = "Every lesson by title and by subject, and a search."
	tags := map[string][]link{}
	for _, l := range s.byTitle() {
		to := link{URL: pagePath(l.ID), Title: title(l.Lesson), Why: l.Meta.Summary}
		v.All = append(v.All, to)
		for _, tag := range l.Meta.Tags {
			tags[tag] = append(tags[tag], to)
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		v.Tags = append(v.Tags, tagged{tagID(tag), tag, tags[tag]})
	}
	return s.execute("search.html", v)
}

// byTitle gives the lessons as an index lists them.
func (s *site) byTitle() []Lesson {
	lessons := slices.Clone(s.in.Lessons)
	slices.SortStableFunc(lessons, func(a, b Lesson) int {
		return cmp.Compare(strings.ToLower(title(a.Lesson)), strings.ToLower(title(b.Lesson)))
	})
	return lessons
}

// tagID is the id of a tag's list on the search page.
func tagID(tag string) string {
	return "v-tag-" + strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '-'
	}, tag)
}
