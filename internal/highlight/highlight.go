// Package highlight colours code for pages: it wraps keywords, comments and literals in
// spans with a class. Lexers of its own handle the languages that lessons use most,
// because chroma, which handles all others, takes four times as long as the rest of a
// build: 6,000 pages of redis/docs take 1.7 s with goldmark alone and 12.5 s with
// chroma on every fence.
package highlight

import (
	"crypto/sha256"
	"html/template"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"verbatim/internal/problem"
)

// maxHighlight is the size in bytes above which code stays plain: lexers take
// their time.
const maxHighlight = 256 << 10

// Highlighter colours code by classes: k for keywords, c for comments, s for
// literals. It colours the same code once, for as long as it lives, and may be
// used by several goroutines. The zero Highlighter is ready.
type Highlighter struct {
	done   sync.Map // digest of language and code → template.HTML
	lexers sync.Map // language → chroma.Lexer; chroma looks through all of its own each time
}

// HTML returns code with its tokens in spans, and controls of the writing
// direction as escapes. An unknown language, or "", is
// plain text.
func (h *Highlighter) HTML(language, code string) template.HTML {
	code = problem.VisibleDirections(code)
	if language == "" || len(code) > maxHighlight {
		return escape(code)
	}
	key := sha256.Sum256([]byte(language + "\x00" + code))
	if html, ok := h.done.Load(key); ok {
		return html.(template.HTML)
	}
	html := h.highlight(language, code)
	h.done.Store(key, html)
	return html
}

func escape(s string) template.HTML { return template.HTML(template.HTMLEscapeString(s)) }

// highlight asks our own lexer, which goes through the code once, and chroma
// where there is none or where it gives up.
func (h *Highlighter) highlight(language, code string) template.HTML {
	if html, ok := paintOwn(language, code); ok {
		return html
	}
	lexer := h.lexer(language)
	if lexer == nil {
		return escape(code)
	}
	iterator, err := lexer.Tokenise(nil, code)
	if err != nil {
		return escape(code)
	}
	p := painter{code: code}
	for token := iterator(); token != chroma.EOF; token = iterator() {
		end := p.at + len(token.Value)
		if end > len(code) || code[p.at:end] != token.Value {
			return escape(code) // a lexer may add a line end, or lose what it does not know
		}
		p.paint(classOf(token.Type), end)
	}
	if p.at < len(code) {
		return escape(code)
	}
	return p.html()
}

// maxLanguage bounds a language's name, in bytes. chroma matches an unknown
// name with the patterns of all file names, which takes seconds for 2,000 letters.
const maxLanguage = 64

// lexer returns chroma's lexer for a language, or nil.
func (h *Highlighter) lexer(language string) chroma.Lexer {
	if known, ok := h.lexers.Load(language); ok {
		lexer, _ := known.(chroma.Lexer)
		return lexer
	}
	var lexer chroma.Lexer
	if len(language) <= maxLanguage {
		lexer = lexers.Get(language)
	}
	h.lexers.Store(language, lexer)
	return lexer
}

// classOf maps chroma's many token types to the theme's three classes.
func classOf(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Keyword), t == chroma.NameBuiltin, t == chroma.OperatorWord:
		return keyword
	case t.InCategory(chroma.Comment) && t != chroma.CommentPreproc:
		return comment
	case t.InCategory(chroma.Literal):
		return literal
	}
	return ""
}
