package markdown

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
)

// marked is a kind of fence that means more than code when its info string
// has the key that marks it.
type marked struct {
	language, mark string
	keys           []string // all that it may have
	read           func(*Doc, *ast.FencedCodeBlock, []attribute)
}

// markedFences is every such kind; a bare fence is ordinary code.
var markedFences = []marked{
	{language: "output", mark: "of", keys: []string{"of", "lines", "match"}, read: (*Doc).readOutput},
}

func (d *Doc) readFence(n *ast.FencedCodeBlock) {
	if !d.closed[n] {
		d.fail(d.fenceOpen(n), "fence", "end it with a line of the same marks", "this fence is never closed")
	}
	if n.Info == nil {
		return
	}
	info := string(n.Info.Value(d.src))
	brace := strings.IndexByte(info, '{')
	if brace < 0 {
		return
	}
	language := strings.TrimSpace(info[:brace])
	for _, kind := range markedFences {
		if kind.language != language {
			continue
		}
		attrs, wrong := parseAttributes(info[brace:], n.Info.Segment.Start+brace)
		if wrong != nil {
			d.fail(wrong.at, language, wrong.hint, "%s", wrong.text)
			return
		}
		d.readMarked(n, kind, attrs)
		return
	}
}

func (d *Doc) readMarked(n *ast.FencedCodeBlock, kind marked, attrs []attribute) {
	isMarked := false
	for _, a := range attrs {
		isMarked = isMarked || a.key == kind.mark
		if !slices.Contains(kind.keys, a.key) {
			d.fail(a.at, kind.language, keyHint(a.key, "an "+kind.language+" fence", kind.keys),
				"an %s fence has no key %q", kind.language, a.key)
		}
	}
	if isMarked {
		kind.read(d, n, attrs)
		return
	}
	d.fail(d.fenceOpen(n), kind.language, "write "+kind.language+" {"+kind.mark+"=…}, or no braces for ordinary code",
		"this fence does not say what it shows")
}

// readOutput notes where recorded lines are shown, and where in the file they
// are to be written.
func (d *Doc) readOutput(n *ast.FencedCodeBlock, attrs []attribute) {
	open := d.fenceOpen(n)
	start := d.lineAfter(open)
	end := start
	for range n.Lines().Len() {
		end = d.lineAfter(end)
	}
	f := &lesson.Fence{
		Pos: d.pos(open), Open: d.base + open, Start: d.base + start, End: d.base + end,
		Prefix: continuation(d.src[d.lineStart(open):open]),
		Marker: string(fenceMark(d.src[open:])),
		In:     innermostFact(n),
	}
	for line := range n.Lines().Len() {
		segment := n.Lines().At(line)
		f.Body = append(f.Body, bytes.ReplaceAll(segment.Value(d.src), []byte("\r\n"), []byte("\n"))...)
	}
	for _, a := range attrs {
		switch a.key {
		case "of":
			f.Of = a.value
		case "lines":
			f.Lines = a.value
			if _, ok := parseRanges(a.value, d.pos(a.at)); !ok {
				d.fail(a.at, "output", `write lines=2 or lines=2-3`, "lines=%s is not a range of lines", a.value)
			}
		case "match":
			f.Match = a.value
			if _, err := regexp.Compile(a.value); err != nil {
				d.fail(a.at, "output", "", "match is not a regular expression: %v", err)
			}
		}
	}
	d.fences[n] = f
	d.Body.Fences = append(d.Body.Fences, *f)
}

// fenceOpen gives the offset of a fence's opening marker.
func (d *Doc) fenceOpen(n *ast.FencedCodeBlock) int {
	at := min(max(n.Pos(), 0), len(d.src))
	// A tab before the marker may count for several columns.
	for at < len(d.src) && (d.src[at] == ' ' || d.src[at] == '\t') {
		at++
	}
	for at > 0 && at < len(d.src) && d.src[at-1] == d.src[at] {
		at--
	}
	return at
}

func (d *Doc) lineStart(at int) int { return bytes.LastIndexByte(d.src[:at], '\n') + 1 }

// lineAfter gives the offset of the line after the one that holds at.
func (d *Doc) lineAfter(at int) int {
	if i := bytes.IndexByte(d.src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.src)
}

// continuation turns what stands before a marker into what each later line
// begins with: quotes go on, list markers become spaces.
func continuation(prefix []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, string(prefix))
}

// innermostFact gives the container around a node, or nil.
func innermostFact(n ast.Node) *lesson.Container {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if c, ok := p.(*container); ok {
			return c.fact
		}
	}
	return nil
}
