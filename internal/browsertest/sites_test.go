package browsertest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"text/template"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/markdown"
	"verbatim/internal/page"
	"verbatim/internal/record"
	"verbatim/templates"
)

// site is one lesson under test and the built site that contains it.
type site struct {
	name       string // "real", "stress" or the lesson's id
	dir        string
	page       string // of the lesson
	body       *lesson.Body
	otherPages []string // one page of every other kind
	uniqueWord string   // a word that no other page contains
}

// sites returns the two lessons that most tests use: one of this repository, and the
// stress lesson.
func sites(t *testing.T) []site {
	t.Helper()
	book, _, err := load.Site(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	const real = "distributed-rate-limiter"
	for _, l := range book.Lessons {
		if l.ID == real {
			return []site{{"real", publicDir(t), real + ".html", &l.Body, []string{"index.html", "evidence.html", "search.html", "404.html", "examples/exh5050.html"}, "examhall"}, stressSite(t)}
		}
	}
	t.Fatalf("the course has no lesson %s", real)
	return nil
}

// forEachSite runs a test on each of the sites, over HTTP.
func forEachSite(t *testing.T, check func(b *tab, s site)) {
	for _, s := range sites(t) {
		t.Run(s.name, func(t *testing.T) {
			b := openTab(t, serve(t, s.dir))
			check(b, s)
		})
	}
}

// stressSite builds the site of testdata/stress.md.
func stressSite(t *testing.T) site {
	t.Helper()
	source, err := template.New("stress.md").Funcs(template.FuncMap{
		"n":   func(n int) []int { return count(n) },
		"inc": func(i int) int { return i + 1 },
	}).ParseFiles("testdata/stress.md")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := source.Execute(&text, nil); err != nil {
		t.Fatal(err)
	}
	recorded := map[string]string{"served": "1,234,567"}
	doc, problems := markdown.ParseWith("content/stress.md", text.Bytes(), 0, markdown.Options{
		Values: func(_, name string) (string, bool) { value, ok := recorded[name]; return value, ok },
	})
	if bad, _ := problems.Count(); bad > 0 {
		t.Fatalf("testdata/stress.md:\n%v", problems)
	}
	l := page.Lesson{Lesson: &lesson.Lesson{ID: "stress", File: "content/stress.md", Body: doc.Body}, Doc: doc}
	l.Meta = lesson.Meta{Summary: "Everything that is too long.", Checked: "2026-11-29", Tags: []string{"長い", "wide"}}
	huge := page.Example{Example: lesson.Example{ID: "huge"}, Ran: true, Service: "Redis 7.0.15", Go: "1.26.0", Date: "2026-11-29", Command: "go run ./examples/huge " + strings.Repeat("--flag ", 30)}
	huge.Values, huge.Tables = recorded, map[string][][]string{"served.csv": table(t, "served.csv")}
	for i := range 1000 {
		huge.Lines = append(huge.Lines, fmt.Sprintf("%d %s", i, strings.Repeat("output ", i%60)))
	}
	typed := page.Example{Ran: true, Service: huge.Service, Date: huge.Date, Lines: record.Lines(recordedFile(t, "output.txt"))}
	home, _ := markdown.Parse("content/index.md", []byte("# A course\n\n- [One lesson](stress.md)\n"), 0)
	first := page.Lesson{Lesson: &lesson.Lesson{ID: "index", File: "content/index.md", Body: home.Body}, Doc: home}
	first.Meta = lesson.Meta{License: "MIT", Repository: "https://example.org/a/repository"}
	return site{"stress", writeSite(t, page.Input{
		Templates: templates.FS, Home: &first, Lessons: []page.Lesson{l},
		Examples: map[string]page.Example{
			"huge": huge, "nothing": {Example: lesson.Example{ID: "nothing"}, Ran: true}, "stress#typed": typed,
		},
	}), "stress.html", &doc.Body, nil, "answers"}
}

// TestStressComplete checks that the page of the stress lesson shows its recorded
// tables, values and outputs, which the other tests rely on.
func TestStressComplete(t *testing.T) {
	s := stressSite(t)
	b := openTab(t, serve(t, s.dir))
	b.loadFresh(s.page)
	for _, part := range []string{
		".chart > svg path.l1", ".chart table tbody tr:nth-child(40)", ".seq svg text",
		`[aria-label="Redis commands"] .p`, `[aria-label="Output of typed"] pre`, "a.num[href]",
	} {
		if !eval[bool](b, "!!document.querySelector("+jsString(part)+")") {
			t.Errorf("the lesson lacks %s", part)
		}
	}
}

// recordedFile returns a file of the records of stress.md.
func recordedFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "recorded", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// table returns a recorded table of stress.md.
func table(t *testing.T, name string) [][]string {
	t.Helper()
	rows, err := record.ParseTable(name, recordedFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// pages returns the page of the lesson and one page of every other kind.
func (s site) pages() []string { return append([]string{s.page}, s.otherPages...) }

// allPages returns every page of the site.
func (s site) allPages(t *testing.T) (pages []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(s.dir), ".", func(name string, d fs.DirEntry, err error) error {
		if path.Ext(name) == ".html" {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// count returns the numbers below n.
func count(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// writeSite renders a site into a temporary directory and returns it.
func writeSite(t *testing.T, in page.Input) string {
	t.Helper()
	files, problems, err := page.Render(in)
	if err != nil || len(problems) > 0 {
		t.Fatalf("render: %v\n%v", err, problems)
	}
	dir := t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
