package quote

import (
	"strings"

	"verbatim/internal/lesson"
)

// inlineScheme begins the destination of a link whose text is a quotation.
const inlineScheme = "quote:"

// Cite lists what a lesson quotes: its source containers, in their order, and
// then its links [quoted words](quote:source-id).
func Cite(l *lesson.Lesson) []Citation {
	var cited []Citation
	for _, c := range l.Body.Containers {
		if c.Kind == "source" {
			cited = append(cited, Citation{Source: c.ID, Pos: c.Pos, URL: c.URL, Quotes: c.Quotes})
		}
	}
	for _, link := range l.Body.Links {
		if id, ok := strings.CutPrefix(link.Dest, inlineScheme); ok && !link.Image {
			cited = append(cited, Citation{Source: id, Pos: link.Pos, Quotes: []lesson.Quote{{Pos: link.Pos, Text: link.Text}}})
		}
	}
	return cited
}
