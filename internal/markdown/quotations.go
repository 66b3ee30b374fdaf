package markdown

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"verbatim/internal/lesson"
)

// liftQuotes notes every block quote below a source, at any depth, as its
// quotations. Those that are in a list or a note move to the source itself,
// which shows all that it quotes in one form, each with its proof.
func (d containerReader) liftQuotes(c *container) {
	for _, quote := range quotesBelow(c, c) {
		d.readQuotes(c, quote)
		if quote.Parent() != ast.Node(c) {
			remove(quote, c)
			c.AppendChild(c, quote)
		}
	}
}

// quotesBelow returns the outermost block quotes below n that belong to the
// source c and to no source inside it.
func quotesBelow(n ast.Node, c *container) (quotes []ast.Node) {
	for _, child := range childrenOf(n) {
		inner, isContainer := child.(*container)
		switch {
		case child.Kind() == ast.KindBlockquote:
			quotes = append(quotes, child)
		case isContainer && inner.fact.Kind == c.fact.Kind:
		default:
			quotes = append(quotes, quotesBelow(child, c)...)
		}
	}
	return quotes
}

// remove takes a node out of the tree, and every item and list around it, up to
// the container, that holds nothing else.
func remove(n ast.Node, c *container) {
	for n != ast.Node(c) {
		parent := n.Parent()
		parent.RemoveChild(parent, n)
		if parent.HasChildren() || parent.Kind() != ast.KindListItem && parent.Kind() != ast.KindList {
			return
		}
		n = parent
	}
}

// altering are the elements that change what the words in them say.
var altering = map[string]bool{"del": true, "ins": true, "sub": true, "sup": true}

// noteAltering counts the elements around what follows in the document that
// would change what a quotation says.
func (d containerReader) noteAltering(n ast.Node) {
	if n.Kind() == ast.KindBlockquote && d.around > 0 {
		d.altered[n] = true
	}
	for _, t := range d.tags[n] {
		switch {
		case !t.live || !altering[t.name]:
		case t.close:
			d.around--
		default:
			d.around++
		}
	}
}

// checkAround complains about a quotation within <del> or ~~.
func (d containerReader) checkAround(n ast.Node) {
	altered := d.altered[n] || n.Kind() == ast.KindLink && d.around > 0
	for p := n.Parent(); p != nil && p.Type() == ast.TypeInline; p = p.Parent() {
		altered = altered || p.Kind() == east.KindStrikethrough
	}
	if altered {
		d.fail(d.place(n), "source", "take the markup around it away", "a quotation cannot be struck, inserted, raised or lowered")
	}
}

// readQuotes notes the paragraphs of a block quote, and of those inside it.
func (d containerReader) readQuotes(c *container, quote ast.Node) {
	d.checkAround(quote)
	for _, n := range childrenOf(quote) {
		switch n.Kind() {
		case ast.KindBlockquote:
			d.readQuotes(c, n)
			continue
		case ast.KindParagraph, ast.KindTextBlock:
			d.checkQuoted(n)
			d.quoted = append(d.quoted, n)
		default:
			what, hint := quotedBlock(n)
			d.fail(d.place(n), "source", hint, "a quotation cannot hold %s", what)
		}
		c.parts.quotes = append(c.parts.quotes, n)
		c.fact.Quotes = append(c.fact.Quotes, lesson.Quote{Pos: d.at(n), Text: unquote(d.text(n))})
	}
}

// quotedBlock names a block that is no paragraph, and what to write instead.
func quotedBlock(n ast.Node) (what, hint string) {
	switch n.Kind() {
	case ast.KindList:
		return "a list", "quote each item in a paragraph of its own"
	case ast.KindFencedCodeBlock, ast.KindCodeBlock:
		return "a block of code", "quote it in a paragraph, as `code`"
	case ast.KindHeading:
		return "a heading", "leave the # out"
	case ast.KindHTMLBlock:
		return "HTML", "leave the tags out"
	case east.KindTable:
		return "a table", "quote each cell in a paragraph of its own"
	}
	return "anything but paragraphs", "leave it out, or move it out of the block quote"
}

// checkQuoted allows in a quotation the markup that changes no word of it, which
// is emphasis, code and links: struck words, superscripts and the like would say
// something that the page does not say.
func (d containerReader) checkQuoted(quotation ast.Node) {
	walk(quotation, func(n ast.Node) {
		if what := quotedInline(n); what != "" {
			d.fail(d.place(n), "source", "leave the markup out: a quotation may have emphasis, code and links only", "a quotation cannot hold %s", what)
		}
	})
}

// quotedInline names an inline node that a quotation cannot hold, or returns "".
func quotedInline(n ast.Node) string {
	switch n.Kind() {
	case ast.KindText, ast.KindString, ast.KindEmphasis, ast.KindCodeSpan, ast.KindLink, ast.KindAutoLink:
		return ""
	case ast.KindRawHTML:
		return "HTML"
	case ast.KindImage:
		return "an image"
	case east.KindStrikethrough:
		return "struck text"
	case east.KindFootnoteLink:
		return "a foot-note"
	case inlineQuoteKind:
		return "another quotation"
	case valueKind:
		return "a recorded value"
	}
	return "this markup"
}

// place finds where a node begins, also one that does not know it: that is where
// the text before it ends.
func (d *Doc) place(n ast.Node) int {
	if tags := d.tags[n]; len(tags) > 0 {
		return tags[0].at
	}
	if at := offset(n); at > 0 {
		return at
	}
	for before := n.PreviousSibling(); before != nil; before = before.PreviousSibling() {
		if t, ok := before.(*ast.Text); ok {
			return t.Segment.Stop
		}
	}
	if p := n.Parent(); p != nil {
		return d.place(p)
	}
	return 0
}
