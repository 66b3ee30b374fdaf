package markdown

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/text/unicode/norm"
)

// readFence reads a fence's info string: it means evidence, a diagram, code, or it is
// a slip, which is a problem because the fence would show text that nothing proves.
func (d fenceReader) readFence(n *ast.FencedCodeBlock) {
	if !d.closed[n] {
		d.fail(d.fenceOpen(n), "fence", "end it with a line of the same marks", "this fence is never closed")
	}
	if n.Info == nil {
		return
	}
	i := readInfo(string(n.Info.Value(d.src)))
	at := n.Info.Segment.Start
	attrs, wrong := parseAttributes(i.braces, at+i.brace)
	kind, ours := markedAs(i.word, attrs)
	slip := i.slip(attrs, wrong)
	switch {
	case slip != "":
		right := i.right()
		d.fail(d.fenceOpen(n), cmp.Or(right.kind.language, right.kind.mark), "write "+string(fenceMark(d.src[d.fenceOpen(n):]))+right.line, "%s", slip)
	case i.word == "mermaid":
		d.readMermaid(n)
	case i.braces == "":
	case ours:
		d.readMarked(n, kind, attrs)
	case i.brace == 0:
		d.warn(at, "fence", "braces before the language are another tool's: this fence is shown as code, and nothing runs")
	}
}

// info is an info string, cut into its parts.
type info struct {
	text     string
	word     string // up to the first blank, comma or brace
	language string // what code in it is written in, "" when unknown
	braces   string // from the first brace on, "" without one
	brace    int    // the offset of braces in text
	mentions []mention
}

// mention is a word of an info string that may be meant as a key of evidence.
type mention struct {
	key     string // as written
	meant   string // the key of evidence that it is, or is one letter from, or ""
	value   string
	outside bool // of braces
}

// mentionPattern matches #id, key=value and key: value, after whatever bracket
// or mark; a quoted value is skipped whole, whatever is in it.
var mentionPattern = regexp.MustCompile(`(?:^|[^\pL\pM\pN_])(?:(#)([^\s{},]+)|([\pL_][\pL\pN_.-]*)\s*[=:]\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s{},]*))`)

// braceLanguage matches the language in braces: {python}, {r, echo=FALSE},
// {.go .numberLines}, {#id .go}; and what follows directives, {code-cell} go.
var (
	braceLanguage = regexp.MustCompile(`^\{\s*(?:#\S+\s+)?\.?([\pL][\pL\pN+#_-]*)(?:[\s,}]|$)`)
	afterBrace    = regexp.MustCompile(`^\{[^}]*\}\s*([\pL][\pL\pN+#_-]*)\s*$`)
)

func readInfo(text string) info {
	i := info{text: text, brace: len(text)}
	if brace := strings.IndexByte(text, '{'); brace >= 0 {
		i.brace, i.braces = brace, text[brace:]
	}
	i.word = strings.TrimSpace(text)
	if end := strings.IndexAny(text, " \t,{"); end >= 0 {
		i.word = text[:end]
	}
	i.language = string(unescape([]byte(i.word)))
	if i.brace == 0 {
		i.language = i.languageInBraces()
	}
	// A key is found however its characters are written.
	before := plainCharacters(text[:i.brace])
	all := before + plainCharacters(text[i.brace:])
	for _, m := range mentionPattern.FindAllStringSubmatchIndex(all, -1) {
		part := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return all[m[2*n]:m[2*n+1]]
		}
		key, value := part(1)+part(3), bare(part(2)+part(4))
		meant := evidenceKey(key)
		i.mentions = append(i.mentions, mention{key, meant, value, m[0] < len(before) && m[1] <= len(before)})
	}
	return i
}

// plainCharacters returns text without entities, escapes, compatibility forms
// such as full-width brackets, and invisible characters.
func plainCharacters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, norm.NFKC.String(string(unescape([]byte(text)))))
}

// bare returns a value without its quotation marks and without the bracket that
// is closed behind it.
func bare(value string) string {
	if !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'") {
		value = strings.TrimRightFunc(value, func(r rune) bool {
			return unicode.In(r, unicode.Pe, unicode.Pf) || strings.ContainsRune(">|\"'`", r)
		})
	}
	return strings.Trim(value, `"'`)
}

// languageInBraces finds the language where there is none before the braces.
func (i *info) languageInBraces() string {
	if m := afterBrace.FindStringSubmatch(i.text); m != nil {
		return m[1]
	}
	if m := braceLanguage.FindStringSubmatch(i.text); m != nil {
		return m[1]
	}
	return ""
}

// markingKeys are the keys that mark evidence.
var markingKeys = []string{"of", "data", "from", "#"}

// foreignKeys are words of other tools that are one letter from a marking key.
var foreignKeys = []string{"if", "or", "on", "date"}

// evidenceKey returns the key of evidence that a word is or is one letter from.
func evidenceKey(word string) string {
	lower := strings.ToLower(word)
	for _, key := range markingKeys {
		if lower == key || key != "#" && oneEdit(lower, key) && !slices.Contains(foreignKeys, lower) {
			return key
		}
	}
	return ""
}

