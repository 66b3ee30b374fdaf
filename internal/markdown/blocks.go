package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"verbatim/internal/lesson"
)

// docKey finds the document being parsed in goldmark's context.
var docKey = parser.NewContextKey()

func docOf(pc parser.Context) *Doc { return pc.Get(docKey).(*Doc) }

var containerKind = ast.NewNodeKind("Container")

// container is the node of one ::: block.
type container struct {
	ast.BaseBlock
	fact   *lesson.Container
	kind   *kind // nil when the name is unknown
	attrs  []attribute
	closed bool
	parts  parts
}

func (c *container) Kind() ast.NodeKind         { return containerKind }
func (c *container) Dump(src []byte, level int) { ast.DumpHelper(c, src, level, nil, nil) }

// containerParser makes containers of lines that begin with three colons.
type containerParser struct{}

func (containerParser) Trigger() []byte                             { return []byte{':'} }
func (containerParser) CanInterruptParagraph() bool                 { return true }
func (containerParser) CanAcceptIndentedLine() bool                 { return false }
func (containerParser) Close(ast.Node, text.Reader, parser.Context) {}

func (containerParser) Open(_ ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := r.PeekLine()
	pos := pc.BlockOffset()
	if pos < 0 {
		return nil, parser.NoChildren
	}
	colons := leading(line[pos:], ':')
	if colons < 3 {
		return nil, parser.NoChildren
	}
	d, at := docOf(pc), segment.Start-segment.Padding+pos
	rest := line[pos+colons:]
	if util.IsBlank(rest) {
		d.warn(at, "container", "these colons close nothing")
		return nil, parser.NoChildren
	}
	if tooDeep(pc) {
		exceed(pc, deep(at))
		return nil, parser.NoChildren
	}
	c := containerReader{d}.open(string(rest), at, at+colons)
	r.AdvanceToEOL()
	return c, parser.HasChildren
}

func (containerParser) Continue(n ast.Node, r text.Reader, pc parser.Context) parser.State {
	c := n.(*container)
	line, _ := r.PeekLine()
	indent, pos := util.IndentWidth(line, r.LineOffset())
	if indent > 3 || pos >= len(line) {
		return parser.Continue | parser.HasChildren
	}
	colons := leading(line[pos:], ':')
	if colons < 3 || !util.IsBlank(line[pos+colons:]) || !innermost(c, indent, pc) {
		return parser.Continue | parser.HasChildren
	}
	c.closed = true
	r.AdvanceToEOL()
	return parser.Close
}

// innermost reports whether a closing line with that indent closes c: neither
// another container nor literal text inside c lays claim to the line. A list
// item claims what is indented as far as its text, a quote nothing that does
// not begin with its mark.
func innermost(c *container, indent int, pc parser.Context) bool {
	blocks := pc.OpenedBlocks()
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].Node == ast.Node(c) {
			blocks = blocks[i+1:]
			break
		}
	}
	for _, b := range blocks {
		switch n := b.Node.(type) {
		case *container, *ast.FencedCodeBlock:
			return false
		case *ast.HTMLBlock:
			return !inComment(n, docOf(pc).src)
		case *ast.Blockquote:
			return true
		case *ast.ListItem:
			if indent -= n.Offset; indent < 0 {
				return true
			}
		}
	}
	return true
}

// inComment reports whether the next line belongs to the comment n.
func inComment(n *ast.HTMLBlock, src []byte) bool {
	if n.HTMLBlockType != ast.HTMLBlockType2 || n.HasClosure() {
		return false
	}
	return n.Lines().Len() != 1 || !bytes.Contains(n.Lines().Value(src), []byte("-->"))
}

// fenceParser is goldmark's, and remembers which fences were closed.
type fenceParser struct{ parser.BlockParser }

func (p fenceParser) Continue(n ast.Node, r text.Reader, pc parser.Context) parser.State {
	state := p.BlockParser.Continue(n, r, pc)
	if state == parser.Close {
		docOf(pc).closed[n] = true
	}
	return state
}

// alerts are GitHub's quotes that begin with a line like [!NOTE], with the
// name of the container that each is drawn as.
var alerts = map[string]string{
	"[!NOTE]": "note", "[!TIP]": "note", "[!IMPORTANT]": "note",
	"[!WARNING]": "warning", "[!CAUTION]": "warning",
}

// alertParser takes the mark off such a quote and notes it on the quote.
type alertParser struct{}

func (alertParser) Transform(p *ast.Paragraph, r text.Reader, _ parser.Context) {
	quote, ok := p.Parent().(*ast.Blockquote)
	if !ok || quote.FirstChild() != ast.Node(p) {
		return
	}
	first := p.Lines().At(0)
	mark := string(bytes.ToUpper(bytes.TrimSpace(first.Value(r.Source()))))
	if alerts[mark] == "" {
		return
	}
	quote.SetAttributeString("alert", mark)
	p.Lines().SetSliced(1, p.Lines().Len())
	if p.Lines().Len() == 0 {
		quote.RemoveChild(quote, p)
	}
}
