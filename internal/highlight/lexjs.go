package highlight

import (
	"strings"
	"unicode/utf8"
)

var (
	jsBeforeRegexp = words("for in while do break return continue switch case default if else throw try catch finally new delete typeof instanceof void yield this of " +
		"var let with function")
	jsKeywords = words("abstract async await boolean byte char class const debugger double enum export extends final float goto implements import int interface long native " +
		"package private protected public short static super synchronized throws transient using volatile true false null NaN Infinity undefined " +
		"Array Boolean Date Error Function Math netscape Number Object Packages RegExp String Promise Proxy sun decodeURI decodeURIComponent encodeURI " +
		"encodeURIComponent eval isFinite isNaN isSafeInteger parseFloat parseInt document window")
)

// jsLexer knows whether a slash begins a regular expression here, and how many
// templates are open around this expression.
type jsLexer struct {
	*painter
	regexp    bool
	templates int
}

// lexJS paints JavaScript. Where a slash begins a regular expression is a guess,
// and it is chroma's: behind operators, some brackets and keywords, and at the
// beginning of a line.
func lexJS(p *painter) bool {
	if !strings.HasSuffix(p.code, "\n") { // chroma adds one
		return false
	}
	l := jsLexer{painter: p}
	for p.at < len(p.code) {
		c := p.code[p.at]
		if !l.regexp && (p.at == 0 || p.code[p.at-1] == '\n') && (isSpace(c) || c == '/') {
			l.then("", p.at, true) // chroma's empty token divides two comments
		}
		if !l.token(c) {
			return false
		}
	}
	return true
}

func (l *jsLexer) token(c byte) bool {
	rest := l.rest()
	switch {
	case isSpace(c):
		l.paint("", l.end(1, isSpace))
		return true
	case c >= utf8.RuneSelf, strings.HasPrefix(rest, "<!--"):
		return false
	case strings.HasPrefix(rest, "//"):
		l.paint(comment, l.lineEnd()+1)
		return true
	case strings.HasPrefix(rest, "/*"):
		return l.longComment()
	case c == '/' && l.regexp:
		return l.regularExpression()
	case isDigit(c):
		l.then(literal, l.numberEnd(), false)
		return true
	case isLetter(c) || c == '$':
		return l.word()
	case c == '"' || c == '\'':
		end := l.quotedEnd(l.at)
		l.then(literal, end, false)
		return end > 0
	case c == '`':
		l.then(literal, l.at+1, false)
		return l.template()
	case c == '}' && l.templates > 0: // whatever was opened since
		l.templates--
		l.then(literal, l.at+1, false)
		return l.template()
	}
	return l.mark(c)
}

// then paints a token, and reports whether a slash behind it begins a regular
// expression.
func (l *jsLexer) then(class string, end int, regexp bool) {
	l.paint(class, end)
	l.regexp = regexp
}

func (l *jsLexer) longComment() bool {
	i := strings.Index(l.code[l.at+2:], "*/")
	if i < 0 {
		return false
	}
	l.paint(comment, l.at+i+4)
	return true
}

// regularExpression paints one with its flags, and gives up where it does not
// end on its line.
func (l *jsLexer) regularExpression() bool {
	set := false
	for i := l.at + 1; i < len(l.code); i++ {
		switch c := l.code[i]; {
		case c == '\n':
			return false
		case c == '\\':
			if i++; l.byteAt(i) == '\n' {
				return false
			}
		case set:
			set = c != ']'
		case c == '[':
			set = true
		case c == '/':
			end := i + 1
			for isWord(l.byteAt(end)) {
				end++
			}
			l.then(literal, end, false)
			return strings.Trim(l.code[i+1:end], "gimuy") == ""
		}
	}
	return false
}

// numberEnd is where a number ends. Only a decimal one has a fraction or an
// exponent.
func (l *jsLexer) numberEnd() int {
	end := l.end(1, isDigit)
	switch l.byteAt(end) {
	case '.':
		for end++; isDigit(l.byteAt(end)); {
			end++
		}
		return end
	case 'e', 'E':
		digits := end + 1
		if c := l.byteAt(digits); c == '+' || c == '-' {
			digits++
		}
		if !isDigit(l.byteAt(digits)) {
			break
		}
		for isDigit(l.byteAt(digits)) {
			digits++
		}
		return digits
	}
	if l.code[l.at] == '0' {
		if digits := jsDigits[l.byteAt(l.at+1)|0x20]; digits != "" {
			based := l.end(2, func(c byte) bool { return strings.IndexByte(digits, c) >= 0 })
			if based > l.at+2 {
				return based
			}
		}
	}
	return l.end(1, func(c byte) bool { return isDigit(c) || c == '_' })
}

// jsDigits are the digits of the bases that a letter behind a nought names.
var jsDigits = map[byte]string{'b': "01", 'o': "01234567", 'x': "0123456789abcdefABCDEF"}

// word paints a keyword or a name. A name goes on behind a $, but a keyword does
// not, and is one behind a point too.
func (l *jsLexer) word() bool {
	end := l.end(0, isWord)
	if l.end(0, func(c byte) bool { return isWord(c) && c < utf8.RuneSelf }) != end {
		return false
	}
	word := l.code[l.at:end]
	switch {
	case jsBeforeRegexp[word]:
		l.then(keyword, end, true)
	case jsKeywords[word]:
		l.then(keyword, end, false)
	default:
		l.then("", l.end(1, func(c byte) bool { return isWord(c) && c != '_' && c < utf8.RuneSelf || c == '$' }), false)
	}
	return true
}

// template paints the text of a template up to its end or to the next
// expression in it.
func (l *jsLexer) template() bool {
	for i := l.at; i < len(l.code); i++ {
		switch {
		case l.code[i] == '\\':
			i++
		case l.code[i] == '`':
			l.then(literal, i+1, false)
			return true
		case strings.HasPrefix(l.code[i:], "${"):
			l.templates++
			l.then(literal, i+2, false)
			return true
		}
	}
	return false
}

// mark paints a bracket or an operator.
func (l *jsLexer) mark(c byte) bool {
	rest := l.rest()
	switch {
	case strings.HasPrefix(rest, "..."):
		l.then("", l.at+3, false)
	case strings.HasPrefix(rest, "=>"):
		l.then("", l.at+2, false)
	case strings.IndexByte("})].", c) >= 0:
		l.then("", l.at+1, false)
	case strings.IndexByte("{([;,~?:", c) >= 0:
		l.then("", l.at+1, true)
	case strings.IndexByte("<>=!-+*%&|^/", c) >= 0:
		l.then("", l.operatorEnd(c), true)
	default:
		return false
	}
	return true
}

func (l *jsLexer) operatorEnd(c byte) int {
	end := l.at + 1
	doubled := l.byteAt(end) == c
	switch {
	case doubled && strings.IndexByte("+-&|", c) >= 0:
		return end + 1
	case doubled && strings.IndexByte("<>=", c) >= 0:
		end++
	case c == '!' && l.byteAt(end) == '=':
		end++
	}
	if c == '>' && doubled && l.byteAt(end) == '>' {
		end++
	}
	if l.byteAt(end) == '=' {
		end++
	}
	return end
}
