package quote

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
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

// readGo gives each comment group's text without its markers, and then the
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

// withoutMarkdown takes Markdown's marks off a quotation.
func withoutMarkdown(s string) string {
	for _, m := range markdownMarks {
		s = m.mark.ReplaceAllString(s, m.text)
	}
	return strings.TrimSpace(s)
}
