package highlight

import (
	"regexp"
	"strings"
)

var (
	pythonKeywords = words(`nonlocal continue finally except lambda assert global return raise yield while break await
		async pass else elif with try for del as if match case False True None in is and or not`)
	// In the braces of an f-string.
	pythonInner    = words("lambda yield await else for if False True None in is and or not")
	pythonBuiltins = words(`staticmethod classmethod memoryview __import__ issubclass isinstance frozenset bytearray
		enumerate reversed property compile complex delattr hasattr setattr globals getattr divmod filter locals
		format object sorted slice print bytes range input tuple round super float eval list dict repr type vars
		hash next bool open iter oct pow min zip max map bin len set any dir all abs str sum chr int hex ord id`)
	pythonPrefixes = words("r R u U b B rb rB Rb RB br bR Br BR f F rf rF Rf RF fr fR Fr FR")

	pythonNumber = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[0-9]+(_[0-9]+)*(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?)`)
	pythonImport = regexp.MustCompile(`^\s+import\b`)
	pythonAs     = regexp.MustCompile(`^(\s+)as\s+`)
	pythonComma  = regexp.MustCompile(`^\s*,\s*`)
	pythonField  = regexp.MustCompile(`^(=\s*)?(![sraf])?[}:]`) // what ends an expression in an f-string
)

// pythonLexer knows which f-strings it is in.
type pythonLexer struct {
	*painter
	in []pythonText
}

// pythonText is an f-string.
type pythonText struct {
	mark   string // its quotation mark
	field  bool   // in braces: an expression
	nested int    // brackets that are open in the expression
}

// lexPython paints Python.
func lexPython(p *painter) bool {
	l := pythonLexer{painter: p}
	for p.at < len(p.code) {
		if len(l.in) > 0 && !l.in[len(l.in)-1].field {
			if !l.inText() {
				return false
			}
			continue
		}
		if !l.token() {
			return false
		}
	}
	return len(l.in) == 0
}

func (l *pythonLexer) token() bool {
	c := l.code[l.at]
	if len(l.in) > 0 {
		if ends, known := l.inField(c); ends || !known {
			return known
		}
	}
	switch {
	case isSpace(c):
		l.paint("", l.end(1, isSpace))
	case c == '#' && len(l.in) == 0:
		l.paint(comment, l.lineEnd())
	case c == '"' || c == '\'':
		return l.text(l.at)
	case isDigit(c), c == '.' && isDigit(l.byteAt(l.at+1)):
		size := len(pythonNumber.FindString(l.rest()))
		if size == 0 || isWord(l.byteAt(l.at+size)) {
			return false
		}
		l.paint(literal, l.at+size)
	case isLetter(c):
		return l.name()
	case c == '@' && len(l.in) == 0 && isLetter(l.byteAt(l.at+1)):
		end := l.end(1, func(c byte) bool { return isWord(c) || c == '.' })
		l.paint("", end)
		return l.byteAt(end) == '\n' || l.byteAt(end) == '(' // a name may go on behind a space
	case c == '\\' && len(l.in) == 0, strings.HasPrefix(l.rest(), "!="), strings.IndexByte("-~+/*%=<>&^|.[]{}:(),;@", c) >= 0:
		l.paint("", l.at+1)
		if c == '!' {
			l.paint("", l.at+1)
		}
	default:
		return false
	}
	return true
}

// inField looks whether an expression in an f-string ends at c. Not known is
// what only chroma knows.
func (l *pythonLexer) inField(c byte) (ends, known bool) {
	top := &l.in[len(l.in)-1]
	if size := len(pythonField.FindString(l.rest())); top.nested == 0 && size > 0 {
		l.paint(literal, l.at+size)
		top.field = false
		return true, true
	}
	switch {
	case strings.IndexByte("([{", c) >= 0:
		top.nested++
	case strings.IndexByte(")]}", c) >= 0:
		top.nested--
	}
	return false, top.nested >= 0 && c != '\\'
}

// inText goes on in an f-string.
func (l *pythonLexer) inText() bool {
	top := &l.in[len(l.in)-1]
	rest := l.rest()
	switch {
	case strings.HasPrefix(rest, top.mark):
		l.paint(literal, l.at+len(top.mark))
		l.in = l.in[:len(l.in)-1]
	case rest[0] == '\n' && len(top.mark) == 1:
		return false
	case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
		l.paint(literal, l.at+2)
	case rest[0] == '{':
		l.paint(literal, l.at+1)
		top.field = true
	case rest[0] == '\\':
		if strings.HasPrefix(rest, `\N`) || len(rest) < 2 {
			return false
		}
		l.paint(literal, l.at+2)
	default:
		l.paint(literal, l.at+1)
	}
	return true
}

// text paints a string, whose quotation marks begin at i, or the beginning of
// an f-string.
func (l *pythonLexer) text(i int) bool {
	prefix := strings.ToLower(l.code[l.at:i])
	mark := l.code[i : i+1]
	if strings.HasPrefix(l.code[i:], strings.Repeat(mark, 3)) {
		mark = strings.Repeat(mark, 3)
	}
	if strings.Contains(prefix, "f") {
		if len(prefix) > 1 {
			return false
		}
		l.in = append(l.in, pythonText{mark: mark})
		l.paint(literal, i+len(mark))
		return true
	}
	end := i + len(mark)
	for !strings.HasPrefix(l.code[end:], mark) {
		if end >= len(l.code) || l.code[end] == '\n' && len(mark) == 1 {
			return false
		}
		if l.code[end] == '\\' {
			if strings.Contains(prefix, "r") && len(mark) == 3 || strings.HasPrefix(l.code[end:], `\N`) {
				return false
			}
			end++
		}
		if end++; end > len(l.code) {
			return false
		}
	}
	inside := l.code[i+len(mark) : end]
	if strings.Contains(inside, "{") && (strings.Contains(inside, "[") || strings.HasSuffix(inside, ":")) {
		return false // a place to fill in may go on behind the mark
	}
	l.paint(literal, end+len(mark))
	return true
}

// name paints a name or a keyword, and what may stand after it.
func (l *pythonLexer) name() bool {
	end := l.end(1, isWord)
	name := l.code[l.at:end]
	next := l.byteAt(end)
	switch {
	case !ascii(name):
		return false
	case (next == '"' || next == '\'') && pythonPrefixes[name]:
		return l.text(end)
	case len(l.in) > 0:
		if name == "async" {
			return false
		}
		return l.word(name, end, pythonInner)
	case (name == "def" || name == "class" || name == "from" || name == "import") && isSpace(next):
		return l.declared(name, end)
	}
	return l.word(name, end, pythonKeywords)
}

func (l *pythonLexer) word(name string, end int, keywords map[string]bool) bool {
	switch {
	case name == "yield" && strings.HasPrefix(l.code[end:], " from") && !isWord(l.byteAt(end+5)):
		l.paint(keyword, end+5)
	case keywords[name], pythonBuiltins[name] && l.byteAt(l.at-1) != '.':
		l.paint(keyword, end)
	default:
		l.paint("", end)
	}
	return true
}

// declared paints a keyword and the names behind it, of which none is one.
func (l *pythonLexer) declared(by string, end int) bool {
	l.paint(keyword, end)
	l.paint("", l.end(1, isSpace))
	if l.byteAt(l.at-1) == '\n' {
		return false
	}
	switch by {
	case "def", "class":
		if isLetter(l.byteAt(l.at)) {
			l.paint("", l.end(0, isWord))
		}
	case "from":
		l.dotted()
		if size := len(pythonImport.FindString(l.rest())); size > 0 {
			l.paint("", l.at+size-len("import"))
			l.paint(keyword, l.at+len("import"))
		}
	case "import":
		l.modules()
	}
	return true
}

// modules paints what an import lists.
func (l *pythonLexer) modules() {
	for {
		l.dotted()
		rest := l.rest()
		if m := pythonAs.FindStringSubmatch(rest); m != nil {
			l.paint("", l.at+len(m[1]))
			l.paint(keyword, l.at+len("as"))
			l.paint("", l.end(0, isSpace))
			continue
		}
		comma := len(pythonComma.FindString(rest))
		if comma == 0 {
			return
		}
		l.paint("", l.at+comma)
	}
}

// dotted paints a name with dots in it.
func (l *pythonLexer) dotted() {
	for c := l.byteAt(l.at); c == '.' || isLetter(c); c = l.byteAt(l.at) {
		l.paint("", l.end(1, func(next byte) bool { return c != '.' && isWord(next) }))
	}
}
