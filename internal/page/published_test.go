package page_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/net/html"

	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/page"
)

// authors are the elements that an author's text may become, by Markdown or by
// HTML, with their attributes.
var authors = map[string]string{
	"p": "", "br": "", "hr": "", "em": "", "strong": "", "code": "", "pre": "", "blockquote": "cite", "ul": "", "ol": "start", "li": "",
	"h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "del": "", "ins": "", "kbd": "", "sub": "", "sup": "", "abbr": "", "mark": "",
	"a": "href class role", "span": "class aria-hidden", "fieldset": "aria-label", "img": "src alt width height", "div": "class role tabindex aria-label",
	"details": "open", "summary": "", "figure": "", "figcaption": "", "input": "checked disabled type aria-label",
	"title": "", "svg": "viewBox role aria-labelledby fill font-size", "desc": "", "path": "class stroke-opacity", "text": "x y text-anchor",
	"table": "", "caption": "", "thead": "", "tbody": "", "tfoot": "", "tr": "", "td": "colspan rowspan align scope", "th": "colspan rowspan align scope",
}

// allowed are the attributes by element that a page may hold: what the theme
// writes on pages of known text, and what an author's text may become.
func allowed(t testing.TB, known map[string][]byte) map[string]bool {
	all := map[string]bool{}
	for name, data := range known {
		if path.Ext(name) != ".html" {
			continue
		}
		elements(t, data, func(n *html.Node) {
			all[n.Data] = true
			for _, a := range n.Attr {
				all[n.Data+" "+a.Key] = true
			}
		})
	}
	for element, attributes := range authors {
		all[element] = true
		for _, a := range append(strings.Fields(attributes), "id", "title") {
			all[element+" "+a] = true
		}
	}
	return all
}

// elements calls f for every element of a page as a browser reads it.
func elements(t testing.TB, data []byte, f func(*html.Node)) {
	root, err := html.Parse(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			f(n)
		}
	}
}

// runs matches an address that could run something, as browsers read it.
var runs = regexp.MustCompile(`^(?:javascript|vbscript|data):`)

// faults lists what a page holds that no page may hold.
func faults(t testing.TB, data []byte, allowed map[string]bool) (found []string) {
	elements(t, data, func(n *html.Node) {
		if !allowed[n.Data] {
			found = append(found, "<"+n.Data+">")
		}
		for _, a := range n.Attr {
			value := strings.ToLower(strings.Map(func(r rune) rune {
				if r <= ' ' {
					return -1
				}
				return r
			}, a.Val))
			switch {
			case !allowed[n.Data+" "+a.Key], strings.HasPrefix(a.Key, "on"), a.Key == "style":
				found = append(found, "<"+n.Data+" "+a.Key+">")
			case slices.Contains([]string{"href", "src", "cite", "action"}, a.Key) && runs.MatchString(value):
				found = append(found, fmt.Sprintf("<%s %s=%q>", n.Data, a.Key, a.Val))
			case n.Data == "script" && a.Key == "src" && !strings.HasPrefix(a.Val, "static/"):
				found = append(found, fmt.Sprintf("<script src=%q>", a.Val))
			}
		}
		if n.Data == "script" && len(n.Attr) == 0 && n.FirstChild.Data != "'head'" {
			found = append(found, "<script>"+n.FirstChild.Data)
		}
	})
	return found
}

// FuzzPublished: whatever a lesson holds, its page as a browser reads it has
// only elements, attributes and schemes that a page may have.
func FuzzPublished(f *testing.F) {
	archives, err := filepath.Glob("../markdown/testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(a.Files[0].Data))
	}
	seeds, err := os.ReadFile("testdata/dressed.txt")
	if err != nil {
		f.Fatal(err)
	}
	for seed := range strings.SplitSeq(string(seeds), "\n---\n") {
		f.Add(seed)
	}
	in := course(f)
	may := allowed(f, render(f, in))
	f.Fuzz(func(t *testing.T, src string) {
		doc, _ := markdown.ParseWith("content/a.md", []byte(src), 0, markdown.Options{Values: func(string, string) (string, bool) { return "1", true }})
		in.Lessons = []page.Lesson{{Lesson: &lesson.Lesson{ID: "a", File: "content/a.md", Body: doc.Body, Meta: lesson.Meta{Title: doc.Body.Title}}, Doc: doc}}
		in.Course = []lesson.Entry{{Lesson: "a", Title: doc.Body.Title, Depth: 1}}
		s, err := page.New(in)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Len() {
			if s.Path(i) != "a.html" {
				continue
			}
			file, err := s.Draw(i)
			if err != nil {
				t.Fatal(err)
			}
			if found := faults(t, file.Data, may); len(found) > 0 {
				t.Errorf("%q is published with %q", src, found)
			}
		}
	})
}
