//go:build unix

package site

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"verbatim/internal/chart"
	"verbatim/internal/check"
	"verbatim/internal/filetree"
	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/markdown"
	"verbatim/internal/problem"
	"verbatim/internal/quote"
	"verbatim/internal/record"
	"verbatim/internal/run"
	"verbatim/internal/search"
	"verbatim/internal/sequence"
	"verbatim/internal/snippet"
)

// checks are what package check compares with the rest of the site.
func checks() []growth {
	site := func(name string, body func(i int, b *lesson.Body), all func(n int, s *check.Site)) growth {
		return growth{name: "check: " + name, make: func(t *testing.T, n int) func() {
			l := &lesson.Lesson{ID: "a", File: "content/a.md"}
			for i := range n {
				body(i, &l.Body)
			}
			s := &check.Site{Lessons: []*lesson.Lesson{l}, Records: map[string]*record.Record{}}
			all(n, s)
			return func() { check.Run(s) }
		}}
	}
	examples := func(n int, s *check.Site) {
		for i := range n {
			s.Examples = append(s.Examples, lesson.Example{ID: fmt.Sprintf("example-%d", i), Dir: "examples/x"})
		}
	}
	recorded := func(n int, s *check.Site) {
		r := &record.Record{}
		r.Output = []byte(many(n, "line %d\n"))
		r.Values, r.Tables = map[string]string{}, map[string][]byte{}
		e := lesson.Example{ID: "example", Dir: "examples/example", Tolerance: map[string]float64{}}
		for i := range n {
			r.Values[fmt.Sprintf("value-%d", i)] = "7"
			r.Tables[fmt.Sprintf("t%d.csv", i)] = []byte("a,b\n1,2\n")
			e.Tolerance[fmt.Sprintf("vaule-%d", i)] = 5
		}
		s.Examples = append(s.Examples, e)
		s.Records["example"] = r
	}
	return []growth{
		site("unknown examples", func(i int, b *lesson.Body) {
			b.Fences = append(b.Fences, lesson.Fence{Of: fmt.Sprintf("exampel-%d", i)})
		}, examples),
		site("values of unknown examples", func(i int, b *lesson.Body) {
			b.Values = append(b.Values, lesson.Value{Example: fmt.Sprintf("exampel-%d", i)})
		}, examples),
		site("charts of unknown examples", func(i int, b *lesson.Body) {
			b.Charts = append(b.Charts, lesson.Chart{Example: fmt.Sprintf("exampel-%d", i)})
		}, examples),
		site("code of examples", func(i int, b *lesson.Body) {
			b.Fences = append(b.Fences, lesson.Fence{From: fmt.Sprintf("example-%d/main.go", i)})
		}, examples),
		site("tips of unknown examples", func(i int, b *lesson.Body) {
			b.Containers = append(b.Containers, &lesson.Container{Kind: "tip", Attr: map[string]string{"run": fmt.Sprintf("exampel-%d", i)}})
		}, examples),
		site("unknown values", func(i int, b *lesson.Body) {
			b.Values = append(b.Values, lesson.Value{Example: "example", Name: fmt.Sprintf("valeu-%d", i)})
		}, recorded),
		site("unknown tables", func(i int, b *lesson.Body) {
			b.Charts = append(b.Charts, lesson.Chart{Example: "example", Table: fmt.Sprintf("tt%d.csv", i)})
		}, recorded),
		site("output of one example", func(i int, b *lesson.Body) {
			b.Fences = append(b.Fences, lesson.Fence{Of: "example", Lines: fmt.Sprint(i + 1)})
		}, recorded),
		site("answers", func(i int, b *lesson.Body) {
			b.Containers = append(b.Containers, &lesson.Container{Kind: "question", Answer: "8", Attr: map[string]string{"check": fmt.Sprintf("example#value-%d", i)}})
		}, recorded),
		site("unknown lessons", func(int, *lesson.Body) {}, func(n int, s *check.Site) {
			for i := range n {
				s.Lessons = append(s.Lessons, &lesson.Lesson{ID: fmt.Sprintf("b-%d", i), File: fmt.Sprintf("content/b-%d.md", i), Meta: lesson.Meta{Needs: []lesson.Ref{{ID: fmt.Sprintf("bb-%d", i)}}}})
			}
		}),
		{name: "examples without a record", make: func(t *testing.T, n int) func() {
			return func() {
				b := &build{book: &load.Book{}, report: &Report{}, stale: nil, records: map[string]*record.Record{}}
				b.Config.Workers = 1
				s := &check.Site{}
				examples(n, s)
				b.book.Examples = s.Examples
				b.stale = staleAll(s.Examples)
				for i := range n {
					b.report.Problems.Add(problem.Pos{File: "content/a.md", Line: i}, "run", "example %q failed", fmt.Sprintf("other-%d", i))
				}
				b.missingRecords()
			}
		}},
	}
}

