package markdown

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
)

// readBlocks notes containers, fences and values, in order.
func (d blockReader) readBlocks() {
	walk(d.root, func(n ast.Node) {
		switch n := n.(type) {
		case *container:
			containerReader(d).readContainer(n)
		case *ast.FencedCodeBlock:
			fenceReader(d).readFence(n)
		case *value:
			d.Body.Values = append(d.Body.Values, n.fact)
		case *ast.HTMLBlock:
			for _, t := range d.tags[n] {
				if t.value != nil {
					d.Body.Values = append(d.Body.Values, t.value.fact)
				}
			}
		case *ast.Paragraph:
			if d.Body.FirstSentence == "" && n.Parent() == d.root {
				d.Body.FirstSentence = firstSentence(d.text(n))
			}
		}
	})
}

// idWord is what an id may look like.
var idWord = regexp.MustCompile(`^[\pL\pN][\pL\pN_.-]*$`)

// giveIDs sets the ids of a lesson: first those that authors chose, then the
// steps, then those of headings, which make way.
func (d blockReader) giveIDs() {
	for _, c := range d.containers {
		if c.fact.ID != "" {
			d.claim(c.fact.ID, c.attributeAt("#"))
		}
	}
	for _, a := range d.fenceIDs {
		d.claim(a.value, a.at)
	}
	for _, c := range d.containers {
		for i := range stepItems(c) {
			d.Body.IDs[fmt.Sprintf("step-%d", i+1)] = c.fact.Pos
		}
	}
	walk(d.root, func(n ast.Node) {
		for _, t := range d.tags[n] {
			for _, a := range t.attrs {
				if t.live && a.key == "id" {
					d.claim(a.value, a.at)
				}
			}
		}
	})
	var headings []*ast.Heading
	walk(d.root, func(n ast.Node) {
		if h, ok := n.(*ast.Heading); ok {
			headings = append(headings, h)
			d.claimHeading(h)
		}
	})
	for _, h := range headings {
		d.readHeading(h)
	}
}

// stepItems returns the items of a steps container.
func stepItems(c *container) []ast.Node {
	if c.fact.Kind != "steps" {
		return nil
	}
	for _, n := range childrenOf(c) {
		if list, ok := n.(*ast.List); ok && list.IsOrdered() {
			return childrenOf(list)
		}
	}
	return nil
}

// claim takes an id that an author chose.
func (d blockReader) claim(id string, at int) {
	earlier, taken := d.Body.IDs[id]
	switch {
	case taken:
		d.fail(at, "id", "", "the id %q is taken: line %d has it", id, earlier.Line)
	case !idWord.MatchString(id):
		d.fail(at, "id", "use letters, digits, - _ and .", "%q is not an id", id)
	case strings.HasPrefix(id, "v-"):
		d.fail(at, "id", "", "ids that begin with v- are the theme's")
	}
	if !taken {
		d.Body.IDs[id] = d.pos(at)
	}
}

// claimHeading takes the id in a heading's attributes and drops all others.
func (d blockReader) claimHeading(h *ast.Heading) {
	for _, a := range h.Attributes() {
		value, isText := a.Value.([]byte)
		if string(a.Name) == "id" && isText {
			d.claim(string(value), offset(h))
			continue
		}
		d.warn(offset(h), "heading", "the heading's attribute %q is left out: headings have an id only", a.Name)
	}
	id, ok := h.AttributeString("id")
	h.RemoveAttributes()
	if value, isText := id.([]byte); ok && isText && idWord.Match(value) {
		h.SetAttributeString("id", value)
	}
}

// readHeading notes a heading, with an id. The first of level one is the title.
func (d blockReader) readHeading(h *ast.Heading) {
	heading := lesson.Heading{Pos: d.at(h), Level: h.Level, Text: d.text(h)}
	if id, ok := h.AttributeString("id"); ok {
		heading.ID = string(id.([]byte))
	} else {
		heading.ID = d.freeID(slug(heading.Text))
		d.Body.IDs[heading.ID] = heading.Pos
		h.SetAttributeString("id", []byte(heading.ID))
	}
	d.Body.Headings = append(d.Body.Headings, heading)
	switch {
	case h.Level != 1:
	case d.title == nil && h.Parent() == d.root:
		d.title = h
		d.Body.Title = heading.Text
	default:
		d.warn(offset(h), "heading", "a second heading of level one is shown as level two")
		h.Level = 2
	}
}

// takeTitle takes the title out of the body: the page shows it elsewhere. Every
// walk of the tree is before: a title is checked like all other text.
func (d blockReader) takeTitle() {
	if d.title != nil {
		d.root.RemoveChild(d.root, d.title)
	}
}

// slug makes an id of a heading's text as GitHub does: lower case, letters,
// digits, - and _ stay, a space becomes a hyphen, all else goes.
func slug(text string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r), r == '-', r == '_':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.ToLower(text))
	switch {
	case id == "":
		return "section"
	case strings.HasPrefix(id, "v-"): // the theme's
		return "section-" + id
	}
	return id
}

// freeID returns id, or the first of id-1, id-2 … that is free.
func (d blockReader) freeID(id string) string {
	free := id
	for {
		if _, taken := d.Body.IDs[free]; !taken {
			return free
		}
		d.repeats[id]++
		free = fmt.Sprintf("%s-%d", id, d.repeats[id])
	}
}

// target is a link of any kind.
type target struct {
	node  ast.Node
	image bool
}

// dest is where it leads, as the author wrote it.
func (t *target) dest(src []byte) string {
	switch n := t.node.(type) {
	case *ast.Link:
		return string(unescape(n.Destination))
	case *ast.Image:
		return string(unescape(n.Destination))
	}
	return string(t.node.(*ast.AutoLink).URL(src))
}

