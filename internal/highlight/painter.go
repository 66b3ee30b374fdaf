package highlight

import (
	"html/template"
	"strings"
	"unicode/utf8"
)

// The theme's classes of code. All else has none.
const keyword, comment, literal = "k", "c", "s"

// ownLexers are for the languages that lessons use most. Each reads the
// code once and assigns every token the class that chroma would assign. It returns
// false if it does not know that class.
var ownLexers = map[string]func(*painter) bool{
	"go": lexGo, "golang": lexGo,
	"json": lexJSON, "jsonl": lexJSON,
	"bash": lexShell, "sh": lexShell, "shell": lexShell, "zsh": lexShell, "ksh": lexShell,
	"python": lexPython, "py": lexPython, "python3": lexPython, "py3": lexPython,
	"js": lexJS, "javascript": lexJS,
	"yaml": lexYAML, "yml": lexYAML,
}

// paintOwn colours code with a lexer of ours, if there is one and it knows how.
func paintOwn(language, code string) (template.HTML, bool) {
	lex := ownLexers[strings.ToLower(language)]
	if lex == nil || strings.Contains(code, "\r") || !utf8.ValidString(code) {
		return "", false
	}
	p := painter{code: code}
	if !lex(&p) {
		return "", false
	}
	return p.html(), true
}

// painter writes code as HTML. Neighbours of the same class share a span.
type painter struct {
	code string
	at   int // what was painted so far

	out   strings.Builder
	class string
	from  int // where the run of class begins
}

// paint returns the code up to end a class.
func (p *painter) paint(class string, end int) {
	if class != p.class {
		p.flush()
		p.class = class
	}
	p.at = end
}

func (p *painter) flush() {
	if p.from == p.at {
		return
	}
	text := template.HTMLEscapeString(p.code[p.from:p.at])
	if p.class == "" {
		p.out.WriteString(text)
	} else {
		p.out.WriteString(`<span class="` + p.class + `">` + text + `</span>`)
	}
	p.from = p.at
}

// html ends the painting.
func (p *painter) html() template.HTML {
	p.flush()
	return template.HTML(p.out.String())
}

// rest is what is still to be painted.
func (p *painter) rest() string { return p.code[p.at:] }

// end is where a run of bytes that fit ends; it begins after skip bytes.
func (p *painter) end(skip int, fits func(byte) bool) int {
	i := p.at + skip
	for i < len(p.code) && fits(p.code[i]) {
		i++
	}
	return i
}

// lineEnd is where the line ends, before its line feed.
func (p *painter) lineEnd() int {
	if i := strings.IndexByte(p.rest(), '\n'); i >= 0 {
		return p.at + i
	}
	return len(p.code)
}

// quotedEnd is where the text ends that begins with the quotation mark at i,
// and in which a backslash escapes the next character; 0 if it does not end.
func (p *painter) quotedEnd(i int) int {
	for mark, j := p.code[i], i+1; j < len(p.code); j++ {
		switch p.code[j] {
		case '\\':
			j++
		case mark:
			return j + 1
		}
	}
	return 0
}

// byteAt returns the byte at i, or 0 outside of the code.
func (p *painter) byteAt(i int) byte {
	if i < 0 || i >= len(p.code) {
		return 0
	}
	return p.code[i]
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// isWord reports whether a byte is part of a name. A byte of a longer character counts:
// lexers give up there.
func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c >= utf8.RuneSelf }

// words makes a set.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}
