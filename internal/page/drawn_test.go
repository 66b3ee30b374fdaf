package page_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/claim"
	"verbatim/internal/golden"
	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/page"
	"verbatim/templates"
)

// TestDrawn compares the text of a page that shows every kind of evidence but
// plain output.
func TestDrawn(t *testing.T) {
	const name = "testdata/drawn/evidence.txtar"
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	in := drawnInput(t, a.Files[0].Data)
	_, text, _ := strings.Cut(string(render(t, in)["a.html"]), "<main")
	got, _, _ := strings.Cut(text, "<footer")
	if *golden.Update {
		a.Files[1].Data = []byte("<main" + got)
		if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := bytes.TrimSpace(a.Files[1].Data); strings.TrimSpace("<main"+got) != string(want) {
		t.Errorf("got\n<main%s\nwant\n%s", got, want)
	}
}

// drawnInput is a site of one lesson, and the records that it shows.
func drawnInput(t *testing.T, src []byte) page.Input {
	t.Helper()
	e := page.Example{
		Example: lesson.Example{ID: "burst", Tolerance: map[string]float64{"took_ms": 10, "served.csv:served": 2.5}},
		Ran:     true, Connected: true, Service: "Redis 7.0.15", Date: "2026-11-29",
		Uses:   map[string]claim.UsedAs{"burst/main.go": claim.Run},
		Values: map[string]string{"served": "<1,000>", "took_ms": "12.5"},
		Tables: map[string][][]string{"served.csv": {
			{"second", "served", "limiter", "unused"},
			{"0", "5", "bucket", "x"}, {"1", "7", "bucket", "x"}, {"0", "5", "window", "x"}, {"2", "10", "window", "x"},
		}},
	}
	values := func(example, name string) (string, bool) {
		value, ok := e.Values[name]
		return value, ok && example == "burst"
	}
	doc, problems := markdown.ParseWith("content/a.md", src, 0, markdown.Options{Values: values})
	if bad, _ := problems.Count(); bad > 0 {
		t.Fatalf("problems: %v", problems)
	}
	in := page.Input{Templates: templates.FS, Examples: map[string]page.Example{
		"burst":    e,
		"a#before": {Ran: true, Connected: true, Lines: []string{"(integer) 1", "(integer) -1"}, Service: "Redis 7.0.15"},
	}}
	in.Lessons = []page.Lesson{{Lesson: &lesson.Lesson{ID: "a", File: "content/a.md", Body: doc.Body}, Doc: doc}}
	return in
}
