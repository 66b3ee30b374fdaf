package highlight

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	goKeywords = words(`import package var func struct map chan type interface const break default select case
		defer go else goto switch fallthrough if range continue for return true false iota nil`)
	goTypes = words(`uint uint8 uint16 uint32 uint64 int int8 int16 int32 int64 float float32 float64 complex64
		complex128 byte rune string bool error uintptr any`)
	goBuiltins = words(`print println panic recover close complex real imag len cap append copy delete new make
		clear min max`)  // where they are called

	goNumber = regexp.MustCompile(`^(0[xX][0-9a-fA-F_]+|0b[01_]+|[0-9][0-9_]*(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?)`)
)

// lexGo paints Go.
func lexGo(p *painter) bool {
	for p.at < len(p.code) {
		c := p.code[p.at]
		switch {
		case isSpace(c):
			p.paint("", p.end(1, isSpace))
		case strings.HasPrefix(p.rest(), "//"):
			if !p.goLineComment() {
				return false
			}
		case strings.HasPrefix(p.rest(), "/*"):
			end := strings.Index(p.code[p.at+2:], "*/")
			if end < 0 || strings.Contains(p.code[p.at:p.at+2+end], "*\\\n") {
				return false
			}
			p.paint(comment, p.at+2+end+2)
		case isLetter(c):
			if !p.goName() {
				return false
			}
		case c == '"' || c == '\'' || c == '`':
			if !p.goText(c) {
				return false
			}
		case isDigit(c), c == '.' && isDigit(p.byteAt(p.at+1)):
			if !p.goNumber() {
				return false
			}
		case strings.IndexByte("+-*/%&|<>=!:.,;()[]{}^~", c) >= 0:
			p.paint("", p.at+1)
		default:
			return false
		}
	}
	return true
}

// goLineComment: a comment without a space is a directive to chroma.
func (p *painter) goLineComment() bool {
	end, class := p.lineEnd(), comment
	if next := p.byteAt(p.at + 2); p.at+2 < end && !isSpace(next) {
		if next >= utf8.RuneSelf {
			return false // may be another kind of space
		}
		class = ""
	}
	p.paint(class, end)
	return true
}

func (p *painter) goName() bool {
	end := p.end(1, isWord)
	name := p.code[p.at:end]
	if !ascii(name) {
		return false
	}
	class := ""
	if goKeywords[name] || goTypes[name] || goBuiltins[name] && p.byteAt(end) == '(' {
		class = keyword
	}
	p.paint(class, end)
	return true
}

func (p *painter) goText(mark byte) bool {
	end := 0
	switch mark {
	case '`':
		if i := strings.IndexByte(p.code[p.at+1:], mark); i >= 0 {
			end = p.at + 1 + i + 1
		}
		if end > 0 && strings.Contains(p.code[p.at:end], "{{") {
			return false // a template in it has colours of its own
		}
	case '"':
		end = p.quotedEnd(p.at)
	case '\'':
		if next, size := utf8.DecodeRuneInString(p.code[p.at+1:]); next != '\\' && p.byteAt(p.at+1+size) != mark {
			p.paint("", p.at+1) // no character: the mark means nothing
			return true
		}
		end = p.quotedEnd(p.at)
		if _, err := strconv.Unquote(p.code[p.at:max(p.at, end)]); err != nil || end == p.at+2 {
			return false
		}
	}
	if end == 0 {
		return false
	}
	p.paint(literal, end)
	return true
}

func (p *painter) goNumber() bool {
	number := goNumber.FindString(p.rest())
	end := p.at + len(number)
	if number == "" || isWord(p.byteAt(end)) || strings.HasPrefix(number, "0_") || strings.HasSuffix(number, "_") {
		return false
	}
	p.paint(literal, end)
	return true
}
