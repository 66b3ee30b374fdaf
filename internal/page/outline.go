package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// heading is a heading that the theme adds before containers.
type heading struct {
	Level    int
	ID, Text string
}

// section maps a kind of container to its heading.
type section struct {
	group, sub *heading // shared by neighbours: a level two, and a level three below it
	own        *heading // one for each container
}

var (
	tryIt  = &heading{2, "v-try", "Try it"}
	deeper = &heading{2, "v-deeper", "Go deeper"}
)

// sections is the order of a lesson that its author leaves to the theme.
var sections = map[string]section{
	"predict":  {own: &heading{2, "v-predict", "Before you read: predict"}},
	"summary":  {own: &heading{2, "v-summary", "The 30-second version"}},
	"steps":    {own: &heading{2, "v-steps", "How it works"}},
	"analogy":  {own: &heading{2, "v-analogy", "Analogy"}},
	"example":  {group: &heading{2, "v-examples", "Run for real"}},
	"question": {group: tryIt},
	"exercise": {group: tryIt},
	"tip":      {group: deeper, sub: &heading{3, "v-tips", "Tips"}},
	"source":   {group: deeper, sub: &heading{3, "v-sources", "Sources"}},
}

// entry is a line of "On this page".
type entry struct{ ID, Text string }

// outline sets the headings that the theme puts before each container, and
// the page its contents. An author's own headings come first: right before a
// container they replace its heading, and once there is one of level two,
// groups of containers get none.
func outline(body *lesson.Body) (toc []entry, headings map[*lesson.Container][]heading) {
	headings = map[*lesson.Container][]heading{}
	o := outliner{seen: map[*heading]int{}}
	for _, item := range inOrder(body) {
		if h := item.heading; h != nil {
			o.authored = true
			o.fresh = true
			if h.Level == 2 {
				toc = append(toc, entry{h.ID, h.Text})
			}
			continue
		}
		if item.container.In == nil {
			headings[item.container] = o.before(item.container)
			o.fresh = false
		}
		for _, h := range headings[item.container] {
			if h.Level == 2 {
				toc = append(toc, entry{h.ID, h.Text})
			}
		}
	}
	return toc, headings
}

type outliner struct {
	seen     map[*heading]int
	authored bool // the author has given a heading of their own
	fresh    bool // and it stands right before
}

// before returns the headings before one container.
func (o *outliner) before(c *lesson.Container) (all []heading) {
	s := sections[c.Kind]
	if s.own != nil {
		h := *s.own
		if o.seen[s.own]++; o.seen[s.own] > 1 {
			h.ID = fmt.Sprintf("%s-%d", h.ID, o.seen[s.own])
		}
		if c.Title != "" {
			h.Text += ": " + c.Title
		}
		if !o.fresh {
			return []heading{h}
		}
		if c.Title != "" {
			return []heading{{3, h.ID, c.Title}}
		}
		return nil
	}
	if o.authored {
		return nil
	}
	for _, h := range []*heading{s.group, s.sub} {
		if h == nil {
			continue
		}
		if o.seen[h]++; o.seen[h] == 1 {
			all = append(all, *h)
		}
	}
	return all
}

// item is a heading or a container, in the order of the page.
type item struct {
	pos       problem.Pos
	heading   *lesson.Heading
	container *lesson.Container
}

func inOrder(body *lesson.Body) []item {
	var items []item
	for i := range body.Headings {
		// The first of level one is the page's own.
		if h := &body.Headings[i]; h.Level > 1 {
			items = append(items, item{pos: h.Pos, heading: h})
		}
	}
	for _, c := range body.Containers {
		items = append(items, item{pos: c.Pos, container: c})
	}
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.pos.Col, b.pos.Col))
	})
	return items
}

// isBreak reports whether a label begins the paragraph about where an analogy ends.
func isBreak(label string) bool { return strings.EqualFold(label, "Breaks down when") }