// quotes are pages and quotations.
func quotes() []growth {
	const words = "beware the key will be leaked until we will see the same address again %d times over\n"
	site := func(name string, most int, files func(n int) map[string]string, citations func(n int) []quote.Citation, sources int) growth {
		return growth{name: "quote: " + name, most: most, make: func(t *testing.T, n int) func() {
			_, root := filetree.New(t, files(n))
			in := quote.Input{Site: root.FS(), Strip: markdown.Strip, Citations: citations(n), Workers: 1}
			for i := range max(1, sources*n) {
				id := fmt.Sprintf("s%d", i)
				in.Sources = append(in.Sources, lesson.Source{ID: id, File: "quotes/" + id + "/source.yaml", URL: "https://example.org/" + id, Publish: true})
			}
			return func() {
				if _, _, err := quote.Check(t.Context(), in); err != nil {
					t.Fatal(err)
				}
			}
		}}
	}
	cite := func(text string) func(n int) []quote.Citation {
		return func(n int) []quote.Citation {
			c := quote.Citation{Source: "s0", URL: "https://example.org/s0", Pos: problem.Pos{File: "content/a.md", Line: 1}}
			for i := range n {
				c.Quotes = append(c.Quotes, lesson.Quote{Pos: problem.Pos{File: "content/a.md", Line: i + 2}, Text: strings.ReplaceAll(text, "%d", fmt.Sprint(i))})
			}
			return []quote.Citation{c}
		}
	}
	small := func(int) map[string]string { return map[string]string{"quotes/s0/page.html": "<p>" + many(200, words)} }
	large := func(n int) map[string]string { return map[string]string{"quotes/s0/page.html": "<p>" + many(n, words)} }
	one := func(text string) func(n int) []quote.Citation {
		return func(int) []quote.Citation { return cite(text)(1) }
	}
	return []growth{
		site("quotations of one page", 0, large, cite("same address again %d times"), 0),
		site("quotations of a page that lacks them", 0, small, cite("same address agian %d times"), 0),
		site("quotations, and a page that lacks them", 2000, large, cite("same address agian %d times"), 0),
		site("a quotation of a long page that lacks it", 0, large, one("same address agian %d times"), 0),
		site("a long quotation that is not there", 0, small, func(n int) []quote.Citation { return one(many(n, "same address agian %d "))(1) }, 0),
		site("a long quotation", 0, large, func(n int) []quote.Citation { return one(many(n, strings.TrimSuffix(words, "\n")+" "))(1) }, 0),
		site("one word that is everywhere", 0, large, one("the same address"), 0),
		site("unknown sources", 0, small, func(n int) (all []quote.Citation) {
			for i := range n {
				all = append(all, quote.Citation{Source: fmt.Sprintf("x%d", i), Pos: problem.Pos{File: "content/a.md", Line: i + 1}})
			}
			return all
		}, 1),
		site("sources", 0, func(n int) map[string]string {
			files := map[string]string{}
			for i := range n {
				files[fmt.Sprintf("quotes/s%d/page.html", i)] = "<p>words"
			}
			return files
		}, cite("words"), 1),
	}
}

