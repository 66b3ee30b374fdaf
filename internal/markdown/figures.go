package markdown

import (
	"cmp"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// readSnippet notes where code of an example is quoted.
func (d fenceReader) readSnippet(n *ast.FencedCodeBlock, attrs []attribute) {
	f := d.fenceFact(n)
	var at int
	f.From, at = valueOf(attrs, "from")
	if !fs.ValidPath(f.From) || f.From == "." {
		d.fail(at, "from", `write a path below examples/, as in from="exh5050/main.go"`, "%q is not the path of a file", f.From)
	}
	f.Func, _ = valueOf(attrs, "func")
	f.Region, _ = valueOf(attrs, "region")
	f.Lines = d.lineNumbers("from", attrs)
	chosen := slices.DeleteFunc([]string{f.Func, f.Region, f.Lines}, func(s string) bool { return s == "" })
	if len(chosen) > 1 {
		d.fail(at, "from", "leave the others out", "func, region and lines each choose lines: only one of them can")
	}
	d.Body.Fences = append(d.Body.Fences, *f)
	language := readInfo(string(n.Info.Value(d.src))).language
	d.draws[n] = func(t Theme) (template.HTML, error) { return t.Snippet(language, f) }
}

// readMermaid notes the lines of a fence of Mermaid.
func (d fenceReader) readMermaid(n *ast.FencedCodeBlock) {
	m := &lesson.Mermaid{Pos: d.pos(d.fenceOpen(n))}
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		m.Lines = append(m.Lines, lesson.Line{Pos: d.pos(segment.Start), Text: strings.TrimRight(string(segment.Value(d.src)), "\r\n")})
	}
	d.Body.Mermaids = append(d.Body.Mermaids, *m)
	d.draws[n] = func(t Theme) (template.HTML, error) { return t.Mermaid(m) }
}

// chartKinds is how a table can be drawn; the first is what a chart is that
// does not say.
var chartKinds = []string{"line", "step", "bar"}

// readChart notes what is drawn from which table.
func (d fenceReader) readChart(n *ast.FencedCodeBlock, attrs []attribute) {
	c := &lesson.Chart{Pos: d.pos(d.fenceOpen(n)), Kind: chartKinds[0]}
	data, at := valueOf(attrs, "data")
	c.Example, c.Table = path.Split(data)
	c.Example = strings.TrimSuffix(c.Example, "/")
	if c.Example == "" || !fs.ValidPath(data) || path.Ext(data) != ".csv" {
		d.fail(at, "chart", `write the example and its table, as in data="algorithms/burst.csv"`, "%q is not a recorded table", data)
	}
	c.X, _ = valueOf(attrs, "x")
	c.Y, _ = valueOf(attrs, "y")
	if c.X == "" || c.Y == "" {
		d.fail(at, "chart", `write x=second y="latency (ms)"`, "a chart says which columns are its x and y")
	}
	c.Series, _ = valueOf(attrs, "series")
	c.Title, _ = valueOf(attrs, "title")
	if kind, at := valueOf(attrs, "kind"); at > 0 {
		c.Kind = kind
		if !slices.Contains(chartKinds, kind) {
			hint := cmp.Or(problem.DidYouMean(kind, chartKinds), "there are "+strings.Join(chartKinds, ", "))
			d.fail(at, "chart", hint, "no kind of chart %q", kind)
		}
	}
	d.Body.Charts = append(d.Body.Charts, *c)
	d.draws[n] = func(t Theme) (template.HTML, error) { return t.Chart(c) }
}
