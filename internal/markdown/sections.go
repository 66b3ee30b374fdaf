package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
)

// Sections returns the lesson's plain text by its headings, for a search. The
// first section is the text before any heading, and may be empty.
func (d *Doc) Sections() []lesson.Section {
	sections := []lesson.Section{{}}
	var text []byte
	var block line
	end := func() {
		sections[len(sections)-1].Text = string(bytes.TrimSpace(text))
		text = text[:0]
	}
	for _, n := range childrenOf(d.root) {
		heading, ok := n.(*ast.Heading)
		if !ok {
			block.reset()
			d.writeText(&block, n)
			text = append(append(text, block.trimmed()...), '\n')
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
