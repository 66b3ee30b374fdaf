package markdown

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// What a page may hold. No page for people comes near; beyond, the time that
// goldmark needs grows with the square of what is counted, or with the depth of
// every line.
const (
	maxSize     = 8 << 20 // bytes of a page
	maxDepth    = 100     // containers, quotes and lists inside one another
	maxMarks    = 200e6   // bytes of a paragraph times its marks of links, emphasis, code and HTML
	maxNotes    = 2000    // places that a foot-note belongs to, on one page
	maxLikes    = 10_000  // steps times the lines of their analogy
	maxRefLines = 10_000  // lines of a paragraph that begins as reference definitions do
)

// excess is the first thing of which a page holds too much.
type excess struct {
	at         int // offset in the body
	check      string
	text, hint string
}

var (
	excessKey = parser.NewContextKey()
	marksKey  = parser.NewContextKey()
	notesKey  = parser.NewContextKey()
)

// excessOf returns what a page held too much of, or nil.
func excessOf(pc parser.Context) *excess {
	e, _ := pc.Get(excessKey).(*excess)
	return e
}

// exceed notes the first excess of a page.
func exceed(pc parser.Context, e excess) {
	if excessOf(pc) == nil {
		pc.Set(excessKey, &e)
	}
}

// tooLarge returns the excess of a page's size, or nil.
func tooLarge(src []byte) *excess {
	if len(src) <= maxSize {
		return nil
	}
	return &excess{0, "size", fmt.Sprintf("the page has %d MB: at most %d are drawn", len(src)>>20, maxSize>>20),
		"make several lessons of it, or link to the file"}
}

// blockParsers are goldmark's, of which those that nest do so no deeper than
// maxDepth.
func blockParsers() []util.PrioritizedValue {
	return []util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(shallow{parser.NewListParser()}, 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
}

// inlineParsers are goldmark's, after one that counts.
func inlineParsers() []util.PrioritizedValue {
	return append(parser.DefaultInlineParsers(), util.Prioritized(marksParser{}, 0))
}

// paragraphTransformers are goldmark's, after one that looks how long the
// paragraph is.
func paragraphTransformers() []util.PrioritizedValue {
	return append(parser.DefaultParagraphTransformers(), util.Prioritized(longReferences{}, 0))
}

// shallow is a parser of blocks that does not open one too deep.
type shallow struct{ parser.BlockParser }

func (p shallow) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, segment := r.PeekLine()
	node, state := p.BlockParser.Open(parent, r, pc)
	if node != nil && tooDeep(pc) {
		exceed(pc, deep(segment.Start))
		return nil, parser.NoChildren
	}
	return node, state
}

// deep is the excess of a block that begins at an offset.
func deep(at int) excess {
	return excess{at, "nesting", fmt.Sprintf("more than %d blocks inside one another", maxDepth), ""}
}

// tooDeep reports whether one more block would be too deep.
func tooDeep(pc parser.Context) bool {
	blocks := pc.OpenedBlocks()
	if len(blocks) < maxDepth {
		return false
	}
	depth := 0
	for _, b := range blocks {
		switch b.Node.(type) {
		case *container, *ast.Blockquote, *ast.List:
			depth++
		}
	}
	return depth >= maxDepth
}

// marksParser counts marks, and makes no more of a paragraph once it has too
// many of them.
type marksParser struct{}

// marks is how many a paragraph of that size has so far.
type marks struct {
	in      ast.Node
	n, size int
}

func (marksParser) Trigger() []byte { return []byte("[!*_~<`") }

func (marksParser) Parse(parent ast.Node, r text.Reader, pc parser.Context) ast.Node {
	m, _ := pc.Get(marksKey).(*marks)
	if m == nil || m.in != parent {
		m = &marks{in: parent, size: length(parent)}
		pc.Set(marksKey, m)
	}
	m.n++
	line, segment := r.PeekLine()
	if bytes.HasPrefix(line, []byte("[^")) {
		notes, _ := pc.Get(notesKey).(int)
		pc.Set(notesKey, notes+1)
		if notes == maxNotes {
			exceed(pc, excess{segment.Start, "size", fmt.Sprintf("more than %d foot-notes", maxNotes), "make several lessons of it"})
		}
	}
	if m.n*m.size > maxMarks { // a mark that is never closed is looked for up to the end
		exceed(pc, excess{segment.Start, "size", fmt.Sprintf("%d kB in one paragraph, with too many marks of links and emphasis", m.size/1000),
			"break it with blank lines, or make a list of it"})
	}
	if excessOf(pc) == nil {
		return nil
	}
	for line != nil {
		r.AdvanceLine()
		line, _ = r.PeekLine()
	}
	return ast.NewString(nil)
}

// length is the number of bytes of a block's text.
func length(block ast.Node) (n int) {
	lines := block.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		n += line.Len()
	}
	return n
}

// longReferences cuts off what would be too many reference definitions.
type longReferences struct{}

func (longReferences) Transform(p *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines := p.Lines()
	if lines.Len() <= maxRefLines {
		return
	}
	first := lines.At(0)
	if !bytes.HasPrefix(util.TrimLeftSpace(first.Value(r.Source())), []byte("[")) {
		return
	}
	exceed(pc, excess{first.Start, "size", fmt.Sprintf("a paragraph of more than %d lines that begins with [", maxRefLines),
		"break it with blank lines"})
	lines.SetSliced(0, 1)
}

// fenceMark returns the run of back-ticks or tildes that begins text, if it is
// long enough for a fence.
func fenceMark(text []byte) []byte {
	for _, c := range []byte("`~") {
		if n := leading(text, c); n >= 3 {
			return text[:n]
		}
	}
	return nil
}

// leading counts the bytes c that begin s.
func leading(s []byte, c byte) int {
	n := 0
	for n < len(s) && s[n] == c {
		n++
	}
	return n
}
