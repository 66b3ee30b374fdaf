package markdown_test

import (
	"html/template"

	"verbatim/internal/lesson"
)

func (plain) InlineQuote(q lesson.InlineQuote, words template.HTML) (template.HTML, error) {
	return "(quote of " + template.HTML(q.Source) + ": " + words + ")", nil
}
