package claims

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var lessons = []string{"designing-a-rate-limiter", "distributed-rate-limiter"}

var (
	heading   = regexp.MustCompile(`<h[2-4][^>]* id="([^"]+)"`)
	step      = regexp.MustCompile(`<li[^>]* id="(step-\d+)"`)
	container = regexp.MustCompile(`(?m)^::: (?:predict|example|question|exercise|tip) \{#([a-z0-9-]+)`)
	anyID     = regexp.MustCompile(` id="([^"]+)"`)
)

// places returns the ids of a lesson's headings, steps, examples, questions,
// exercises and tips.
func places(t *testing.T, lesson string) []string {
	t.Helper()
	page, err := os.ReadFile("../../public/" + lesson + ".html")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../content/" + lesson + ".md")
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, found := range slices.Concat(
		heading.FindAllStringSubmatch(string(page), -1),
		step.FindAllStringSubmatch(string(page), -1),
		container.FindAllStringSubmatch(string(source), -1),
	) {
		if !strings.HasPrefix(found[1], "v-") { // the theme's own
			ids = append(ids, found[1])
		}
	}
	return ids
}

// Each item of the course's outline is at the place, or the places, that the
// outline names, in words that it names.
func TestOutline(t *testing.T) {
	pages := map[string]string{}
	ids := map[string]bool{}
	for _, lesson := range lessons {
		data, err := os.ReadFile("../../public/" + lesson + ".html")
		if err != nil {
			t.Fatal(err)
		}
		pages[lesson] = plainText(string(data))
		for _, found := range anyID.FindAllStringSubmatch(string(data), -1) {
			ids[lesson+"#"+found[1]] = true
		}
	}
	items := 0
	for _, l := range readLines(t, "testdata/outline.txt") {
		parts := strings.Split(l.text, " | ")
		if len(parts) < 2 || len(parts) > 3 {
			t.Errorf("line %d: want item | place | words", l.n)
			continue
		}
		items++
		for _, place := range strings.Fields(parts[1]) {
			if !ids[place] {
				t.Errorf("line %d: %s: no %s", l.n, parts[0], place)
			}
		}
		if len(parts) == 3 {
			lesson, _, _ := strings.Cut(strings.Fields(parts[1])[0], "#")
			for _, text := range strings.Split(parts[2], " … ") {
				if !strings.Contains(pages[lesson], text) {
					t.Errorf("line %d: %s: %s does not say %q", l.n, parts[0], lesson, text)
				}
			}
		}
	}
	if items < 100 {
		t.Errorf("the outline has only %d items", items)
	}
}

var (
	dropped = regexp.MustCompile(`(?s)<(script|style|svg).*?</(script|style|svg)>`)
	tag     = regexp.MustCompile(`<[^>]*>`)
	blanks  = regexp.MustCompile(`\s+`)
	entity  = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&#34;", `"`, "&quot;", `"`, "&#39;", "'", "&#43;", "+")
)

// plainText returns the words of a page.
func plainText(page string) string {
	page = dropped.ReplaceAllString(page, "")
	return entity.Replace(blanks.ReplaceAllString(tag.ReplaceAllString(page, ""), " "))
}
