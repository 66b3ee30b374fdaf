package page

import (
	"cmp"
	"fmt"
	"html/template"
	"path"
	"strconv"
	"strings"

	"verbatim/internal/chart"
	"verbatim/internal/lesson"
	"verbatim/internal/record"
	"verbatim/internal/sequence"
)

// example gives what a fence shows, and its id among all examples: a transcript
// of the fence's own lesson, or else an example of the site.
func (s *site) example(f *lesson.Fence) (Example, string) {
	id := strings.TrimSuffix(strings.TrimPrefix(f.Pos.File, "content/"), ".md")
	name := lesson.TranscriptID(id, f.Of)
	if e, ok := s.in.Examples[name]; ok {
		return e, name
	}
	return s.in.Examples[f.Of], f.Of
}

// Value draws a recorded value with the mark of its proof, as a link to the
// example, or in a link as text alone.
func (t *theme) Value(v lesson.Value, linked bool) (template.HTML, error) {
	e := t.in.Examples[v.Example]
	data := struct{ Text, Of, Link, Tolerance string }{Text: e.Values[v.Name], Of: v.Example}
	if !linked {
		data.Link = t.exampleLink(v.Example, t.root)
	}
	if percent := e.Tolerance[v.Name]; percent > 0 {
		data.Tolerance = tolerance(percent)
	}
	html, err := t.execute("value.html", data)
	return template.HTML(strings.TrimSpace(string(html))), err
}

// tolerance is how far a measured figure may be off.
func tolerance(percent float64) string {
	return "±\u00a0" + strconv.FormatFloat(percent, 'f', -1, 64) + "\u00a0%" // on one line
}

// Transcript draws commands behind prompts that nobody can select.
func (t *theme) Transcript(tr *lesson.Transcript) (template.HTML, error) {
	html, err := t.execute("transcript.html", tr)
	return template.HTML(html), err
}

// snippet is what the template of quoted code sees.
type snippet struct {
	Language, File string
	HTML           template.HTML
	Proof          proof
}

// Snippet draws code that stands in an example, and says in which file.
func (t *theme) Snippet(language string, f *lesson.Fence) (template.HTML, error) {
	v := snippet{
		Language: language, File: "examples/" + f.From,
		HTML:  t.code.HTML(language, strings.Join(record.Lines(f.Body), "\n")+"\n"),
		Proof: t.snippetProof(f),
	}
	html, err := t.execute("snippet.html", v)
	return template.HTML(html), err
}

// snippetProof says how far code is proved: that it stands in its file is
// certain; that it ran, where the file belongs to an example that did.
func (t *theme) snippetProof(f *lesson.Fence) proof {
	id := t.exampleWith(f.From)
	e := t.in.Examples[id]
	p := states["verified"]
	switch {
	case e.Ran:
		p = ran
	case id != "":
		return notRun
	}
	p.Says = []string{"these very lines of " + path.Base(f.From)}
	if e.Date != "" {
		p.Says = append(p.Says, shortDate(e.Date))
	}
	if p.Link = t.exampleLink(id, t.root); p.Link != "" {
		p.LinkText = "whole file"
	}
	return p
}

// exampleWith gives the example that a file below examples/ is part of, or ""
// when it is part of a library.
func (s *site) exampleWith(file string) string {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if _, ok := s.in.Examples[dir]; ok {
			return dir
		}
	}
	return ""
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
func (t *theme) pictureID() string {
	t.pictures++
	return fmt.Sprintf("v-picture-%d", t.pictures)
}

// Chart draws a recorded table, and the table itself beside it. A table that
// cannot be drawn is a problem elsewhere.
func (t *theme) Chart(c *lesson.Chart) (template.HTML, error) {
	e := t.in.Examples[c.Example]
	v := picture{Title: cmp.Or(c.Title, c.Y+" by "+c.X), Of: c.Example + "/" + c.Table, Proof: notRun}
	if drawn, _ := chart.Read(*c, c.Table, e.Tables[c.Table]); drawn != nil {
		v.SVG = template.HTML(drawn.SVG(t.pictureID()))
		v.Title, v.Y, v.Proof = drawn.Title, c.Y, t.chartProof(c, e)
		v.Head, v.Rows = drawn.Table()
	}
	if n := len(v.Rows); n > maxRows {
		v.Rows, v.LeftOut = v.Rows[:maxRows], n-maxRows
	}
	html, err := t.execute("chart.html", v)
	return template.HTML(html), err
}

// chartProof says what recorded the table.
func (t *theme) chartProof(c *lesson.Chart, e Example) proof {
	p := exampleProof(e)
	p.Says = append([]string{"drawn from " + c.Table + ", which " + c.Example + " recorded"}, p.Says...)
	if percent := e.Tolerance[c.Table+":"+c.Y]; percent > 0 {
		p.Says = append(p.Says, "measured, "+tolerance(percent))
	}
	if p.Link = t.exampleLink(c.Example, t.root); p.Link != "" {
		p.LinkText = "files and record"
	}
	return p
}

// Mermaid draws a sequence diagram; of any other it shows the text.
func (t *theme) Mermaid(m *lesson.Mermaid) (template.HTML, error) {
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
