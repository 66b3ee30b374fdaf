package markdown

import (
	"bytes"
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// checkDangling warns about what Markdown shows as it is written, or drops,
// because its other half is missing: references and foot-notes that nothing
// defines, foot-notes that nothing uses, cells beyond a table's header.
func (d linter) checkDangling() {
	walk(d.root, func(n ast.Node) {
		if table, ok := n.(*east.Table); ok {
			d.checkCells(table)
		}
		if first := n.FirstChild(); first != nil && first.Type() == ast.TypeInline && n.Kind() != ast.KindCodeSpan {
			d.checkReferences(n)
		}
	})
	for _, note := range d.notes {
		if note.node.Parent() == nil { // goldmark takes out what has no reference
			d.warn(note.at, "reference", "the foot-note [^%s] is used nowhere, so no page shows it", note.node.Ref)
		}
	}
}

// What looks like a reference and is none: [^note], [text][label] and [label][].
var (
	noteReference = regexp.MustCompile(`\[\^([^\[\]\s]+)\]`)
	linkReference = regexp.MustCompile(`\[([^\[\]]+)\]\[([^\[\]]*)\]`)
)

// checkReferences looks at the text that is directly in n. Had a reference a
// definition, it would be a node and no text.
func (d linter) checkReferences(n ast.Node) {
	children := childrenOf(n)
	brackets := 0
	raw, at := htmlReader(d).join(len(children), func(i int) (int, []byte) {
		t, ok := children[i].(*ast.Text)
		if !ok {
			return 0, []byte("\uFFFC") // some other inline
		}
		value := t.Value(d.src)
		brackets += bytes.Count(value, []byte("["))
		if t.SoftLineBreak() || t.HardLineBreak() {
			value = append(bytes.Clone(value), '\n')
		}
		return t.Segment.Start, value
	})
	if brackets == 0 {
		return
	}
	for _, m := range noteReference.FindAllSubmatchIndex(raw, -1) {
		if !escaped(raw, m[0]) {
			d.warn(at(m[0]), "reference", "nothing defines the foot-note %s, so it is shown as it is written", raw[m[0]:m[1]])
		}
	}
	for _, m := range linkReference.FindAllSubmatchIndex(raw, -1) {
		before, _ := utf8.DecodeLastRune(raw[:m[0]])
		if escaped(raw, m[0]) || unicode.IsLetter(before) || unicode.IsNumber(before) || before == ']' || before == ')' {
			continue // a[i][j]
		}
		label := raw[m[4]:m[5]]
		if len(label) == 0 {
			label = raw[m[2]:m[3]]
		}
		d.warn(at(m[0]), "reference", "nothing defines [%s], so this reference is shown as it is written", line1(label))
	}
}

// line1 is a label in one line.
func line1(label []byte) []byte { return bytes.Join(bytes.Fields(label), []byte(" ")) }

// escaped reports whether the byte at an offset is behind a backslash that is
// not escaped itself.
func escaped(s []byte, at int) bool {
	n := 0
	for at-n > 0 && s[at-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}

// checkCells warns about cells of a row that no column is for.
func (d linter) checkCells(table *east.Table) {
	columns := len(table.Alignments)
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		if row.Kind() != east.KindTableRow || row.Pos() < 0 {
			continue
		}
		start := row.Pos()
		line := d.src[start:d.lineAfter(start)]
		if at, extra := cellsBeyond(line, columns); extra > 0 {
			d.warn(start+at, "table", "the row has more cells than the header (%d), and no page shows them; a | that belongs to the text is written \\|", columns+extra)
		}
	}
}

// cellsBeyond counts the cells of a row, as goldmark does, and returns where the
// first one begins that is beyond the columns, and how many there are.
func cellsBeyond(line []byte, columns int) (at, extra int) {
	end := len(bytes.TrimRight(line, " \t\r\n"))
	i := len(line) - len(bytes.TrimLeft(line, " \t"))
	if i < end && line[i] == '|' {
		i++
	}
	if i < end && line[end-1] == '|' {
		end--
	}
	for cell := 0; i < end; cell++ {
		if cell == columns {
			at = i
		}
		if cell >= columns {
			extra++
		}
		for i < end && (line[i] != '|' || line[i-1] == '\\') {
			i++
		}
		i++
	}
	return at, extra
}

// definition is a foot-note's definition, and where it is.
type definition struct {
	node *east.Footnote
	at   int
}

// noteParser is goldmark's parser of definitions of foot-notes, and remembers
// them.
type noteParser struct{ parser.BlockParser }

func newNoteParser() parser.BlockParser { return noteParser{extension.NewFootnoteBlockParser()} }

func (p noteParser) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	_, segment := r.PeekLine()
	at := segment.Start - segment.Padding + max(pc.BlockOffset(), 0)
	node, state := p.BlockParser.Open(parent, r, pc)
	if note, ok := node.(*east.Footnote); ok {
		d := docOf(pc)
		d.notes = append(d.notes, definition{note, at})
	}
	return node, state
}
