package page

import (
	"fmt"
	"html/template"
	"io/fs"
	"strings"

	"verbatim/internal/highlight"
	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
	"verbatim/internal/search"
)

// Theme is what pages are drawn with: the templates and static files of a
// theme, the colours of code, and the words of the search. It may be used for
// several sites, and by several goroutines.
type Theme struct {
	templates *template.Template
	static    []File
	code      *highlight.Highlighter
	words     *search.Vocabulary
}

// ReadTheme reads a theme: *.html and static/.
func ReadTheme(fsys fs.FS) (*Theme, error) {
	return (&Theme{code: &highlight.Highlighter{}, words: &search.Vocabulary{}}).Again(fsys)
}

// Again reads a theme and keeps what was learnt with the one before: the
// colours of code, and the words of lessons.
func (d *Theme) Again(fsys fs.FS) (*Theme, error) {
	static, names, err := readStatic(fsys)
	if err != nil {
		return nil, err
	}
	scripts, err := readInline(fsys)
	if err != nil {
		return nil, err
	}
	hashes := map[string]string{}
	for name, script := range scripts {
		hashes[name] = inlineHash(script)
	}
	d = &Theme{static: static, code: d.code, words: d.words}
	d.templates, err = template.New("").Funcs(template.FuncMap{
		"date": longDate,
		"plural": func(r []lesson.Range) bool {
			return len(r) > 1 || len(r) == 1 && r[0].From != r[0].To
		},
		"hash":   func(name string) (string, error) { return find(hashes, "script", name) },
		"inline": func(name string) (template.JS, error) { return find(scripts, "script", name) },
		"static": func(name string) (string, error) { return find(names, "static file", name) },
	}).ParseFS(fsys, "*.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	return d, nil
}

// find returns a file of the theme that a template names.
func find[V any](known map[string]V, what, name string) (V, error) {
	v, ok := known[name]
	if !ok {
		return v, fmt.Errorf("no %s %q", what, name)
	}
	return v, nil
}

// Gist is what other pages and the search want to know of a lesson's text.
type Gist struct {
	minutes  int              // to read it
	sections []lesson.Section // without their texts
	words    search.Count
}

// Read makes the gist of a lesson from its parsed text.
func (d *Theme) Read(l *lesson.Lesson, doc *markdown.Doc) *Gist {
	g := &Gist{sections: doc.Sections()}
	g.minutes = minutes(g.sections)
	g.words = d.words.Count(search.Page{Title: title(l), Summary: describe(l), Sections: g.sections})
	for i := range g.sections {
		g.sections[i].Text = ""
	}
	return g
}

// Text is the text of a lesson as its page shows it.
type Text struct {
	HTML     []byte
	h1       template.HTML
	h1ID     string
	contents []entry
	strip    []count
}

// Draw draws the text of a lesson that shows nothing of the rest of the site, so
// that it can be drawn as soon as it was read. It returns false for any other.
func (d *Theme) Draw(l Lesson, imageSize func(file, dest string) (width, height int)) (Text, bool, error) {
	if !l.Body.SelfContained() {
		return Text{}, false, nil
	}
	s := &site{Theme: d, in: Input{ImageSize: imageSize}}
	t, err := newRenderer(s, &l)
	if err != nil {
		return Text{}, false, err
	}
	text, err := t.text()
	return text, true, err
}

// spoken adds what assistive technology misses in the tables and task lists of
// plain Markdown. Neither element can come from an author's HTML.
var spoken = []struct{ plain, spoken string }{
	{"<th>", `<th scope="col">`},
	{"<th align=", `<th scope="col" align=`},
	{`<input checked="" disabled="" type="checkbox"`, `<input checked="" disabled="" type="checkbox" aria-label="done"`},
	{`<input disabled="" type="checkbox"`, `<input disabled="" type="checkbox" aria-label="to do"`},
}

// speak replaces one by one, which is faster than a strings.Replacer: most pages
// have at most one of them.
func speak(html template.HTML) []byte {
	s := string(html)
	for _, element := range spoken {
		s = strings.ReplaceAll(s, element.plain, element.spoken)
	}
	return []byte(s)
}

// text draws the whole text of the page.
func (t *pageRenderer) text() (Text, error) {
	body, err := t.doc.HTML(t)
	if err != nil {
		return Text{}, err
	}
	text := Text{HTML: speak(body), contents: t.toc}
	text.h1, text.h1ID, err = t.doc.Title(t)
	if err != nil {
		return Text{}, err
	}
	if text.h1 == "" {
		text.h1 = template.HTML(template.HTMLEscapeString(title(t.l.Lesson)))
	}
	text.strip = t.strip(t.claimsOf(t.shown()), t.first("example", "v-examples"), t.first("source", "v-sources"))
	return text, nil
}
