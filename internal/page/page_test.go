package page_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/claim"
	"verbatim/internal/golden"
	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/page"
	"verbatim/internal/problem"
	"verbatim/templates"
)

// theme is the built-in one with short static files, so that pages do not
// change with every colour.
func theme(t testing.TB) fs.FS {
	t.Helper()
	files := fstest.MapFS{
		"head.js":            {Data: []byte("'head'\n")},
		"static/style.css":   {Data: []byte("a{}\n")},
		"static/verbatim.js": {Data: []byte("'script'\n")},
		"static/search.js":   {Data: []byte("'search'\n")},
	}
	names, err := fs.Glob(templates.FS, "*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(templates.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	return files
}

// read makes an input of the lessons in an archive.
func read(t testing.TB, archive string) page.Input {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	in := page.Input{Templates: theme(t)}
	for _, f := range a.Files {
		doc, problems := markdown.Parse(f.Name, f.Data, 0)
		if bad, _ := problems.Count(); bad > 0 {
			t.Errorf("%s", problems)
		}
		id := strings.TrimSuffix(strings.TrimPrefix(f.Name, "content/"), ".md")
		l := page.Lesson{Lesson: &lesson.Lesson{ID: id, File: f.Name, Source: f.Data, Body: doc.Body}, Doc: doc}
		if id == "index" {
			in.Home = &l
			continue
		}
		in.Lessons = append(in.Lessons, l)
	}
	return in
}

// course is the archive with all that the rest of the build would add.
func course(t testing.TB) page.Input {
	in := read(t, "testdata/sites/course.txtar")
	in.Home.Meta = lesson.Meta{Summary: "A course in two pages.", License: "CC BY 4.0", BaseURL: "https://example.org/course/"}
	in.Course = []lesson.Entry{
		{Lesson: "counting", Title: "Counting in one Redis", Depth: 2},
		{Lesson: "deep/older", Title: "Old names", Depth: 2},
	}
	in.Lessons[0].Meta = lesson.Meta{
		Summary: "Keep the counts in one Redis.", Checked: "2026-11-29", Tags: []string{"Redis", "crash & burn"}, Aliases: []string{"/old/counting"},
		Related: []lesson.Ref{{ID: "deep/older", Why: "It came first."}},
	}
	in.Lessons[1].Meta = lesson.Meta{Title: "Old </title><b>names", Needs: []lesson.Ref{{ID: "counting"}}}
	in.Examples = map[string]page.Example{"leak": {
		Example: lesson.Example{ID: "leak"}, Ran: true, Connected: true, Lines: []string{"keys 1000", "leaked <3>", "unused"},
		Service: "Redis 7.0.15", Go: "1.26.0", Date: "2026-11-29", Command: "go run ./examples/leak",
		Values: map[string]string{"leaked": "3"},
		Files:  []page.File{{Path: "main.go", Data: []byte("package main // leaks\n")}},
	}}
	in.Sources = map[string]lesson.Source{
		"incr":    {ID: "incr", Saved: "2026-11-28"},
		"runbook": {ID: "runbook", Saved: "2026-11-27"},
	}
	in.Quotes = map[problem.Pos]claim.Quotation{}
	for _, c := range in.Lessons[0].Body.Containers {
		for _, q := range c.Quotes {
			in.Quotes[q.Pos] = claim.Quotation{Anchor: []string{q.Text}, State: map[string]string{"incr": "attested", "runbook": "verified"}[c.ID]}
		}
	}
	return in
}

func render(t testing.TB, in page.Input) map[string][]byte {
	t.Helper()
	files, problems, err := page.Render(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	pages := map[string][]byte{}
	for _, f := range files {
		pages[f.Path] = f.Data
	}
	return pages
}

func TestGolden(t *testing.T) {
	got := render(t, course(t))
	const dir = "testdata/golden"
	if *golden.Update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(dir, asFS(got)); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string][]byte{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		want[filepath.ToSlash(strings.TrimPrefix(name, filepath.FromSlash(dir)+string(filepath.Separator)))] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[name]; !ok {
			t.Errorf("%s: no page is drawn for it; delete it with -update", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("%s differs; see git diff after go test -update", name)
		}
	}
}

func asFS(files map[string][]byte) fs.FS {
	fsys := fstest.MapFS{}
	for name, data := range files {
		fsys[name] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	return fsys
}
