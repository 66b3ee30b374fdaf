package markdown

import (
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"verbatim/internal/lesson"
)

// Options is what a lesson's text depends on beside its file.
type Options struct {
	// Values returns the recorded value of {{example.name}}. Where
	// it is nil, or does not know the value, the text stays as written.
	Values func(example, name string) (value string, known bool)
}

// valuePattern finds what looks like a value. Names are checked where values
// are known; "{{ x }}" of some template language is none.
//
// valueHere looks at one place alone, so that a line of braces is looked at
// once and not once for each.
var (
	valuePattern = regexp.MustCompile(`\{\{([\pL\pN][\pL\pN_/-]*)\.([\pL\pN_-]+)\}\}`)
	valueHere    = regexp.MustCompile(`^` + valuePattern.String())

	// spacedValue is what people write who know other template languages.
	spacedValue = regexp.MustCompile(`\{\{[ \t]*([\pL\pN][\pL\pN_/-]*)\.([\pL\pN_-]+)[ \t]*\}\}`)
	spacedHere  = regexp.MustCompile(`^` + spacedValue.String())
)

var valueKind = ast.NewNodeKind("Value")

// value is the node of {{example.name}}.
type value struct {
	ast.BaseInline
	fact  lesson.Value
	text  string // the value, or where it is not known what the author wrote
	known bool
}

func (v *value) Kind() ast.NodeKind         { return valueKind }
func (v *value) Dump(src []byte, level int) { ast.DumpHelper(v, src, level, nil, nil) }

// value makes the node of the match of valuePattern in s, which begins at
// offset at.
func (d htmlReader) value(s []byte, match []int, at int) *value {
	v := &value{
		fact: lesson.Value{
			Pos:     d.pos(at + match[0]),
			Example: string(s[match[2]:match[3]]), Name: string(s[match[4]:match[5]]),
		},
		text: string(s[match[0]:match[1]]),
	}
	v.SetPos(at + match[0])
	if d.options.Values == nil {
		return v
	}
	if recorded, ok := d.options.Values(v.fact.Example, v.fact.Name); ok {
		v.text, v.known = recorded, true
	}
	return v
}

// valueParser makes values of the text between other inlines. It never sees
// code, nor a brace behind a backslash.
type valueParser struct{}

func (valueParser) Trigger() []byte { return []byte{'{'} }

func (valueParser) Parse(_ ast.Node, r text.Reader, pc parser.Context) ast.Node {
	line, segment := r.PeekLine()
	match := valueHere.FindSubmatchIndex(line)
	if match == nil {
		if match = spacedHere.FindSubmatchIndex(line); match != nil {
			htmlReader{docOf(pc)}.noteSpaced(line, match, segment.Start)
		}
		return nil
	}
	r.Advance(match[1])
	return htmlReader{docOf(pc)}.value(line, match, segment.Start)
}

// noteSpaced notes text that would be a value if its braces held no blanks.
func (d htmlReader) noteSpaced(s []byte, match []int, at int) {
	v := lesson.Value{Pos: d.pos(at + match[0]), Example: string(s[match[2]:match[3]]), Name: string(s[match[4]:match[5]])}
	d.Body.Spaced = append(d.Body.Spaced, v)
}

// cutValues cuts the text of an HTML block, where Markdown has no say, into
// text and values.
func (d htmlReader) cutValues(s []byte, at int) (tags []tag) {
	for _, match := range spacedValue.FindAllSubmatchIndex(s, -1) {
		if !valueHere.Match(s[match[0]:match[1]]) && !escaped(s, match[0]) {
			d.noteSpaced(s, match, at)
		}
	}
	for len(s) > 0 {
		match := valuePattern.FindSubmatchIndex(s)
		if match == nil {
			return append(tags, tag{text: s, at: at})
		}
		escaped := match[0] > 0 && s[match[0]-1] == '\\'
		switch {
		case escaped:
			tags = append(tags, tag{text: s[:match[0]-1], at: at}, tag{text: s[match[0]:match[1]], at: at + match[0]})
		default:
			tags = append(tags, tag{text: s[:match[0]], at: at}, tag{value: d.value(s, match, at), at: at + match[0]})
		}
		s, at = s[match[1]:], at+match[1]
	}
	return tags
}

// drawValue draws a value that is known, and any other as it was written.
func (dr *drawing) drawValue(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	v := n.(*value)
	switch {
	case !entering:
		return ast.WalkContinue, nil
	case !v.known:
		_, err := w.Write(util.EscapeHTML([]byte(v.text)))
		return ast.WalkSkipChildren, err
	}
	return write(w)(dr.theme.Value(v.fact, inLink(n)))
}

// inLink reports whether n is in the text of a link, where another link
// cannot be.
func inLink(n ast.Node) bool {
	for p := n.Parent(); p != nil && p.Type() == ast.TypeInline; p = p.Parent() {
		if p.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}
