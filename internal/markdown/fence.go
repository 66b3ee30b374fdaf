package markdown

import (
	"bytes"
	"cmp"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
)

// marked is a kind of fence that means more than code when its info string
// has the key that marks it.
type marked struct {
	language string // "" for any
	mark     string
	shows    lesson.EvidenceKind
	keys     []string // all that it may have
	read     func(fenceReader, *ast.FencedCodeBlock, []attribute)
}

// markedFences is every such kind; a bare fence is ordinary code.
var markedFences = []marked{
	{language: "output", mark: "of", shows: lesson.EvidenceOutput, keys: []string{"of", "lines", "match"}, read: fenceReader.readOutput},
	{language: "redis", mark: "#", shows: lesson.EvidenceTranscript, keys: []string{"#"}, read: fenceReader.readTranscript},
	{language: "chart", mark: "data", shows: lesson.EvidenceTable, keys: []string{"data", "x", "y", "series", "kind", "title"}, read: fenceReader.readChart},
	{mark: "from", shows: lesson.EvidenceCode, keys: []string{"from", "func", "region", "lines"}, read: fenceReader.readSnippet},
}

// markedAs returns the kind of fence that one in that language is with these
// attributes, and false for one that is only code. A language of ours is ours
// whether or not it has its mark.
func markedAs(language string, attrs []attribute) (kind marked, ours bool) {
	for _, k := range markedFences {
		named := slices.ContainsFunc(attrs, func(a attribute) bool { return a.key == k.mark })
		switch {
		case named && (k.language == "" || k.language == language):
			return k, true
		case k.language != "" && k.language == language:
			kind, ours = k, true
		}
	}
	return kind, ours
}

func (d fenceReader) readMarked(n *ast.FencedCodeBlock, kind marked, attrs []attribute) {
	name := cmp.Or(kind.language, kind.mark)
	for i, a := range attrs {
		switch {
		case !slices.Contains(kind.keys, a.key):
			d.fail(a.at, name, keyHint(a.key, "such a fence", kind.keys), "%s fence has no key %q", withArticle(name), a.key)
		case slices.ContainsFunc(attrs[:i], func(b attribute) bool { return a.key == b.key }):
			d.fail(a.at, name, "", "the key %q twice", a.key)
		}
	}
	d.fenceEvidence(n, kind, attrs)
	kind.read(d, n, attrs)
}

func withArticle(name string) string {
	if name == "" {
		return ""
	}
	if strings.IndexByte("aeiouAEIOU", name[0]) >= 0 {
		return "an " + name
	}
	return "a " + name
}

// valueOf returns the value of a key and its offset.
func valueOf(attrs []attribute, key string) (value string, at int) {
	for _, a := range attrs {
		if a.key == key {
			return a.value, a.at
		}
	}
	return "", 0
}

// fenceFact notes where in the file a fence's lines are to be written.
func (d fenceReader) fenceFact(n *ast.FencedCodeBlock) *lesson.Fence {
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
	return f
}

// readOutput notes where recorded lines are shown.
func (d fenceReader) readOutput(n *ast.FencedCodeBlock, attrs []attribute) {
	f := d.fenceFact(n)
	f.Of, _ = valueOf(attrs, "of")
	f.Lines = d.lineNumbers("output", attrs)
	var at int
	f.Match, at = valueOf(attrs, "match")
	if _, err := regexp.Compile(f.Match); err != nil {
		d.fail(at, "output", "", "match is not a regular expression: %v", err)
	}
	d.Body.Fences = append(d.Body.Fences, *f)
	d.draws[n] = func(t Theme) (template.HTML, error) { return t.Output(f) }
}

// lineNumbers returns the value of lines=, which is to be a list of them.
func (d fenceReader) lineNumbers(check string, attrs []attribute) string {
	lines, at := valueOf(attrs, "lines")
	if _, ok := parseRanges(lines, d.pos(at)); !ok && lines != "" {
		d.fail(at, check, `write lines=2 or lines=2-3`, "lines=%s is not a range of lines", lines)
	}
	return lines
}

// fenceOpen returns the offset of a fence's opening marker. It is just before the info
// string, if there is one: the position of the block is wrong behind a tab that counts
// for several columns.
func (d *source) fenceOpen(n *ast.FencedCodeBlock) int {
	if n.Info != nil && n.Info.Segment.Start > 0 {
		before := bytes.TrimRight(d.src[:n.Info.Segment.Start], " \t")
		return len(bytes.TrimRight(before, string(before[len(before)-1:])))
	}
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

func (d *source) lineStart(at int) int { return bytes.LastIndexByte(d.src[:at], '\n') + 1 }

// lineAfter returns the offset of the line after the one that holds at.
func (d *source) lineAfter(at int) int {
	if i := bytes.IndexByte(d.src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(d.src)
}

// continuation turns the text before a marker into what each later line
// begins with: quotes go on, list markers become spaces.
func continuation(prefix []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, string(prefix))
}

// innermostFact returns the container around a node, or nil.
func innermostFact(n ast.Node) *lesson.Container {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if c, ok := p.(*container); ok {
			return c.fact
		}
	}
	return nil
}