// records are lines, values and tables of a run.
func records() []growth {
	evidence := func(n int, each string) *record.Evidence {
		e := &record.Evidence{Output: []byte(many(n, each)), Values: map[string]string{}, Tables: map[string][]byte{}}
		for i := range n {
			e.Values[fmt.Sprintf("v%d", i)] = fmt.Sprint(i, each)
		}
		e.Tables["t.csv"] = []byte("a,b\n" + many(n, "%d,"+fmt.Sprint(len(each))+"\n"))
		return e
	}
	diff := func(name string, e lesson.Example) growth {
		return growth{name: "record: " + name, make: func(t *testing.T, n int) func() {
			a, b := evidence(n, "line %d\n"), evidence(n, "other %d\n")
			e.Tolerance = map[string]float64{}
			for i := range n {
				e.Tolerance[fmt.Sprintf("v%d", i)] = 5
			}
			return func() {
				record.RulesOf(e).Diff(a, b)
				record.Suggest(e, a, b)
			}
		}}
	}
	return []growth{
		diff("differences", lesson.Example{ID: "e"}),
		diff("differences in any order", lesson.Example{ID: "e", Unordered: true}),
		{name: "record: lines that moved", make: func(t *testing.T, n int) func() {
			var a, b []string
			for i := range n {
				a, b = append(a, fmt.Sprint("line ", i)), append(b, fmt.Sprint("line ", n-i))
			}
			return func() { record.Diff(a, b) }
		}},
		{name: "record: values", make: func(t *testing.T, n int) func() {
			src := []byte(many(n, "v%d=1\n"))
			return func() { _, _ = record.ParseValues(src) }
		}},
		{name: "record: rows", make: func(t *testing.T, n int) func() {
			src := []byte("a,b\n" + many(n, "%d,1\n"))
			return func() { _, _ = record.ParseTable("t.csv", src) }
		}},
		{name: "record: columns", make: func(t *testing.T, n int) func() {
			src := []byte(many(n, "c%d,") + "z\n" + many(n, "%d,") + "1\n")
			return func() { _, _ = record.ParseTable("t.csv", src) }
		}},
		{name: "record: fences to fill", make: func(t *testing.T, n int) func() {
			src := []byte("# A\n" + many(n, "\n```output {of=e%d}\n```\n"))
			doc, _ := markdown.Parse("content/a.md", src, 0)
			return func() {
				record.Fill(src, doc.Body.Fences, func(lesson.Fence) ([]string, bool) { return []string{"a", "b"}, true })
			}
		}},
		{name: "snippet: regions", make: func(t *testing.T, n int) func() {
			src := []byte("package main\n" + many(n, "// [r%d]\nvar v%d int\n// [/r%d]\n"))
			return func() {
				snippet.Cut("examples/e/main.go", src, lesson.Fence{From: "e/main.go", Region: "none"})
				snippet.Cut("examples/e/main.go", src, lesson.Fence{From: "e/main.go", Region: "r1"})
			}
		}},
		{name: "snippet: regions that never end", make: func(t *testing.T, n int) func() {
			src := []byte("package main\n" + many(n, "// [r%d]\nvar v%d int\n"))
			return func() { snippet.Cut("examples/e/main.go", src, lesson.Fence{From: "e/main.go", Region: "r1"}) }
		}},
		{name: "snippet: functions", make: func(t *testing.T, n int) func() {
			src := []byte("package main\n" + many(n, "func f%d() {}\n"))
			return func() { snippet.Cut("examples/e/main.go", src, lesson.Fence{From: "e/main.go", Func: "g"}) }
		}},
		{name: "snippet: parts of lines=", make: func(t *testing.T, n int) func() {
			src := []byte(many(n, "line %d\n"))
			f := lesson.Fence{From: "e/main.go", Lines: strings.TrimSuffix(strings.Repeat("1-2,", n), ",")}
			return func() { snippet.Cut("examples/e/main.go", src, f) }
		}},
		{name: "snippet: deep indents", make: func(t *testing.T, n int) func() {
			var b strings.Builder
			for indent := int(math.Sqrt(20 * float64(n))); indent > 0; indent-- { // 10 n blanks in all
				b.WriteString(strings.Repeat(" ", indent) + "x\n")
			}
			return func() { snippet.Cut("examples/e/main.txt", []byte(b.String()), lesson.Fence{From: "e/main.txt"}) }
		}},
	}
}

