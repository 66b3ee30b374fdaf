package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
)

// Sections gives the lesson's plain text by its headings, for a search. The
// first section is what stands before any heading, and may be empty.
func (d *Doc) Sections() []lesson.Section {
	sections := []lesson.Section{{}}
	var text strings.Builder
	end := func() {
		sections[len(sections)-1].Text = strings.TrimSpace(text.String())
		text.Reset()
	}
	for _, n := range childrenOf(d.root) {
		heading, ok := n.(*ast.Heading)
		if !ok {
			text.WriteString(d.text(n) + "\n")
			continue
		}
		end()
		id, _ := heading.AttributeString("id")
		value, _ := id.([]byte)
		sections = append(sections, lesson.Section{ID: string(value), Title: d.text(heading)})
	}
	end()
	return sections
}
