package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// text returns what a reader reads in the nodes: no markup, entities and escapes
// resolved, every run of white space one space.
func (d *Doc) text(nodes ...ast.Node) string {
	var b line
	for _, n := range nodes {
		d.writeText(&b, n)
		b.space()
	}
	return b.text()
}

// unstruck returns text without what is struck through, in Markdown or in HTML.
func (d *Doc) unstruck(nodes ...ast.Node) string {
	b := line{dropsStruck: true}
	for _, n := range nodes {
		d.writeText(&b, n)
		b.space()
	}
	return b.text()
}

// struck are the elements of HTML whose text is struck through.
var struck = map[string]bool{"del": true}

// line is text in which every run of white space is one space.
type line struct {
	out  []byte
	wide bool // there are characters beyond ASCII, some of which are spaces

	dropsStruck bool
	struck      int // how many elements around this place strike their text through

	notesValues bool // elements that end a line or a cell are a space, too
	values      []shownValue
}

func (l *line) write(s []byte) {
	if l.struck > 0 {
		return
	}
	for i := 0; i < len(s); {
		if isSpace(s[i]) {
			l.space()
			i++
			continue
		}
		from, all := i, byte(0)
		for ; i < len(s) && !isSpace(s[i]); i++ {
			all |= s[i]
		}
		l.wide = l.wide || all >= utf8.RuneSelf
		l.out = append(l.out, s[from:i]...)
	}
}

// writeValue writes a value, and notes where it is if it is a recorded one.
func (l *line) writeValue(v *value) {
	from := len(l.out)
	l.write([]byte(v.text))
	if l.notesValues && v.known {
		l.values = append(l.values, shownValue{v, from, len(l.out)})
	}
}

// strike notes the start or the end of an element that strikes text through.
func (l *line) strike(ends bool) {
	if ends {
		l.struck = max(0, l.struck-1)
		return
	}
	l.struck++
}

func (l *line) space() {
	if n := len(l.out); n > 0 && l.out[n-1] != ' ' {
		l.out = append(l.out, ' ')
	}
}

// text returns the line, without white space at either end.
func (l *line) text() string { return string(l.trimmed()) }

// trimmed is text in the line's own memory, until the next reset.
func (l *line) trimmed() []byte {
	if l.wide {
		return bytes.Join(bytes.Fields(l.out), []byte(" "))
	}
	return bytes.TrimSuffix(l.out, []byte(" "))
}

func (l *line) reset() { *l = line{out: l.out[:0]} }

func (d *Doc) writeText(b *line, n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		b.write(d.plain(n))
		if n.SoftLineBreak() || n.HardLineBreak() {
			b.space()
		}
		return
	case *ast.String:
		b.write(n.Value)
		return
	case *ast.AutoLink:
		b.write(n.Label(d.src))
		return
	case *value:
		b.writeValue(n)
		return
	case *east.Strikethrough:
		if b.dropsStruck {
			return
		}
	case *ast.RawHTML, *ast.HTMLBlock:
		for _, t := range d.tags[n] {
			if b.dropsStruck && t.live && struck[t.name] {
				b.strike(t.close)
			}
			if t.live {
				b.write([]byte(t.alt()))
				if b.notesValues && elements[t.name].breaks {
					b.space()
				}
				continue
			}
			b.write(t.text)
			if t.value != nil {
				b.writeValue(t.value)
			}
		}
		return
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		b.write(n.Lines().Value(d.src))
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		d.writeText(b, c)
	}
	if n.Type() == ast.TypeBlock {
		b.space()
	}
}

// plain returns the characters of a text node.
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

// firstSentence returns the first sentence of a paragraph's text.
func firstSentence(text string) string {
	for i := range len(text) {
		if strings.IndexByte(".!?", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ') {
			return text[:i+1]
		}
	}
	return text
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
