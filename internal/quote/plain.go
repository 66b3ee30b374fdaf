package quote

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineEndHyphen is a word that a line end cuts at its hyphen.
var lineEndHyphen = regexp.MustCompile(`(\pL)([-‐\x{AD}])[ \t]*\r?\n[ \t]*(\pL)`)

func readPlain(p *Page, raw []byte, _ Stripper) error {
	text, err := decode(raw, "")
	if err != nil {
		return err
	}
	p.runs = paragraphs(text)
	if lineEndHyphen.MatchString(text) {
		p.joined = [][]run{
			paragraphs(lineEndHyphen.ReplaceAllString(text, "$1$3")),
			paragraphs(lineEndHyphen.ReplaceAllString(text, "$1$2$3")),
		}
	}
	return nil
}

var blankLine = regexp.MustCompile(`\n[ \t\r\f\v]*\n\s*`)

// paragraphs makes a block of each run of lines between blank ones.
func paragraphs(text string) []run {
	var runs []run
	for _, paragraph := range blankLine.Split(text, -1) {
		runs = append(runs, run{gap: blockGap, text: paragraph})
	}
	return runs
}

// readGo returns each comment group's text without its markers, and then the
// code without comments.
func readGo(p *Page, raw []byte, _ Stripper) error {
	text, err := decode(raw, "")
	if err != nil {
		return err
	}
	// With CR the offsets of comments would be wrong.
	raw = []byte(strings.ReplaceAll(text, "\r\n", "\n"))
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", raw, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil || err != nil {
		return errors.New("is not a Go file: " + err.Error())
	}
	for _, group := range file.Comments {
		p.runs = append(p.runs, paragraphs(group.Text())...)
	}
	code := string(withoutGoComments(files, file, raw))
	p.runs = append(p.runs, paragraphs(code)...)
	return nil
}

// withoutGoComments blanks the comments of a Go file.
func withoutGoComments(files *token.FileSet, file *ast.File, raw []byte) []byte {
	raw = bytes.Clone(raw)
	for _, group := range file.Comments {
		for _, c := range group.List {
			start := files.PositionFor(c.Pos(), false).Offset
			end := min(start+len(c.Text), len(raw))
			for i := start; i < end; i++ {
				if raw[i] != '\n' {
					raw[i] = ' '
				}
			}
		}
	}
	return raw
}

// markdownMarks are the marks that an author leaves in a quotation by
// mistake, each with what it leaves behind.
var markdownMarks = []struct {
	mark *regexp.Regexp
	text string
}{
	{regexp.MustCompile(`!?\[([^\]]+)\]\([^)]*\)`), "$1"},
	{regexp.MustCompile("`+([^`]+)`+"), "$1"},
	{regexp.MustCompile(`\*\*(\S(?:[^*]*\S)?)\*\*`), "$1"},
	{regexp.MustCompile(`(^|\PL)__(\S(?:[^_]*\S)?)__(\PL|$)`), "$1$2$3"},
	{regexp.MustCompile(`\*(\S(?:[^*]*\S)?)\*`), "$1"},
	{regexp.MustCompile(`(^|\PL)_(\S(?:[^_]*\S)?)_(\PL|$)`), "$1$2$3"},
	{regexp.MustCompile(`~~(\S(?:[^~]*\S)?)~~`), "$1"},
	{regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`), "$1"},
}

// withoutMarkdown takes Markdown's marks off a quotation. A mark inside of a
// number stays: without it there would be another number.
func withoutMarkdown(s string) string {
	for _, m := range markdownMarks {
		var out []byte
		from := 0
		for _, at := range m.mark.FindAllStringSubmatchIndex(s, -1) {
			bare := m.mark.ExpandString(nil, m.text, s, at)
			if inNumber(s[:at[0]], string(bare), s[at[1]:]) {
				continue
			}
			out = append(append(out, s[from:at[0]]...), bare...)
			from = at[1]
		}
		s = string(append(out, s[from:]...))
	}
	return strings.TrimSpace(s)
}

// inNumber reports whether text would be part of a number between before and
// after.
func inNumber(before, text, after string) bool {
	isPart := func(r rune) bool { return unicode.IsNumber(r) || strings.ContainsRune(".,", r) }
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(text)
	end, _ := utf8.DecodeLastRuneInString(text)
	next, _ := utf8.DecodeRuneInString(after)
	return unicode.IsNumber(last) && isPart(first) || isPart(end) && unicode.IsNumber(next)
}
