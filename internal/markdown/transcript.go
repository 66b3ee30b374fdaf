package markdown

import (
	"errors"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
)

// readTranscript notes the commands of a fence, one a line, and its id.
func (d fenceReader) readTranscript(n *ast.FencedCodeBlock, attrs []attribute) {
	t := &lesson.Transcript{Pos: d.pos(d.fenceOpen(n))}
	for _, a := range attrs {
		if a.key != "#" {
			continue
		}
		t.ID = a.value
		d.fenceIDs = append(d.fenceIDs, a)
	}
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		line := strings.TrimRight(string(segment.Value(d.src)), "\r\n")
		if strings.TrimSpace(line) != "" {
			t.Commands = append(t.Commands, d.command(line, segment.Start))
		}
	}
	if len(t.Commands) == 0 {
		d.fail(d.fenceOpen(n), "redis", "write one command a line", "this transcript has no command")
	}
	d.Body.Transcripts = append(d.Body.Transcripts, *t)
	d.draws[n] = func(theme Theme) (template.HTML, error) { return theme.Transcript(t) }
}

// command reads one line of a transcript. A line with a problem has no words,
// and its transcript does not run.
func (d fenceReader) command(line string, at int) lesson.Command {
	at += len(line) - len(strings.TrimLeft(line, " \t"))
	c := lesson.Command{Pos: d.pos(at), Text: strings.TrimSpace(line)}
	if why, hint := pasted(c.Text); why != "" {
		d.fail(at, "redis", hint, "%s", why)
		return c
	}
	words, err := splitCommand(c.Text)
	if err != nil {
		d.fail(at, "redis", "quote as in redis-cli: \"two words\", \"\\x00\"", "%v", err)
		return c
	}
	if why := endless(words); why != "" {
		d.fail(at, "redis", "a transcript has ten seconds for all its commands", "%s %s", strings.ToUpper(words[0]), why)
		return c
	}
	c.Words = words
	return c
}

// What redis-cli prints before a command, and how it begins an answer.
var (
	promptStart = regexp.MustCompile(`^(?:\$\s+redis-cli\b[^\w]*|(?:redis(?:-cli)?\s+)?(?:[\pL\pN_.:@-]*(?:\[[\pL\pN:.]*\])*[\pL\pN:.]*(?:\(TX\))?)?>)\s*`)
	answerStart = regexp.MustCompile(`^(?:\((?:integer|nil|error|empty|double|true|false)\b|\d+[)#] |->|=>)`)
)

// pasted says which part of a line belongs to a session that was copied, and
// what to write instead; "" for a command.
func pasted(line string) (why, hint string) {
	if prompt := promptStart.FindString(line); prompt != "" {
		rest := strings.TrimSpace(line[len(prompt):])
		if rest == "" {
			return "this line is a prompt and no command", "leave the line out"
		}
		return "this line begins with a prompt, " + strings.TrimSpace(prompt), "leave it out: " + rest
	}
	if answerStart.MatchString(line) {
		return "this line is an answer and no command", "leave the line out: build records what Redis answers"
	}
	return "", ""
}

var (
	errOpenQuote  = errors.New("a quotation mark is never closed")
	errAfterQuote = errors.New("text right after a closing quotation mark")
)

// splitCommand splits a line into words as redis-cli does.
func splitCommand(line string) (words []string, err error) {
	for {
		line = strings.TrimLeft(line, " \t\r\n\v\f")
		if line == "" {
			return words, nil
		}
		word, rest, err := cutWord(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), rest
	}
}

// cutWord takes the first word off a line. A quoted part may follow other
// characters, but ends the word.
func cutWord(s string) (word, rest string, err error) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\r', '\n', 0:
			return word, s[i+1:], nil
		case '"', '\'':
			quoted, n := cutQuoted(s[i+1:], c)
			if n < 0 {
				return "", "", errOpenQuote
			}
			rest := s[i+1+n:]
			if rest != "" && !strings.ContainsRune(" \t\r\n\v\f", rune(rest[0])) {
				return "", "", errAfterQuote
			}
			return word + quoted, rest, nil
		default:
			word += string([]byte{c})
		}
	}
	return word, "", nil
}

// escapes are what a letter after a backslash means between double quotes;
// any other character means itself.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'a': '\a'}

// cutQuoted reads up to the closing quote and returns the length of what it
// read, -1 when there is none.
func cutQuoted(s string, quote byte) (string, int) {
	var out []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == quote:
			return string(out), i + 1
		case c != '\\' || i+1 == len(s):
		case quote == '\'':
			if s[i+1] == '\'' {
				i++
				c = '\''
			}
		case isHexEscape(s[i:]):
			n, _ := strconv.ParseUint(s[i+2:i+4], 16, 8)
			c, i = byte(n), i+3
		default:
			i++
			c = s[i]
			if escaped, ok := escapes[c]; ok {
				c = escaped
			}
		}
		out = append(out, c)
	}
	return "", -1
}

func isHexEscape(s string) bool {
	if len(s) < 4 || s[1] != 'x' {
		return false
	}
	const hex = "0123456789abcdefABCDEF"
	return strings.IndexByte(hex, s[2]) >= 0 && strings.IndexByte(hex, s[3]) >= 0
}

// Where a command that waits has its limit: never, after the word BLOCK, or
// the n-th word (from the end, when negative).
const (
	noLimit    = 0
	afterBlock = 100
)

// waiting are the commands that may wait for ever, or take over the
// connection.
var waiting = map[string]int{
	"MONITOR": noLimit, "SYNC": noLimit, "PSYNC": noLimit,
	"SUBSCRIBE": noLimit, "PSUBSCRIBE": noLimit, "SSUBSCRIBE": noLimit,
	"BLPOP": -1, "BRPOP": -1, "BZPOPMIN": -1, "BZPOPMAX": -1, "BRPOPLPUSH": -1, "BLMOVE": -1,
	"BLMPOP": 1, "BZMPOP": 1,
	"WAIT": -1, "WAITAOF": -1,
	"XREAD": afterBlock, "XREADGROUP": afterBlock,
}

// endless returns the reason why a command would never answer, or returns "".
func endless(words []string) string {
	name := strings.ToUpper(words[0])
	if name == "CLIENT" && len(words) > 1 && strings.EqualFold(words[1], "REPLY") {
		return "REPLY takes the replies away that a transcript shows"
	}
	if _, err := strconv.Atoi(name); err == nil && len(words) > 1 {
		return "before a command makes redis-cli repeat it; write it as often as it is to run"
	}
	at, found := waiting[name]
	switch {
	case !found:
		return ""
	case at == noLimit:
		return "never ends, so it cannot stand in a transcript"
	case at == afterBlock:
		at = 1 + slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, "BLOCK") })
	case at < 0:
		at += len(words)
	}
	if at < 1 || at >= len(words) {
		return ""
	}
	if limit, err := strconv.ParseFloat(words[at], 64); err != nil || limit != 0 {
		return ""
	}
	return "with the limit 0 may wait for ever"
}
