package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"unicode"
	"unicode/utf8"

	"verbatim/internal/lesson"
)

// describe says in a sentence what a lesson is about.
func describe(l *lesson.Lesson) string { return cmp.Or(l.Meta.Summary, l.Body.FirstSentence) }

func (s *site) courseTitle() string {
	if s.in.Home == nil {
		return "Lessons"
	}
	return title(s.in.Home.Lesson)
}

// wordsAMinute is how fast a text like these is read.
const wordsAMinute = 200

// minutes is how long a lesson takes to read, at least 1. Scripts without
// spaces count two characters as a word.
func minutes(sections []lesson.Section) int {
	words, packed := 0, 0
	for _, section := range sections {
		between, wide := true, false
		for i := range len(section.Text) {
			c := section.Text[i]
			space := c == ' ' || c == '\n' // there is no other in a section's text
			if between && !space {
				words++
			}
			between, wide = space, wide || c >= utf8.RuneSelf
		}
		if wide {
			packed += packedIn(section.Text)
		}
	}
	return max(1, (words+packed/2+wordsAMinute/2)/wordsAMinute)
}

// packedIn counts the characters of scripts without spaces.
func packedIn(text string) (n int) {
	for _, r := range text {
		if r >= firstPacked && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			n++
		}
	}
	return n
}

// firstPacked is the first character of a script without spaces.
const firstPacked = 0x2E80

// What search engines are told follows schema.org.

type learningResource struct {
	Context     string   `json:"@context"`
	Type        string   `json:"@type"`
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Language    string   `json:"inLanguage"`
	Kind        string   `json:"learningResourceType"`
	Free        bool     `json:"isAccessibleForFree"`
	Time        string   `json:"timeRequired"`
	Modified    string   `json:"dateModified,omitempty"`
	License     string   `json:"license,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
	URL         string   `json:"url,omitempty"`
	PartOf      *thing   `json:"isPartOf,omitempty"`
}

type thing struct {
	Type string `json:"@type"`
	Name string `json:"name"`
}

// learning returns a lesson as JSON-LD.
func (s *site) learning(l *Lesson, readingTime int) (template.JS, error) {
	r := learningResource{
		Context: "https://schema.org", Type: "LearningResource", Name: title(l.Lesson), Description: describe(l.Lesson),
		Language: s.language(), Kind: "lesson", Free: true, Time: fmt.Sprintf("PT%dM", readingTime),
		Modified: s.date(l), Keywords: l.Meta.Tags, URL: s.absolute(pagePath(l.ID)),
	}
	if s.in.Home != nil {
		r.PartOf, r.License = &thing{"Course", s.courseTitle()}, s.in.Home.Meta.License
	}
	data, err := json.Marshal(r) // escapes <, > and &
	if err != nil {
		return "", fmt.Errorf("describe the lesson: %w", err)
	}
	return template.JS(data), nil
}
