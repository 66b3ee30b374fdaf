package page_test

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/page"
	"verbatim/internal/problem"
	"verbatim/templates"
)

// site makes an input of Markdown by lesson id.
func site(t *testing.T, sources map[string]string) page.Input {
	t.Helper()
	in := page.Input{Templates: theme(t)}
	for id, src := range sources {
		file := "content/" + id + ".md"
		doc, _ := markdown.Parse(file, []byte(src), 0)
		in.Lessons = append(in.Lessons, page.Lesson{Lesson: &lesson.Lesson{ID: id, File: file, Body: doc.Body}, Doc: doc})
	}
	return in
}

// TestSameBytesAtOnce draws every page by several goroutines at once, and
// expects what one of them draws alone.
func TestSameBytesAtOnce(t *testing.T) {
	want := render(t, course(t))
	s, err := page.New(course(t))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range s.Len() {
		for range 3 {
			all.Go(func() {
				f, err := s.Draw(i)
				if err != nil || !bytes.Equal(f.Data, want[f.Path]) {
					t.Errorf("%s differs when others are drawn: %v", s.Path(i), err)
				}
			})
		}
	}
	all.Wait()
}

// ours are the scripts that a page may hold.
var ours = regexp.MustCompile(`^<script>'head'</script>$|^<script src="[./a-z]*static/[a-z]+-[0-9a-f]{8}\.js"( data-base="[./a-z]*")? defer></script>$|^<script type="application/ld\+json">`)

