package quote

import "verbatim/internal/lesson"

// Cite lists what a lesson quotes: its source containers, in their order, and
// then its links [quoted words](quote:source-id).
func Cite(l *lesson.Lesson) []Citation {
	var cited []Citation
	for _, c := range l.Body.Containers {
		if c.Kind == "source" {
			cited = append(cited, Citation{Source: c.ID, Pos: c.Pos, URL: c.URL, Quotes: c.Quotes})
		}
	}
	for _, q := range l.Body.Quotes {
		cited = append(cited, Citation{Source: q.Source, Pos: q.Pos, Quotes: []lesson.Quote{q.Quote}})
	}
	return cited
}
