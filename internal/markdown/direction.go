package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/problem"
)

// place of a control in a page.
const (
	inProse = iota
	inCode
	inQuotation
)

// direction is a control of the writing direction (U+202A–E, U+2066–9) in the
// body: literal, or as &#8238; where that means the character.
type direction struct {
	at     int
	r      rune
	entity bool
	place  int
}

var numericReference = regexp.MustCompile(`&#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}));`)

// checkDirections complains about controls that make a browser show text in
// another order than it is in: in code and in quotations, where readers would
// see what is not there, they are a problem.
func (d linter) checkDirections() {
	found := directions(d.src)
	if len(found) == 0 {
		return
	}
	mark := func(from, to, place int) {
		i, _ := slices.BinarySearchFunc(found, from, func(c direction, at int) int { return c.at - at })
		for ; i < len(found) && found[i].at < to; i++ {
			found[i].place = place
		}
	}
	walk(d.root, func(n ast.Node) {
		if from, to, ok := d.codeRange(n); ok {
			mark(from, to, inCode)
		}
	})
	for _, quotation := range d.quoted {
		walk(quotation, func(n ast.Node) {
			if t, ok := n.(*ast.Text); ok && t.Parent().Kind() != ast.KindCodeSpan {
				mark(t.Segment.Start, t.Segment.Stop, inQuotation)
			}
		})
	}
	var said [inQuotation + 1]int // the line of the last one, by place
	for _, c := range found {
		pos := d.pos(c.at)
		if c.entity && c.place == inCode || pos.Line == said[c.place] {
			continue // plain characters of code, or said already
		}
		said[c.place] = pos.Line
		switch c.place {
		case inProse:
			d.problems.Warn(pos, "text", "%U changes the direction in which browsers show this text", c.r)
		case inCode:
			d.fail(c.at, "text", "delete it, or write it as an escape of the language", "%U makes browsers show other code than this", c.r)
		default:
			d.fail(c.at, "text", "delete it", "%U makes browsers show other words than those of the quotation", c.r)
		}
	}
}

// directions finds the controls in a body, in order.
func directions(src []byte) (found []direction) {
	for i := 0; ; {
		next := bytes.IndexByte(src[i:], 0xE2) // begins U+2000 to U+2FFF
		if next < 0 {
			break
		}
		i += next
		r, size := utf8.DecodeRune(src[i:])
		if problem.IsBidiControl(r) {
			found = append(found, direction{at: i, r: r})
		}
		i += size
	}
	literal := len(found)
	for _, m := range numericReference.FindAllSubmatchIndex(src, -1) {
		digits, base := m[4:6], 10
		if m[2] >= 0 {
			digits, base = m[2:4], 16
		}
		n, _ := strconv.ParseInt(string(src[digits[0]:digits[1]]), base, 32) // too large is no character
		if problem.IsBidiControl(rune(n)) {
			found = append(found, direction{at: m[0], r: rune(n), entity: true})
		}
	}
	if len(found) > literal {
		slices.SortFunc(found, func(a, b direction) int { return a.at - b.at })
	}
	return found
}

// codeRange returns where the code of a node is in the body, a fence's first
// line included.
func (d linter) codeRange(n ast.Node) (from, to int, ok bool) {
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		from = d.fenceOpen(n)
		to = d.lineAfter(from)
		if lines := n.Lines(); lines.Len() > 0 {
			to = lines.At(lines.Len() - 1).Stop
		}
		return from, to, true
	case *ast.CodeBlock:
		lines := n.Lines()
		return lines.At(0).Start, lines.At(lines.Len() - 1).Stop, true
	case *ast.CodeSpan:
		first, isText := n.FirstChild().(*ast.Text)
		last, alsoText := n.LastChild().(*ast.Text)
		if isText && alsoText {
			return first.Segment.Start, last.Segment.Stop, true
		}
	}
	return 0, 0, false
}
