package markdown

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// taskList is goldmark's, but that the box of a task has no ( and no [ behind
// it: a lesson may be called X, and be linked in a list. GFM wants white space
// there, goldmark wants nothing.
type taskList struct{}

// Extend adds the parser and the renderer of boxes.
func (taskList) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(
		util.Prioritized(boxParser{extension.NewTaskCheckBoxParser()}, 0)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(
		util.Prioritized(extension.NewTaskCheckBoxHTMLRenderer(), 500)))
}

// boxParser leaves links of one letter to the parser of links.
type boxParser struct{ parser.InlineParser }

func (p boxParser) Parse(parent ast.Node, r text.Reader, pc parser.Context) ast.Node {
	line, _ := r.PeekLine()
	if len(line) > 3 && line[2] == ']' && (line[3] == '(' || line[3] == '[') {
		return nil
	}
	return p.InlineParser.Parse(parent, r, pc)
}