// TestPages holds what is true of every page.
func TestPages(t *testing.T) {
	pages := render(t, course(t))
	ids := regexp.MustCompile(`\sid="([^"]*)"`)
	links := regexp.MustCompile(`\s(?:href|src)="([^"]*)"`)
	forbidden := regexp.MustCompile(`(?i)\sstyle=|\son[a-z]+=|<button|<input|ZgotmplZ`)
	scripts := regexp.MustCompile(`(?s)<script.*?</script>`)
	for name, data := range pages {
		if path.Ext(name) != ".html" {
			continue
		}
		html := string(data)
		if !strings.HasSuffix(html, "\n</body></html>\n") {
			t.Errorf("%s does not end with </body></html> on the last line", name)
		}
		if n := strings.Count(html, "<h1"); n != 1 {
			t.Errorf("%s has %d h1", name, n)
		}
		if !strings.Contains(html, `<html lang="en">`) {
			t.Errorf("%s has no language", name)
		}
		if found := forbidden.FindString(html); found != "" {
			t.Errorf("%s holds %q", name, found)
		}
		for _, script := range scripts.FindAllString(html, -1) {
			if !ours.MatchString(script) {
				t.Errorf("%s holds %q", name, script)
			}
		}
		seen := map[string]bool{}
		for _, m := range ids.FindAllStringSubmatch(html, -1) {
			if seen[m[1]] {
				t.Errorf("%s has the id %q twice", name, m[1])
			}
			seen[m[1]] = true
		}
		for _, m := range links.FindAllStringSubmatch(html, -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			switch {
			case strings.Contains(target, "://"), name == "404.html":
			case target == "" && !seen[fragment]:
				t.Errorf("%s links to #%s, which is not there", name, fragment)
			case target != "" && pages[path.Join(path.Dir(name), target)] == nil:
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}

func TestHeadingsSkipNoLevel(t *testing.T) {
	heading := regexp.MustCompile(`<h([1-6])`)
	for name, data := range render(t, course(t)) {
		last := 0
		for _, m := range heading.FindAllStringSubmatch(string(data), -1) {
			level := int(m[1][0] - '0')
			if level > last+1 {
				t.Errorf("%s goes from h%d to h%d", name, last, level)
			}
			last = level
		}
	}
}

func TestCollisions(t *testing.T) {
	in := site(t, map[string]string{"a": "x", "A": "x", "b": "x", "b/index": "x", "404": "x", "index": "x", "c": "x"})
	for i := range in.Lessons {
		if l := in.Lessons[i].Lesson; l.ID == "c" {
			l.Meta.Aliases = []string{"/old", "B.html", "http://x.example/y", "../up", "/old/"}
			l.Meta.Pos = map[string]problem.Pos{"aliases": {File: l.File, Line: 3, Col: 1}}
		}
	}
	in.Files = []string{"c.html"}
	_, problems, err := page.Render(in)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	problems.Print(&got)
	want := `content/404.md: content/404.md and the page for missing pages would both be 404.html [path]
    rename content/404.md
content/a.md: content/a.md and content/A.md would both be a.html [path]
    rename one of them
content/b/index.md: content/b/index.md and content/b.md would both be b/index.html [path]
    rename one of them
content/c.md: content/c.md and content/c.html would both be c.html [path]
    rename one of them
content/c.md:3:1: the alias "../up" leaves the site [alias]
    write a path of this site, as in "old/name.html"
content/c.md:3:1: the alias "http://x.example/y" is not a local path [alias]
    write a path of this site, as in "old/name.html"
content/c.md:3:1: the alias /old/ of content/c.md and the alias /old of content/c.md would both be old/index.html [path]
    rename one of them
content/c.md:3:1: the alias B.html of content/c.md and content/b.md would both be B.html [path]
    rename one of them
content/index.md: content/index.md and the home page would both be index.html [path]
    rename content/index.md
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestOutput(t *testing.T) {
	in := site(t, map[string]string{"a": "```output {of=long}\n```\n\n```output {of=none}\n```\n\n```output {of=long match=\"[05]9$\"}\n```\n\n```output {of=unknown}\nx\n```\n"})
	long := page.Example{Ran: true}
	for i := range 250 {
		long.Lines = append(long.Lines, fmt.Sprintf("line %d", i+1))
	}
	in.Examples = map[string]page.Example{"long": long, "none": {Ran: true}}
	html := string(render(t, in)["a.html"])
	for _, want := range []string{"line 200</pre>", "50 more lines are left out", "prints nothing", "<pre>line 59\n<span class=\"soft\">… 49 lines</span>\nline 109\n<span class=\"soft\">… 49 lines</span>\nline 159\n<span class=\"soft\">… 49 lines</span>\nline 209</pre>", "<pre>x</pre>", "NOT RUN"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(html, "line 201\n") {
		t.Error("the page shows line 201")
	}
}

// TestHostile draws what an author, or a program, might write to break a page.
func TestHostile(t *testing.T) {
	const evil = `</title></script><script>alert(1)</script>"onload='x'`
	in := site(t, map[string]string{"a": "# " + evil + "\n\n::: example {#e title=\"</h3><script>\"}\n```output {of=x}\n```\n:::\n\n" +
		"::: tip {when=\"<script>\"}\nx\n:::\n\n::: source {#s}\n[l](javascript:alert(1))\n\n> q\n:::\n\n```\"><script>\nx\n```\n\n" +
		"::: diagram {alt='\"><script>'}\n```text\n<script>\n```\n:::\n"})
	l := in.Lessons[0].Lesson
	l.Meta = lesson.Meta{Title: evil, Summary: evil, Checked: evil, Aliases: []string{`x"><script>`}, Related: []lesson.Ref{{ID: "a", Why: evil}}}
	in.Home = &page.Lesson{Lesson: &lesson.Lesson{ID: "index", Meta: lesson.Meta{Language: `"><script>`, License: evil, Repository: "javascript:alert(1)"}}, Doc: mustParse("x")}
	in.Examples = map[string]page.Example{"x": {Ran: true, Lines: []string{evil}, Service: evil, Command: evil, Date: evil}}
	in.Course = []lesson.Entry{{Lesson: "a", Title: evil}}
	for name, data := range render(t, in) {
		html := strings.ToLower(string(data))
		for _, script := range regexp.MustCompile(`(?s)<script.*?</script>`).FindAllString(html, -1) {
			if !ours.MatchString(script) {
				t.Errorf("%s holds %q", name, script)
			}
		}
		if strings.Contains(html, "alert(1)</script>") || strings.Contains(html, `"javascript:`) || regexp.MustCompile(`<[^>]*\sonload=`).MatchString(html) {
			t.Errorf("%s lets something through:\n%s", name, data)
		}
	}
}

func mustParse(src string) *markdown.Doc {
	doc, _ := markdown.Parse("content/index.md", []byte(src), 0)
	return doc
}

// TestAuthoredHeadings: headings of the author's own replace the theme's.
func TestAuthoredHeadings(t *testing.T) {
	in := site(t, map[string]string{"a": "# T\n\n## My steps\n\n::: steps\n1. x\n:::\n\n::: example {#e title=E}\nx\n:::\n\n::: summary\ny\n:::\n"})
	html := string(render(t, in)["a.html"])
	for _, not := range []string{"How it works", "Run for real"} {
		if strings.Contains(html, not) {
			t.Errorf("the page says %q beside the author's own heading", not)
		}
	}
	if !strings.Contains(html, `<li><a href="#my-steps">My steps</a></li>`+"\n"+`<li><a href="#v-summary">`) {
		t.Error("the contents are not the headings in their order")
	}
}

func TestImageSize(t *testing.T) {
	in := site(t, map[string]string{"a/b": "![x](p.png)"})
	in.ImageSize = func(file, dest string) (int, int) {
		if file != "content/a/b.md" || dest != "p.png" {
			t.Errorf("asked for %s in %s", dest, file)
		}
		return 30, 20
	}
	if html := string(render(t, in)["a/b.html"]); !strings.Contains(html, `<img src="p.png" alt="x" width="30" height="20">`) {
		t.Errorf("no size in %s", html)
	}
}

func TestWithoutHome(t *testing.T) {
	in := site(t, map[string]string{"z": "# Apples\n", "a": "# pears\n"})
	html := string(render(t, in)["index.html"])
	if a, p := strings.Index(html, "Apples"), strings.Index(html, "pears"); a < 0 || p < a {
		t.Errorf("the lessons are not listed by title: %s", html)
	}
}

func TestBrokenTemplates(t *testing.T) {
	in := site(t, map[string]string{"a": "x"})
	in.Templates = fstest.MapFS{"static/style.css": {}, "lesson.html": {Data: []byte("{{.Nothing}}")}}
	if _, _, err := page.Render(in); err == nil || !strings.Contains(err.Error(), "lesson.html") {
		t.Errorf("the error does not name the template: %v", err)
	}
}

// TestStylesheet keeps the built-in theme within its budget.
func TestStylesheet(t *testing.T) {
	data, err := templates.FS.ReadFile("static/style.css")
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 20_000 {
		t.Errorf("style.css has %d bytes, more than 20,000", len(data))
	}
}
