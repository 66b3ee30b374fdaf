package page_test

import (
	"regexp"
	"strings"
	"testing"

	"verbatim/internal/page"
)

func papers(t *testing.T, in page.Input) map[string]string {
	t.Helper()
	files, err := page.Paper(in)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range files {
		all[f.Path] = string(f.Data)
	}
	return all
}

// TestWorksheet: a worksheet has no answer before its last part, and there it
// has them all.
func TestWorksheet(t *testing.T) {
	in := course(t)
	sheet := papers(t, in)["counting-worksheet.html"]
	before, after, ok := strings.Cut(sheet, `<section class="answers">`)
	if !ok {
		t.Fatal("the worksheet has no answers")
	}
	for _, sign := range []string{`class="because"`, `class="key"`, "The answer is", "<details class=\"fold\"><summary class=\"ui\">Show"} {
		if strings.Contains(before, sign) {
			t.Errorf("before the last page the worksheet holds %s", sign)
		}
	}
	for _, c := range in.Lessons[0].Body.Containers {
		if c.Key != "" && !strings.Contains(after, "The answer is "+c.Key) {
			t.Errorf("the answer of %s is missing", c.ID)
		}
	}
}

// TestPaper: what is printed runs nothing, and its links lead to the web or to
// the same paper.
func TestPaper(t *testing.T) {
	links, ids := regexp.MustCompile(`<a\b[^>]* href="([^"]*)"`), regexp.MustCompile(` id="([^"]*)"`)
	for name, html := range papers(t, course(t)) {
		if strings.Contains(html, "<script") {
			t.Errorf("%s holds a script", name)
		}
		here := map[string]bool{}
		for _, m := range ids.FindAllStringSubmatch(html, -1) {
			if here[m[1]] {
				t.Errorf("%s has the id %q twice", name, m[1])
			}
			here[m[1]] = true
		}
		for _, m := range links.FindAllStringSubmatch(html, -1) {
			fragment, local := strings.CutPrefix(m[1], "#")
			if local && !here[fragment] {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
			if !local && !strings.HasPrefix(m[1], "http") {
				t.Errorf("%s links to %s, which is on no paper", name, m[1])
			}
		}
	}
}