// pictures are charts and diagrams.
func pictures() []growth {
	drawn := func(name string, most int, spec lesson.Chart, rows func(n int) [][]string) growth {
		return growth{name: "chart: " + name, most: most, make: func(t *testing.T, n int) func() {
			table := rows(n)
			return func() {
				c, _ := chart.Read(spec, "t.csv", table)
				if c != nil {
					c.SVG("x")
					c.Table()
				}
			}
		}}
	}
	xy := func(n int) [][]string {
		rows := [][]string{{"x", "y", "s"}}
		for i := range n {
			rows = append(rows, []string{fmt.Sprint(i), fmt.Sprint(i * i % 97), fmt.Sprint("series ", i%3)})
		}
		return rows
	}
	diagram := func(name string, most int, each string) growth {
		return growth{name: "sequence: " + name, most: most, make: func(t *testing.T, n int) func() {
			m := lesson.Mermaid{Lines: []lesson.Line{{Text: "sequenceDiagram"}}}
			for line := range strings.Lines(many(n, each)) {
				m.Lines = append(m.Lines, lesson.Line{Text: strings.TrimSuffix(line, "\n")})
			}
			return func() {
				d, _ := sequence.Read(m)
				if d != nil {
					d.SVG("x")
					d.Words()
				}
			}
		}}
	}
	return []growth{
		drawn("points of a line", 0, lesson.Chart{X: "x", Y: "y", Kind: "line"}, xy),
		drawn("points of three lines", 0, lesson.Chart{X: "x", Y: "y", Series: "s", Kind: "step"}, xy),
		drawn("bars", 0, lesson.Chart{X: "x", Y: "y", Kind: "bar"}, xy),
		drawn("series", 0, lesson.Chart{X: "x", Y: "y", Series: "s", Kind: "line"}, func(n int) [][]string {
			rows := [][]string{{"x", "y", "s"}}
			for i := range n {
				rows = append(rows, []string{"1", "2", fmt.Sprint("series ", i)})
			}
			return rows
		}),
		drawn("unknown columns", 0, lesson.Chart{X: "nothing", Y: "y"}, func(n int) [][]string {
			return [][]string{strings.Split(many(n, "c%d,"), ","), strings.Split(many(n, "%d,"), ",")}
		}),
		drawn("no numbers", 0, lesson.Chart{X: "x", Y: "y"}, func(n int) [][]string {
			rows := [][]string{{"x", "y"}}
			for range n {
				rows = append(rows, []string{"1", "many"})
			}
			return rows
		}),
		diagram("messages", 60, "A->>B: message %d\n"),
		diagram("participants", 8, "P%d->>Q%d: message\n"),
		diagram("notes", 60, "Note over A,B: note %d\n"),
		diagram("what is none", 1000, "nothing %d\n"),
	}
}

// listings are lists of problems and the search index.
func listings() []growth {
	return []growth{
		{name: "problems", make: func(t *testing.T, n int) func() {
			return func() {
				var ps problem.List
				for i := range n {
					ps.Add(problem.Pos{File: "content/a.md", Line: n - i}, "check", "problem %d", i)
				}
				ps.Sort()
				ps.Print(io.Discard)
			}
		}},
		{name: "problems in a long page", make: func(t *testing.T, n int) func() {
			src := bytes.Repeat([]byte("a line of text\n"), n)
			return func() {
				for i := range n {
					problem.At("content/a.md", src, i*15)
				}
			}
		}},
		{name: "search: pages", make: func(t *testing.T, n int) func() {
			var pages []search.Page
			for i := range n {
				pages = append(pages, search.Page{URL: fmt.Sprintf("p%d.html", i), Title: fmt.Sprintf("Page %d", i), Sections: []lesson.Section{{Text: fmt.Sprintf("the words of page %d", i)}}})
			}
			return func() {
				if _, err := search.Index(pages); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{name: "search: sections of one page", make: func(t *testing.T, n int) func() {
			p := search.Page{URL: "p.html", Title: "Page"}
			for i := range n {
				p.Sections = append(p.Sections, lesson.Section{ID: fmt.Sprint("s", i), Title: fmt.Sprint("Section ", i), Text: fmt.Sprintf("word%d and the", i)})
			}
			return func() {
				if _, err := search.Index([]search.Page{p}); err != nil {
					t.Fatal(err)
				}
			}
		}},
	}
}

// staleAll is what a build knows of examples that have no record.
func staleAll(examples []lesson.Example) map[string][]run.Change {
	stale := map[string][]run.Change{}
	for _, e := range examples {
		stale[e.ID] = nil
	}
	return stale
}
