package highlight

import (
	"strings"
	"unicode/utf8"
)

var (
	shellKeywords = words("if fi else while do done for then return function case select continue until esac elif")
	shellBuiltins = words(`alias bg bind break builtin caller cd command compgen complete declare dirs disown echo
		enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout popd printf
		pushd pwd read readonly set shift shopt source suspend test time times trap true type typeset ulimit umask
		unalias unset wait`)
)

// shellLexer knows what it is in: '(' for $(, '{' for ${, '`' and '"'.
type shellLexer struct {
	*painter
	in []byte
}

// lexShell paints shell scripts. Here-documents and arithmetic are chroma's.
func lexShell(p *painter) bool {
	l := shellLexer{painter: p}
	if strings.HasPrefix(p.code, "#!") {
		if end := p.lineEnd(); end > 2 && end < len(p.code) {
			p.paint("", end+1)
		}
	}
	for p.at < len(p.code) {
		if !l.token() {
			return false
		}
	}
	return true
}

func (l *shellLexer) where() byte {
	if len(l.in) == 0 {
		return 0
	}
	return l.in[len(l.in)-1]
}

func (l *shellLexer) push(class string, size int, in byte) bool {
	l.paint(class, l.at+size)
	l.in = append(l.in, in)
	return true
}

func (l *shellLexer) pop(class string) bool {
	l.paint(class, l.at+1)
	l.in = l.in[:len(l.in)-1]
	return true
}

func (l *shellLexer) token() bool {
	c := l.code[l.at]
	switch where := l.where(); {
	case where == '"':
		return l.inText(c)
	case where == '{' && (c == '}' || c != '"' && c != '\'' && c != '`' && c != '$' && c != '\\'):
		return l.inBraces(c)
	case where == '(' && c == ')':
		return l.pop(keyword)
	case where == '`' && c == '`':
		return l.pop(literal)
	case c == '`':
		return l.push(literal, 1, '`')
	}
	switch {
	case isSpace(c):
		l.paint("", l.end(1, isSpace))
	case c == '#':
		l.paint(comment, l.lineEnd())
	case c == '\\':
		return l.escaped()
	case c == '\'':
		return l.quoted(l.at)
	case c == '"':
		return l.text()
	case c == '$':
		return l.dollar()
	case c == '<':
		if strings.HasPrefix(l.rest(), "<<") && !strings.HasPrefix(l.rest(), "<<<") {
			return false
		}
		l.paint("", l.end(1, func(c byte) bool { return c == '<' }))
	case strings.IndexByte("[]{}()=;&|", c) >= 0:
		l.paint("", l.at+1)
	default:
		return l.word()
	}
	return true
}

// inText goes on in text in double quotation marks that holds a $.
func (l *shellLexer) inText(c byte) bool {
	switch c {
	case '"':
		return l.pop(literal)
	case '$':
		return l.dollar()
	case '\\':
		return l.escaped()
	}
	l.paint(literal, l.end(1, func(c byte) bool { return c != '"' && c != '$' && c != '\\' }))
	return true
}

// inBraces goes on in ${…}.
func (l *shellLexer) inBraces(c byte) bool {
	switch {
	case c == '}':
		return l.pop(literal)
	case strings.HasPrefix(l.rest(), ":-"):
		l.paint(keyword, l.at+2)
	case c >= utf8.RuneSelf:
		return false
	default:
		l.paint("", l.at+1)
	}
	return true
}

func (l *shellLexer) escaped() bool {
	if l.at+1 >= len(l.code) {
		return false
	}
	_, size := utf8.DecodeRuneInString(l.code[l.at+1:])
	l.paint(literal, l.at+1+size)
	return true
}

// quoted paints text in single quotation marks, in which nothing is special.
func (l *shellLexer) quoted(from int) bool {
	i := strings.IndexByte(l.code[from+1:], '\'')
	if i < 0 {
		return false
	}
	l.paint(literal, from+1+i+1)
	return true
}

// text paints text in double quotation marks, or its beginning if it holds
// anything that is not literal.
func (l *shellLexer) text() bool {
	end := l.quotedEnd(l.at)
	if end == 0 {
		return false
	}
	if !strings.Contains(l.code[l.at:end], "$") {
		l.paint(literal, end)
		return true
	}
	return l.push(literal, 1, '"')
}

// dollar paints what begins with $.
func (l *shellLexer) dollar() bool {
	rest := l.rest()
	switch next := l.byteAt(l.at + 1); {
	case strings.HasPrefix(rest, "$(("), strings.HasPrefix(rest, "$'") && l.where() != '"', strings.HasPrefix(rest, `$"`) && l.where() != '"':
		return false
	case next == '(':
		return l.push(keyword, 2, '(')
	case strings.HasPrefix(rest, "${#"):
		return l.push(literal, 3, '{')
	case next == '{':
		return l.push(literal, 2, '{')
	case next >= utf8.RuneSelf:
		return false
	case isLetter(next):
		end := l.end(2, isWord)
		if !ascii(l.code[l.at:end]) {
			return false
		}
		l.paint("", end)
	case isDigit(next):
		l.paint("", l.end(2, isDigit))
	case next != 0 && strings.IndexByte("#$?!_*@-", next) >= 0:
		l.paint("", l.at+2)
	default:
		l.paint("", l.at+1)
	}
	return true
}

// word paints a name, a number or whatever else has no meaning to the shell.
func (l *shellLexer) word() bool {
	end := l.end(1, func(c byte) bool {
		return !isSpace(c) && strings.IndexByte("=[]{}()$\"'`\\<&|;", c) < 0
	})
	if !ascii(l.code[l.at:end]) {
		return false
	}
	name := l.code[l.at:min(end, l.end(0, isWord))]
	after := l.at + len(name)
	next := l.byteAt(after)
	switch begins := !isWord(l.byteAt(l.at - 1)); {
	case name == "" || !begins:
	case shellKeywords[name]:
		l.paint(keyword, after)
		return true
	case shellBuiltins[name] && (isSpace(next) || next == ')' || next == '`'):
		l.paint(keyword, after)
		return true
	case l.assigns(after):
		l.paint("", after)
		return true
	}
	if digits := l.end(0, isDigit); digits > l.at && (l.byteAt(digits) == ' ' || l.byteAt(digits) == '\n' || digits == len(l.code)) {
		l.paint(literal, digits)
		return true
	}
	l.paint("", end)
	return true
}

// assigns reports whether = or += follows what ends at i.
func (l *shellLexer) assigns(i int) bool {
	rest := strings.TrimLeft(l.code[i:], " \t\n\v\f\r")
	return strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "+=")
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
