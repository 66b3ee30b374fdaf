package highlight

import "regexp"

// jsonNumber is a number without its sign.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$`)

// jsonLexer knows where in the values it is: a stack of the brackets that are
// open, and what an object is to hold next.
type jsonLexer struct {
	*painter
	open []byte
	next jsonPart
}

type jsonPart int

const (
	jsonValue jsonPart = iota // or what comes after one
	jsonName
	jsonColon
)

// lexJSON paints JSON, one value or several.
func lexJSON(p *painter) bool {
	l := jsonLexer{painter: p}
	for p.at < len(p.code) {
		if c := p.code[p.at]; isSpace(c) {
			p.paint("", p.end(1, isSpace))
		} else if !l.token(c) {
			return false
		}
	}
	return true
}

func (l *jsonLexer) token(c byte) bool {
	switch {
	case c == '"' && l.next != jsonColon:
		return l.text()
	case c == '}' && l.next == jsonName, (c == '}' || c == ']') && l.next == jsonValue:
		return l.close(c)
	case l.next == jsonName:
		return false
	case l.next == jsonColon:
		l.next = jsonValue
		return c == ':' && l.mark()
	case c == '{':
		l.open, l.next = append(l.open, c), jsonName
		return l.mark()
	case c == '[':
		l.open = append(l.open, c)
		return l.mark()
	case c == ',' && len(l.open) > 0:
		if l.open[len(l.open)-1] == '{' {
			l.next = jsonName
		}
		return l.mark()
	case isLetter(c):
		return l.constant()
	}
	return l.number()
}

// mark paints a bracket, a comma or a colon.
func (l *jsonLexer) mark() bool {
	l.paint("", l.at+1)
	return true
}

func (l *jsonLexer) close(c byte) bool {
	if len(l.open) == 0 || l.open[len(l.open)-1] != c-2 { // in ASCII { and }, [ and ] are two apart
		return false
	}
	l.open, l.next = l.open[:len(l.open)-1], jsonValue
	return l.mark()
}

func (l *jsonLexer) text() bool {
	end := l.quotedEnd(l.at)
	if end == 0 {
		return false
	}
	if l.next == jsonName {
		l.next = jsonColon
		l.paint("", end)
		return true
	}
	l.paint(literal, end)
	return true
}

func (l *jsonLexer) constant() bool {
	end := l.end(1, isWord)
	switch l.code[l.at:end] {
	case "true", "false", "null":
		l.paint(keyword, end)
		return true
	}
	return false
}

func (l *jsonLexer) number() bool {
	end := l.end(0, func(c byte) bool { return isWord(c) || c == '+' || c == '-' || c == '.' })
	if !jsonNumber.MatchString(l.code[l.at:end]) {
		return false
	}
	l.paint(literal, end)
	return true
}
