package highlight

import (
	"strings"
	"unicode/utf8"
)

// yamlConstants are the words that stand for something else than themselves.
var yamlConstants = words("false False FALSE true True TRUE null Off off yes Yes YES OFF On ON no No on NO n N Y y")

// lexYAML paints YAML: keys, values, lists and comments. It gives up at anchors,
// tags, dates and maps in braces.
func lexYAML(p *painter) bool {
	for p.at < len(p.code) {
		if !yamlToken(p) {
			return false
		}
	}
	return true
}

func yamlToken(p *painter) bool {
	c, rest := p.code[p.at], p.rest()
	switch {
	case isSpace(c):
		p.paint("", p.end(1, isSpace))
		return true
	case (p.at == 0 || p.code[p.at-1] == '\n') && (strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "...")):
		p.paint("", p.at+3)
		return true
	case strings.HasPrefix(rest, "- "):
		p.paint("", p.at+2)
		return true
	case c == '#' || strings.HasPrefix(rest, "//"):
		p.paint(comment, p.lineEnd())
		return true
	case c >= utf8.RuneSelf, strings.IndexByte("!&*%?@+{}", c) >= 0:
		return false
	}
	if end := yamlKeyEnd(p); end > 0 {
		p.paint("", end)
		return true
	}
	return yamlValue(p, c)
}

// yamlKeyEnd is where a key ends, behind its colon and one character of white
// space; 0 where none begins.
func yamlKeyEnd(p *painter) int {
	line := p.code[p.at:min(p.lineEnd()+1, len(p.code))]
	for i := range len(line) {
		if line[i] == ':' && i+1 < len(line) && (line[i+1] == ' ' || line[i+1] == '\n') {
			return p.at + i + 2
		}
		if strings.IndexByte("\"{#", line[i]) >= 0 || strings.HasPrefix(line[i:], "//") {
			return 0
		}
	}
	return 0
}

func yamlValue(p *painter, c byte) bool {
	switch {
	case strings.IndexByte(":,[]-", c) >= 0:
		p.paint("", p.at+1)
		return true
	case c == '|' || c == '>':
		return yamlBlock(p)
	case c == '"' && strings.Contains(p.code[p.at:p.lineEnd()], `": `):
		return false // a key, unless it is not
	case c == '"' || c == '\'':
		end := p.quotedEnd(p.at)
		p.paint(literal, end)
		return end > 0
	case isDigit(c):
		return yamlNumber(p)
	case c == '.':
		return false
	}
	return yamlText(p)
}

// yamlNumber paints a decimal number that white space ends, or what ends the
// item of a list.
func yamlNumber(p *painter) bool {
	end := p.end(1, isDigit)
	if p.byteAt(end) == '.' && isDigit(p.byteAt(end+1)) {
		for end++; isDigit(p.byteAt(end)); {
			end++
		}
	}
	if isWord(p.byteAt(p.at-1)) || strings.IndexByte("\n ,]", p.byteAt(end)) < 0 {
		return false
	}
	p.paint(literal, end)
	return true
}

// yamlText paints a constant, or text without quotation marks, which ends with
// its line or before a comment.
func yamlText(p *painter) bool {
	end := p.end(0, func(c byte) bool { return isLetter(c) || isDigit(c) })
	if p.byteAt(end) >= utf8.RuneSelf {
		return false
	}
	if yamlConstants[p.code[p.at:end]] {
		p.paint(keyword, end)
		return true
	}
	line := p.code[p.at:p.lineEnd()]
	for _, mark := range []string{" #", " //"} {
		if i := strings.LastIndex(line, mark); i > 0 {
			from := p.at
			p.paint(literal, from+i)
			p.paint("", from+i+1)
			p.paint(comment, from+len(line))
			return true
		}
	}
	p.paint(literal, p.at+len(line))
	return true
}

// yamlBlock paints the text that hangs below a | or >: all lines that are
// indented as the first.
func yamlBlock(p *painter) bool {
	from := p.at + 1
	if c := p.byteAt(from); c == '+' || c == '-' {
		from++
	}
	first := strings.TrimPrefix(p.code[from:], "\n")
	indent := first[:len(first)-len(strings.TrimLeft(first, " "))]
	if indent == "" || p.byteAt(from) != '\n' {
		return false
	}
	p.paint("", from)
	p.paint(literal, from+1)
	p.paint(literal, p.lineEnd())
	for {
		next := p.end(0, func(c byte) bool { return c == '\n' })
		if next == p.at || !strings.HasPrefix(p.code[next:], indent) {
			return true
		}
		p.paint(literal, next)
		p.paint(literal, p.lineEnd())
	}
}
