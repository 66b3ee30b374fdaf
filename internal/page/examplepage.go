package page

import (
	"cmp"
	"html/template"
	"maps"
	"path"
	"slices"
	"strings"

	"verbatim/internal/claim"
)

// examplePath is where an example's own page lies. A transcript, "lesson#id",
// lies in a folder of its lesson's name.
func examplePath(id string) string {
	return "examples/" + strings.ReplaceAll(id, "#", "/") + ".html"
}

// exampleLink leads from a page to an example's own.
func (s *site) exampleLink(id, root string) string {
	if _, ok := s.in.Examples[id]; !ok {
		return ""
	}
	return root + examplePath(id)
}

// exampleView is what the page of an example shows beside a page's frame.
type exampleView struct {
	view
	Example
	Name    string
	Proof   proof
	Shown   []shownLine // lines of its output
	LeftOut int
	Figures []figure
	Sources []sourceFile
	Lessons []link
}

// figure is a value that the run recorded.
type figure struct{ Name, Value, Tolerance string }

// sourceFile is a file of an example, coloured.
type sourceFile struct {
	Path, Language string
	HTML           template.HTML
}

// examplePage draws the page of one example: its files, its record, how to run it
// and where it is used.
func (s *site) examplePage(id string) ([]byte, error) {
	e := s.in.Examples[id]
	page := examplePath(id)
	v := exampleView{view: s.view(page), Example: e, Name: id, Proof: proofOf(claim.OfExample(id, &s.facts)), Shown: showAll(e.Lines, e.Masks)}
	v.Title = cmp.Or(e.Title, "Example "+id)
	v.Description = "The files of the example " + id + ", what it printed, and how to run it."
	if n := len(v.Shown); n > maxLines {
		v.Shown, v.LeftOut = v.Shown[:maxLines], n-maxLines
	}
	for _, name := range slices.Sorted(maps.Keys(e.Values)) {
		v.Figures = append(v.Figures, figure{name, e.Values[name], claim.Tolerance(e.Tolerance[name])})
	}
	for _, f := range e.Files {
		language := strings.TrimPrefix(path.Ext(f.Path), ".")
		v.Sources = append(v.Sources, sourceFile{f.Path, language, s.code.HTML(language, string(f.Data))})
	}
	for _, l := range s.uses()[id] {
		v.Lessons = append(v.Lessons, link{URL: v.Root + pagePath(l.ID), Title: title(l.Lesson)})
	}
	v.TOC = exampleContents(&v)
	return s.execute("examplepage.html", v)
}

func exampleContents(v *exampleView) []entry {
	toc := []entry{{"v-run", "Run it"}, {"v-printed", "What it printed"}}
	if len(v.Figures) > 0 {
		toc = append(toc, entry{"v-values", "What it measured"})
	}
	if len(v.Sources) > 0 {
		toc = append(toc, entry{"v-files", "Its files"})
	}
	return append(toc, entry{"v-lessons", "Where it is used"})
}

// findUses returns the lessons that show, name or rely on each example, in the
// order of their ids.
func (s *site) findUses() map[string][]*Lesson {
	uses := map[string][]*Lesson{}
	for i := range s.in.Lessons {
		l := &s.in.Lessons[i]
		for _, c := range s.claimsOf(l.Lesson) {
			if known := uses[c.Example]; c.Example != "" && (len(known) == 0 || known[len(known)-1] != l) {
				uses[c.Example] = append(known, l)
			}
		}
	}
	return uses
}
