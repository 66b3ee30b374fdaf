package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"

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
	return oneLine(b.String())
}

// oneLine makes every run of white space one space, and none at either end.
func oneLine(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= utf8.RuneSelf: // there are spaces beyond ASCII
			return strings.Join(strings.Fields(s), " ")
		case !isSpace(c):
			out = append(out, c)
		case len(out) > 0 && out[len(out)-1] != ' ':
			out = append(out, ' ')
		}
	}
	return string(bytes.TrimSuffix(out, []byte(" ")))
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
	if bytes.IndexByte(s, '&') < 0 && bytes.IndexByte(s, '\\') < 0 {
		return s
	}
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
