package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
)

// text gives what a reader reads in the nodes: no markup, entities and escapes
// resolved, every run of white space one space.
func (d *Doc) text(nodes ...ast.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		d.writeText(&b, n)
		b.WriteByte(' ')
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (d *Doc) writeText(b *strings.Builder, n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		b.Write(d.plain(n))
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.WriteByte(' ')
		}
		return
	case *ast.String:
		b.Write(n.Value)
		return
	case *ast.AutoLink:
		b.Write(n.Label(d.src))
		return
	case *value:
		b.WriteString(n.text)
		return
	case *ast.RawHTML, *ast.HTMLBlock:
		for _, t := range d.tags[n] {
			if t.live {
				continue
			}
			b.Write(t.text)
			if t.value != nil {
				b.WriteString(t.value.text)
			}
		}
		return
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		b.Write(n.Lines().Value(d.src))
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		d.writeText(b, c)
	}
	if n.Type() == ast.TypeBlock {
		b.WriteByte(' ')
	}
}

// plain gives the characters that a text node stands for.
func (d *Doc) plain(n *ast.Text) []byte {
	value := n.Value(d.src)
	if n.IsRaw() || n.Parent() != nil && n.Parent().Kind() == ast.KindCodeSpan {
		return value
	}
	return unescape(value)
}

// unescape resolves entities and backslash escapes, as rendering does.
func unescape(s []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s)))
}

// firstSentence gives the first sentence of a paragraph's text.
func firstSentence(text string) string {
	for i := range len(text) {
		if strings.IndexByte(".!?", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ') {
			return text[:i+1]
		}
	}
	return text
}
