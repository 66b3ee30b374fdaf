package markdown

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
)

// shownValue is a recorded value in a line of text that readers see.
type shownValue struct {
	*value
	from, to int // in the bytes of the line
}

// What makes another number of the digits that it is beside.
var (
	numberGoesOn = regexp.MustCompile(`^(?:[\pN\pM]|[.,'’_·٫٬]\pN|[eE][+\-−]?\pN|[\x{a0}\x{2007}\x{2009}\x{202f}]\pN{3}(?:\PN|$)|\p{Zs}0\pN{2}(?:\PN|$))`)
	numberBefore = regexp.MustCompile(`(?:\pN\pM*[.,'’_·٫٬]?|(?:^|[\p{Zs}\p{Ps}])\.|\pN[\x{a0}\x{2007}\x{2009}\x{202f}]|(?:^|[\p{Zs}\p{Ps}\p{Pi}\p{Sm}])[\-−])$`)
)

// maxBeside bounds the bytes beside a value that are looked at.
const maxBeside = 64

// checkBesideValues complains about text that makes another number of a
// recorded one: {{x.n}}0 would show a number that no run computed, with a mark
// that says that it is recorded.
func (d linter) checkBesideValues() {
	if d.options.Values == nil || len(d.Body.Values) == 0 {
		return
	}
	check := func(n ast.Node) {
		var b line
		b.notesValues = true
		d.writeText(&b, n)
		for _, v := range b.values {
			if beside := numberBeside(b.out, v); beside != "" {
				d.fail(v.Pos(), "value", "record the whole number, or separate the two with other words",
					"%q beside the value %s.%s makes another number of it", beside, v.fact.Example, v.fact.Name)
			}
		}
	}
	walk(d.root, func(n ast.Node) {
		child := n.FirstChild()
		if n.Kind() == ast.KindHTMLBlock || n.Type() == ast.TypeBlock && child != nil && child.Type() == ast.TypeInline {
			check(n)
		}
	})
}

// numberBeside returns the text that makes another number of a value, or "".
func numberBeside(text []byte, v shownValue) string {
	before := visibleText(text[max(0, v.from-maxBeside):v.from])
	after := visibleText(text[v.to:min(len(text), v.to+maxBeside)])
	if last, _ := utf8.DecodeLastRuneInString(v.text); unicode.IsNumber(last) {
		if m := numberGoesOn.FindString(after); m != "" {
			return m
		}
		if m := lesson.MultipliedBy(after); m != "" {
			return m
		}
	}
	if first, _ := utf8.DecodeRuneInString(v.text); unicode.IsNumber(first) {
		return strings.TrimSpace(numberBefore.FindString(before))
	}
	return ""
}

// visibleText returns text without invisible characters.
func visibleText(text []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(text), ""))
}