// oneEdit reports whether a becomes b by one letter more, less or other, or by
// two neighbours that change places.
func oneEdit(word, other string) bool {
	a, b := []rune(word), []rune(other)
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	swapped := len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	return word != other && (len(a) <= 1 && len(b) <= 1 || swapped)
}

// nearWord returns the language of a marked fence that the word is, or is one letter
// from, or "".
func (i *info) nearWord() string {
	lower := strings.ToLower(plainCharacters(i.word))
	for _, k := range markedFences {
		if k.language != "" && (lower == k.language || oneEdit(lower, k.language)) {
			return k.language
		}
	}
	return ""
}

// slip returns the mistake in a fence that is meant to show evidence, or "" if the
// fence is correct or meant as code.
func (i *info) slip(attrs []attribute, wrong *mistake) string {
	near := i.nearWord()
	for _, m := range i.mentions {
		shown := m.key
		if m.key == "#" {
			shown = "#" + m.value
		}
		switch {
		case m.meant == "" || m.key == "#" && i.brace > 0 && near == "":
			continue // an id of code belongs to another tool
		case m.outside:
			return shown + " is not in braces, so nothing would prove what this fence shows"
		case i.brace == 0:
			return "this fence names no language before its braces"
		case m.key != m.meant:
			return shown + " is no key of a fence: did you mean " + m.meant + "?"
		case wrong == nil && near != "" && near != i.word:
			return noFence(i.word, near)
		case wrong == nil && !takes(i.word, m.meant):
			return cmp.Or(withArticle(i.word), "this") + " fence has no key " + m.meant
		case wrong == nil && !hasKey(attrs, m.meant):
			return "the key " + m.meant + " has other characters in it or beside it"
		}
	}
	switch {
	case i.braces == "" || near == "":
		if wrong != nil && slices.ContainsFunc(i.mentions, func(m mention) bool { return m.meant != "" && m.meant != "#" }) {
			return wrong.text
		}
		return ""
	case wrong == nil && hasKey(attrs, "from"): // code may be in any language
		return ""
	case near != i.word:
		return noFence(i.word, near)
	case wrong != nil:
		return wrong.text
	case !hasKey(attrs, markOf(near)):
		return "this fence does not say what it shows; without braces it is ordinary code"
	}
	return ""
}

// noFence says that a word is one letter from a language of ours. A word that
// looks like it shows its characters.
func noFence(word, near string) string {
	if shown := strconv.QuoteToASCII(word); shown != `"`+word+`"` {
		word = shown
	}
	return "no fence is called " + word + ": did you mean " + near + "?"
}

func hasKey(attrs []attribute, key string) bool {
	return slices.ContainsFunc(attrs, func(a attribute) bool { return a.key == key })
}

// takes reports whether a fence in that language may have a key of evidence:
// code of an example may be in any language.
func takes(word, key string) bool {
	mark := markOf(word)
	return key == "from" || key == mark || key == "#" && mark == ""
}

// markOf returns the key that marks a fence in a language of ours, or "".
func markOf(language string) string {
	for _, k := range markedFences {
		if k.language != "" && k.language == language {
			return k.mark
		}
	}
	return ""
}

// rightInfo is the correction of a slip.
type rightInfo struct {
	kind marked
	line string // the info string
}

// right returns the info string that the author meant: the kind of fence that
// its key marks, or else its word, with every key that belongs there.
func (i *info) right() rightInfo {
	mark := markOf(i.nearWord())
	for _, m := range i.mentions {
		if m.meant != "" && (m.meant != "#" || mark == "" || mark == "#") {
			mark = m.meant
			break
		}
	}
	kind := markedFences[slices.IndexFunc(markedFences, func(k marked) bool { return k.mark == mark })]
	word := kind.language
	if word == "" {
		word = cmp.Or(i.language, "text")
		if i.nearWord() != "" {
			word = "text"
		}
	}
	attrs := map[string]string{}
	for _, m := range i.mentions {
		key := cmp.Or(m.meant, m.key)
		if slices.Contains(kind.keys, key) && attrs[key] == "" {
			attrs[key] = m.value
		}
	}
	return rightInfo{kind, word + " {" + strings.Join(writeAttributes(kind, attrs), " ") + "}"}
}

// placeholders are what a hint writes for a value that must be there.
var placeholders = map[string]string{"of": "EXAMPLE", "data": "EXAMPLE/TABLE.csv", "from": "EXAMPLE/FILE", "#": "ID", "x": "COLUMN", "y": "COLUMN"}

// writeAttributes writes the keys of a kind of fence in their order. A chart
// cannot do without its columns.
func writeAttributes(kind marked, attrs map[string]string) (words []string) {
	for _, key := range kind.keys {
		value := attrs[key]
		needed := key == kind.mark || key == "x" || key == "y"
		switch {
		case value == "" && !needed:
		case key == "#":
			words = append(words, "#"+cmp.Or(value, placeholders[key]))
		default:
			words = append(words, key+"="+quoteValue(cmp.Or(value, placeholders[key])))
		}
	}
	return words
}

// quoteValue writes a value as parseAttributes reads it.
func quoteValue(value string) string {
	if !strings.ContainsAny(value, " \t{}\"\\/") {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
