package markdown

import (
	"html/template"

	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"verbatim/internal/lesson"
)

// quoteScheme begins the destination of a link whose text is a quotation.
const quoteScheme = "quote:"

// quoteLike reports whether a link's scheme is meant as that of a quotation.
func quoteLike(scheme string) bool {
	word := strings.TrimSuffix(quoteScheme, ":")
	scheme = strings.ToLower(strings.TrimSpace(scheme))
	return scheme == word || oneEdit(scheme, word)
}

var inlineQuoteKind = ast.NewNodeKind("InlineQuote")

// inlineQuote replaces a link [quoted words](quote:source).
type inlineQuote struct {
	ast.BaseInline
	fact lesson.InlineQuote
}

func (q *inlineQuote) Kind() ast.NodeKind         { return inlineQuoteKind }
func (q *inlineQuote) Dump(src []byte, level int) { ast.DumpHelper(q, src, level, nil, nil) }

// readInlineQuote notes the quotation that a link is, or reports false.
func (d blockReader) readInlineQuote(n ast.Node) (*inlineQuote, bool) {
	link, ok := n.(*ast.Link)
	if !ok {
		return nil, false
	}
	source, ok := strings.CutPrefix(string(unescape(link.Destination)), quoteScheme)
	if !ok {
		return nil, false
	}
	containerReader(d).checkQuoted(link)
	containerReader(d).checkAround(link)
	fact := lesson.InlineQuote{Quote: lesson.Quote{Pos: d.at(n), Text: unquote(d.text(n))}, Source: source}
	d.Body.Quotes = append(d.Body.Quotes, fact)
	q := &inlineQuote{fact: fact}
	d.quoted = append(d.quoted, q)
	return q, true
}

// replace replaces a link by a quotation with the same content.
func (q *inlineQuote) replace(link ast.Node) {
	for _, c := range childrenOf(link) {
		q.AppendChild(q, c)
	}
	link.Parent().ReplaceChild(link.Parent(), link, q)
}

func (dr *drawing) drawInlineQuote(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	q := n.(*inlineQuote)
	// As with block quotes, the theme sets the marks.
	words := template.HTML(template.HTMLEscapeString(q.fact.Text))
	if dr.d.text(n) == q.fact.Text {
		words = dr.html(childrenOf(n)...)
	}
	return write(w)(dr.theme.InlineQuote(q.fact, words))
}
