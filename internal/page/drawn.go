package page

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"verbatim/internal/chart"
	"verbatim/internal/claim"
	"verbatim/internal/lesson"
	"verbatim/internal/sequence"
)

// Value draws a recorded value with the mark of its proof, as a link to the
// example, or in a link as text alone.
func (t *pageRenderer) Value(v lesson.Value, linked bool) (template.HTML, error) {
	e := t.in.Examples[v.Example]
	c := t.claimAt(v.Pos, lesson.EvidenceValue)
	data := struct{ Text, Of, Link, Tolerance, Mark string }{Text: e.Values[v.Name], Of: v.Example, Mark: c.Mark}
	if !linked {
		data.Link = t.exampleLink(v.Example, t.root)
	}
	data.Tolerance = claim.Tolerance(e.Tolerance[v.Name])
	html, err := t.execute("value.html", data)
	return template.HTML(strings.TrimSpace(string(html))), err
}

// Transcript draws commands behind prompts that cannot be selected.
func (t *pageRenderer) Transcript(tr *lesson.Transcript) (template.HTML, error) {
	html, err := t.execute("transcript.html", tr)
	return template.HTML(html), err
}

// snippet is what the template of quoted code sees.
type snippet struct {
	Language, File string
	Parts          []htmlPart
	Proof          proof
}

// htmlPart is code without a gap, coloured.
type htmlPart struct {
	LeftOut int // lines of the file between the part before and this one
	HTML    template.HTML
}

// Snippet draws code of an example with the name of its file.
func (t *pageRenderer) Snippet(language string, f *lesson.Fence) (template.HTML, error) {
	c, whole := t.claimAt(f.Pos, lesson.EvidenceCode), "whole file"
	if !strings.HasPrefix(f.From, c.Example+"/") { // of a library
		whole = "the program that ran"
	}
	v := snippet{
		Language: language, File: "examples/" + f.From,
		Proof: t.exampleProof(c, t.root, whole),
	}
	for _, part := range codeParts(f) {
		v.Parts = append(v.Parts, htmlPart{part.LeftOut, t.code.HTML(language, part.Text)})
	}
	html, err := t.execute("snippet.html", v)
	return template.HTML(html), err
}

// maxRows is how many rows of a chart's table a page shows.
const maxRows = 200

// picture is what the templates of charts and diagrams see.
type picture struct {
	SVG       template.HTML
	Title, Of string
	Y         string // what a chart's numbers are
	Words     string
	Head      []string
	Rows      [][]string
	LeftOut   int
	Proof     proof
}

// pictureID begins the ids in the next picture of the page.
func (t *pageRenderer) pictureID() string {
	t.pictures++
	return fmt.Sprintf("v-picture-%d", t.pictures)
}

// Chart draws a recorded table, and the table itself beside it. A table that
// cannot be drawn is a problem elsewhere.
func (t *pageRenderer) Chart(c *lesson.Chart) (template.HTML, error) {
	e := t.in.Examples[c.Example]
	v := picture{
		Title: cmp.Or(c.Title, c.Y+" by "+c.X), Of: c.Example + "/" + c.Table,
		Proof: t.exampleProof(t.claimAt(c.Pos, lesson.EvidenceTable), t.root, "files and record"),
	}
	if drawn, _ := chart.Read(*c, c.Table, e.Tables[c.Table]); drawn != nil {
		v.SVG = template.HTML(drawn.SVG(t.pictureID()))
		v.Title, v.Y = drawn.Title, c.Y
		if t := claim.Tolerance(e.Tolerance[c.Table+":"+c.Y]); t != "" {
			v.Y += ", measured, " + t
		}
		v.Head, v.Rows = drawn.Table()
	}
	if n := len(v.Rows); n > maxRows {
		v.Rows, v.LeftOut = v.Rows[:maxRows], n-maxRows
	}
	html, err := t.execute("chart.html", v)
	return template.HTML(html), err
}

// Mermaid draws a sequence diagram; of any other it shows the text.
func (t *pageRenderer) Mermaid(m *lesson.Mermaid) (template.HTML, error) {
	d, _ := sequence.Read(*m)
	if d == nil {
		var code strings.Builder
		for _, line := range m.Lines {
			code.WriteString(line.Text + "\n")
		}
		return t.Code("mermaid", code.String())
	}
	html, err := t.execute("sequence.html", picture{SVG: template.HTML(d.SVG(t.pictureID())), Words: d.Words()})
	return template.HTML(html), err
}
