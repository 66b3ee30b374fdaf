package markdown

import (
	"html/template"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// maxHighlight is the size in bytes above which code stays plain: lexers take
// their time.
const maxHighlight = 256 << 10

// Highlighter colours code by classes: k for keywords, c for comments, s for
// literals. It colours the same code once, for as long as it lives, and may be
// used by several goroutines. The zero Highlighter is ready.
type Highlighter struct{ done sync.Map }

// HTML gives code with its tokens in spans. An unknown language, or "", is
// plain text.
func (h *Highlighter) HTML(language, code string) template.HTML {
	if language == "" || len(code) > maxHighlight {
		return escape(code)
	}
	key := [2]string{language, code}
	if html, ok := h.done.Load(key); ok {
		return html.(template.HTML)
	}
	html := highlight(language, code)
	h.done.Store(key, html)
	return html
}

func escape(s string) template.HTML { return template.HTML(template.HTMLEscapeString(s)) }

func highlight(language, code string) template.HTML {
	lexer := lexers.Get(language)
	if lexer == nil {
		return escape(code)
	}
	iterator, err := lexer.Tokenise(nil, code)
	if err != nil {
		return escape(code)
	}
	var out, run, seen strings.Builder
	class := ""
	flush := func() {
		if run.Len() > 0 && class != "" {
			out.WriteString(`<span class="` + class + `">` + template.HTMLEscapeString(run.String()) + `</span>`)
		} else {
			out.WriteString(template.HTMLEscapeString(run.String()))
		}
		run.Reset()
	}
	for token := iterator(); token != chroma.EOF; token = iterator() {
		if c := classOf(token.Type); c != class {
			flush()
			class = c
		}
		run.WriteString(token.Value)
		seen.WriteString(token.Value)
	}
	flush()
	if seen.String() != code { // a lexer may add a line end, or lose what it does not know
		return escape(code)
	}
	return template.HTML(out.String())
}

// classOf maps chroma's many token types to the theme's three classes.
func classOf(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Keyword), t == chroma.NameBuiltin, t == chroma.OperatorWord:
		return "k"
	case t.InCategory(chroma.Comment) && t != chroma.CommentPreproc:
		return "c"
	case t.InCategory(chroma.Literal):
		return "s"
	}
	return ""
}
