package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
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
func (s coursePages) index() ([]byte, error) {
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

// byTitle returns the lessons as an index lists them.
func (s coursePages) byTitle() []Lesson {
	lessons := slices.Clone(s.in.Lessons)
	slices.SortStableFunc(lessons, func(a, b Lesson) int {
		return cmp.Compare(strings.ToLower(title(a.Lesson)), strings.ToLower(title(b.Lesson)))
	})
	return lessons
}

// tagID is the id of a tag's list on the search page. What cannot stand in an id
// leaves a digest, so that "C++" and "C--" are two, as are "Go" and "go".
func tagID(tag string) string {
	exact := true
	id := strings.Map(func(r rune) rune {
		lower := unicode.ToLower(r)
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		exact = exact && (r == ' ' || word && r == lower)
		if word {
			return lower
		}
		return '-'
	}, tag)
	if !exact {
		sum := sha256.Sum256([]byte(tag))
		id += "-" + hex.EncodeToString(sum[:4])
	}
	return "v-tag-" + id
}
