package claim

import (
	"path"
	"strings"

	"verbatim/internal/lesson"
)

// programs finds the example that used a file, among the examples of one lesson
// and of the lessons that it links to.
type programs struct {
	lesson *lesson.Lesson
	facts  *Facts
	near   map[string]bool // examples; nil until they are needed
	known  map[string]use  // by file
}

// use is an example, and what its run did with a file.
type use struct {
	example string
	as      UsedAs
}

// of returns the example with the strongest use of a file: Run before Given,
// Given before Present, and Present before Unused. Among equals it prefers the example whose folder has the file,
// then the first by name.
func (p *programs) of(file string) use {
	if u, ok := p.known[file]; ok {
		return u
	}
	if p.near == nil {
		p.near, p.known = p.examples(), map[string]use{}
	}
	own := p.owner(file)
	best := use{own, p.facts.Examples[own].Uses[file]}
	for id := range p.near {
		as := p.facts.Examples[id].Uses[file]
		if as > best.as || as == best.as && as > Unused && best.example != own && id < best.example {
			best = use{id, as}
		}
	}
	p.known[file] = best
	return best
}

// owner returns the example in whose folder a file lies, or "".
func (p *programs) owner(file string) string {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if _, ok := p.facts.Examples[dir]; ok {
			return dir
		}
	}
	return ""
}

// examples returns the examples of the lesson and of those that it links to.
func (p *programs) examples() map[string]bool {
	near := map[string]bool{}
	seen := map[string]bool{}
	add := func(file string) {
		l := p.lesson
		if file != l.File {
			if p.facts.Lesson == nil || seen[file] {
				return
			}
			seen[file] = true
			if l = p.facts.Lesson(file); l == nil {
				return
			}
		}
		for _, e := range l.Body.Evidence {
			if e.Example != "" {
				near[l.ExampleOf(e.Example)] = true
			}
			if own := p.owner(e.File); e.File != "" && own != "" {
				near[own] = true
			}
		}
	}
	add(p.lesson.File)
	for _, link := range p.lesson.Body.Links {
		file, _, _ := strings.Cut(link.Dest, "#")
		if path.Ext(file) == ".md" {
			add(path.Join(path.Dir(p.lesson.File), lesson.Unescape(file)))
		}
	}
	for _, refs := range [][]lesson.Ref{p.lesson.Meta.Needs, p.lesson.Meta.Related} {
		for _, ref := range refs {
			add("content/" + ref.ID + ".md")
		}
	}
	return near
}

// code decides whether lines of a file ran.
func (c *Claim) code(f *Facts, p *programs) {
	u := p.of(c.Evidence.File)
	c.Example = u.example
	e := f.Examples[u.example]
	lines := "these very lines of " + path.Base(c.Evidence.File)
	switch {
	case u.example != "" && !e.Ran:
		c.Row = RowOf(NotRun)
	case u.as == Given:
		c.Row, c.Details = RowOf(CodeGiven), []string{lines, "an input of " + u.example}
		c.date(e)
	case u.as == Run:
		c.Row, c.Details = RowOf(CodeRan), []string{lines}
		c.date(e)
	default:
		c.Row, c.Details = RowOf(InRepository), []string{lines}
	}
}
