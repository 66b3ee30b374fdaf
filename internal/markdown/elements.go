package markdown

import (
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"verbatim/internal/lesson"
)

// element is an HTML element that an author may write.
type element struct {
	attrs map[string]*regexp.Regexp // beside id and title, with the values that they may have
	void  bool                      // it has no closing tag

	breaks bool // what is before its tags is not beside what is behind them
}

// The valid values of attributes.
var (
	anyText = regexp.MustCompile(``)
	number  = regexp.MustCompile(`^[1-9][0-9]{0,3}$`)
	side    = regexp.MustCompile(`^(?:left|center|right)$`)
	extent  = regexp.MustCompile(`^(?:row|col|rowgroup|colgroup)$`)
)

var cell = element{breaks: true, attrs: map[string]*regexp.Regexp{"colspan": number, "rowspan": number, "align": side, "scope": extent}}

// elements holds the elements that an author may write, by name.
var elements = map[string]element{
	"details": {breaks: true, attrs: map[string]*regexp.Regexp{"open": anyText}}, "summary": {breaks: true},
	"br": {breaks: true, void: true}, "kbd": {}, "sub": {}, "sup": {}, "abbr": {}, "del": {}, "ins": {}, "mark": {},
	"a": {attrs: map[string]*regexp.Regexp{"href": anyText}}, "span": {}, "code": {}, "figure": {breaks: true}, "figcaption": {breaks: true},
	"table": {breaks: true}, "caption": {breaks: true}, "thead": {breaks: true}, "tbody": {breaks: true}, "tfoot": {breaks: true}, "tr": {breaks: true}, "td": cell, "th": cell,
	"img": {void: true, attrs: map[string]*regexp.Regexp{"src": anyText, "alt": anyText, "width": number, "height": number}},
}

// tableParts holds the rank of each element that is allowed only in a table and may
// lack its closing tag. An element closes open ones of its own and higher ranks.
var tableParts = map[string]int{
	"thead": 1, "tbody": 1, "tfoot": 1, "tr": 2, "td": 3, "th": 3, "caption": 3,
}

// attribute returns what the value of an attribute may be, and reports whether
// the element may have it.
func (e element) attribute(key string) (*regexp.Regexp, bool) {
	if key == "id" || key == "title" {
		return anyText, true
	}
	valid, ok := e.attrs[key]
	return valid, ok
}

// component is the prefix of tag.name for a component of another tool, such as
// <Listing> or <my-note>. A pair of such tags is left out and its content is shown.
// No element's name contains the prefix.
const component = ":"

var componentName = regexp.MustCompile(`^</?(?:[A-Z][A-Za-z0-9.]*[a-z][A-Za-z0-9.]*|[a-z][a-z0-9]*(?:-[a-z0-9]+)+)[\s/>]`)

// isComponent reports whether a tag is one of a component of another tool: only
// those have capitals and small letters in their names, or a hyphen.
func isComponent(text []byte) bool { return componentName.Match(text) }

// write writes a live tag from its name and its attributes. Of the author's bytes it
// contains only the escaped values of attributes.
func (dr *drawing) write(w util.BufWriter, t *tag, block bool) {
	var before, after template.HTML
	if t.name == "table" && block {
		before, after = dr.theme.Table()
	}
	switch {
	case strings.HasPrefix(t.name, component):
		return
	case t.name == "img":
		dr.image(w, t)
		return
	case t.close:
		_, _ = w.WriteString("</" + t.name + ">" + string(after))
		return
	}
	_, _ = w.WriteString(string(before) + "<" + t.name)
	for _, a := range t.attrs {
		if a.key == "id" && !idWord.MatchString(a.value) {
			continue // reported elsewhere
		}
		value := a.value
		if a.key == "href" {
			value = string(util.URLEscape([]byte(pageOf(value)), true))
		}
		_, _ = w.WriteString(" " + a.key)
		if a.key != "open" {
			_, _ = w.WriteString(`="` + template.HTMLEscapeString(value) + `"`)
		}
	}
	_ = w.WriteByte('>')
	if t.empty {
		_, _ = w.WriteString("</" + t.name + ">")
	}
}

// image writes an <img> like Markdown's ![](), with the author's size if there is
// one.
func (dr *drawing) image(w util.BufWriter, t *tag) {
	src, alt, title := t.attribute("src"), t.alt(), t.attribute("title")
	_, _ = w.WriteString(`<img src="` + string(util.EscapeHTML(util.URLEscape([]byte(src), true))) + `" alt="` + template.HTMLEscapeString(alt) + `"`)
	if title != "" {
		_, _ = w.WriteString(` title="` + template.HTMLEscapeString(title) + `"`)
	}
	size := t.attribute("width") != "" || t.attribute("height") != ""
	for _, key := range []string{"id", "width", "height"} {
		if value := t.attribute(key); value != "" && (key != "id" || idWord.MatchString(value)) {
			_, _ = w.WriteString(" " + key + `="` + value + `"`)
		}
	}
	if !size {
		writeSize(w, dr.theme, src)
	}
	_ = w.WriteByte('>')
}

// alt returns the alternative text of an <img> in one line.
func (t *tag) alt() string { return strings.Join(strings.Fields(t.attribute("alt")), " ") }

// readAddresses records the links and images in an author's HTML, and removes
// addresses that are not allowed.
func (d htmlReader) readAddresses(n ast.Node) {
	for i := range d.tags[n] {
		t := &d.tags[n][i]
		key := map[string]string{"img": "src", "a": "href"}[t.name]
		if !t.live || !t.hasAttribute(key) {
			continue
		}
		link := lesson.Link{Pos: d.pos(t.at), Dest: t.attribute(key), Text: t.alt(), Image: t.name == "img"}
		if !blockReader(d).noteLink(link) {
			t.attrs = slices.DeleteFunc(t.attrs, func(a attribute) bool { return a.key == key })
		}
	}
}