func asTarget(n ast.Node) *target {
	switch n.(type) {
	case *ast.Link, *ast.AutoLink:
		return &target{node: n}
	case *ast.Image:
		return &target{node: n, image: true}
	}
	return nil
}

// firstLink returns the first link below n, or nil.
func firstLink(n ast.Node) (first *target) {
	walk(n, func(n ast.Node) {
		if t := asTarget(n); t != nil && !t.image && first == nil {
			first = t
		}
	})
	return first
}

// readInlines notes links and images, and makes links to lessons links to
// their pages.
func (d blockReader) readInlines() {
	linked := map[ast.Node]bool{} // items of which the first link was seen
	var refused []ast.Node
	quotes := map[ast.Node]*inlineQuote{}
	courses := map[ast.Node]bool{} // outermost blocks with a link to what may be a lesson
	walk(d.root, func(n ast.Node) {
		containerReader(d).noteAltering(n)
		t := asTarget(n)
		if t == nil {
			htmlReader(d).readAddresses(n)
			return
		}
		if q, ok := d.readInlineQuote(n); ok {
			quotes[n] = q
			return
		}
		link := lesson.Link{Pos: d.at(n), Dest: t.dest(d.src), Text: d.text(n), Image: t.image}
		item, depth := itemOf(n)
		if item != nil && !t.image && !linked[item] {
			linked[item] = true
			link.ListItem, link.Depth = true, depth
		}
		if !d.noteLink(link) {
			refused = append(refused, n)
			return
		}
		setDest(n, pageOf(link.Dest))
		if item != nil && (strings.Contains(link.Dest, ".md") || strings.Contains(link.Dest, ".html")) {
			courses[outermost(n)] = true
		}
	})
	for _, n := range refused { // not while walking: one may leave the tree
		d.disarm(n)
	}
	for n, q := range quotes {
		q.replace(n)
	}
	for n := range courses {
		if list, ok := n.(*ast.List); ok {
			d.readCourse(list)
		}
	}
}

// noteLink notes a link or an image and reports whether it may lead where it
// does.
func (d blockReader) noteLink(link lesson.Link) bool {
	d.Body.Links = append(d.Body.Links, link)
	if link.Image && link.Text == "" {
		d.problems.Warn(link.Pos, "image", "this image has no alternative text")
	}
	scheme := badScheme(link.Dest)
	if scheme != "" {
		d.problems.AddHint(link.Pos, "link", "link to a page or a file instead", "a %s: link is not allowed", scheme)
		return false
	}
	if before, source, _ := strings.Cut(link.Dest, ":"); quoteLike(before) {
		d.problems.AddHint(link.Pos, "link", "write [the quoted words]("+quoteScheme+source+")", "this is no quotation, and no page has the address %q", link.Dest)
		return false
	}
	return true
}

// outermost returns the block around n that is in no other.
func outermost(n ast.Node) ast.Node {
	for p := n.Parent(); p != nil && p.Kind() != ast.KindDocument; p = n.Parent() {
		n = p
	}
	return n
}

// itemOf returns the innermost list item around a node and the depth of its list.
func itemOf(n ast.Node) (item ast.Node, depth int) {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if p.Kind() != ast.KindListItem {
			continue
		}
		depth++
		if item == nil {
			item = p
		}
	}
	return item, depth
}

// badScheme names the scheme of a link that could run or hide something. As
// browsers do, it looks past control characters and white space.
func badScheme(dest string) string {
	dest = strings.Map(func(r rune) rune {
		if r <= ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, dest)
	for _, scheme := range []string{"javascript", "vbscript", "data"} {
		if strings.HasPrefix(dest, scheme+":") {
			return scheme
		}
	}
	return ""
}

// setDest changes where a link leads.
func setDest(n ast.Node, dest string) {
	if link, ok := n.(*ast.Link); ok && dest != string(unescape(link.Destination)) {
		link.Destination = []byte(dest)
	}
}

// disarm leaves a link's words and takes away where it leads.
func (d blockReader) disarm(n ast.Node) {
	switch n := n.(type) {
	case *ast.Link:
		n.Destination = nil
	case *ast.Image:
		n.Destination = nil
	case *ast.AutoLink:
		n.Parent().ReplaceChild(n.Parent(), n, ast.NewString(n.Label(d.src)))
	}
}

// pageOf turns a link to a lesson's source into one to its page.
func pageOf(dest string) string {
	file, fragment, _ := strings.Cut(dest, "#")
	if strings.ContainsAny(file, ":&\\") || strings.HasPrefix(file, "//") || path.Ext(file) != ".md" {
		return dest
	}
	page := strings.TrimSuffix(file, ".md") + ".html"
	if fragment != "" {
		page += "#" + fragment
	}
	return page
}

// readCourse notes the items of a list, and of those in it, if any leads to a
// lesson: on the home page that is the course.
func (d blockReader) readCourse(list *ast.List) {
	var entries []lesson.Entry
	lessons := 0
	walk(list, func(n ast.Node) {
		if n.Kind() != ast.KindListItem {
			return
		}
		_, depth := itemOf(n)
		entry := lesson.Entry{Depth: depth + 1, Pos: d.at(n)}
		head := n.FirstChild()
		if head == nil {
			return
		}
		entry.Title = d.text(head)
		if link := firstLink(head); link != nil {
			entry.Title = d.text(link.node)
			file, _, _ := strings.Cut(link.dest(d.src), "#")
			if id, ok := strings.CutSuffix(lesson.Unescape(file), ".html"); ok && !strings.Contains(id, ":") {
				entry.Lesson = path.Clean(id)
				lessons++
			}
		}
		entries = append(entries, entry)
	})
	if lessons > 0 {
		d.courses[list] = entries
	}
}
