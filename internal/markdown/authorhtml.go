package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"
)

// tag is a piece of HTML that an author wrote: a tag, a comment, or the text
// between them. A live tag is written from its name and attributes; every other tag
// is shown as text.
type tag struct {
	text   []byte
	value  *value // a value between them, instead of text
	markup bool   // it is a tag or a comment, not text
	name   string // of an allowed element, else ""
	close  bool   // </name>
	empty  bool   // <a id="x"/>, written with its end
	live   bool
	at     int
	attrs  []attribute
}

// readTags reads every piece of HTML in the document. A tag that is not in elements,
// or is not balanced, is shown as text, with a warning.
func (d htmlReader) readTags() {
	scopes := map[ast.Node][]ast.Node{} // the block that holds them → nodes, in order
	var order []ast.Node
	walk(d.root, func(n ast.Node) {
		switch n.(type) {
		case *ast.HTMLBlock, *ast.RawHTML:
		default:
			return
		}
		d.tags[n] = d.scan(n)
		scope := scopeOf(n)
		if scopes[scope] == nil {
			order = append(order, scope)
		}
		scopes[scope] = append(scopes[scope], n)
	})
	for _, scope := range order {
		d.balance(scopes[scope])
	}
}

// scopeOf returns the block in which tags have to balance: blocks of HTML among
// their siblings, inline HTML within its paragraph.
func scopeOf(n ast.Node) ast.Node {
	p := n.Parent()
	for p.Type() == ast.TypeInline {
		p = p.Parent()
	}
	return p
}

// balance makes a tag live when it has its counterpart.
func (d htmlReader) balance(nodes []ast.Node) {
	var open openTags
	for _, n := range nodes {
		for i := range d.tags[n] {
			t := &d.tags[n][i]
			part, isPart := tableParts[t.name]
			switch {
			case t.name == "":
			case t.close && !open.ends(t):
				d.warn(t.at, "html", "</%s> closes nothing and is shown as text", t.plainName())
			case t.close:
				d.noteComponent(t)
			case isPart && !open.begins(part):
				d.warn(t.at, "html", "<%s> is in no table and is shown as text", t.name)
				t.name = ""
			case elements[t.name].void || t.empty:
				t.live = true
			default:
				open.tags = append(open.tags, t)
				if t.name == "table" {
					open.tables++
				}
			}
		}
	}
	for _, t := range open.tags {
		d.warn(t.at, "html", "<%s> is never closed and is shown as text", t.plainName())
	}
}

// noteComponent warns once for each component that its tags are left out.
func (d htmlReader) noteComponent(t *tag) {
	if !strings.HasPrefix(t.name, component) || d.leftOut[t.name] {
		return
	}
	d.leftOut[t.name] = true
	d.warn(t.at, "html", "<%[1]s> … </%[1]s> is left out, here and elsewhere, and what it holds is shown: it is no element of HTML", t.plainName())
}

// plainName returns the name of the element without the prefix component.
func (t *tag) plainName() string { return strings.TrimPrefix(t.name, component) }

// openTags are the tags of a scope that wait for their counterparts.
type openTags struct {
	tags   []*tag
	tables int // how many of them are tables
}

// top returns the innermost open tag, or nil.
func (o *openTags) top() *tag {
	if len(o.tags) == 0 {
		return nil
	}
	return o.tags[len(o.tags)-1]
}

// pop makes the innermost tag live: it has ended.
func (o *openTags) pop() {
	t := o.top()
	t.live = true
	if t.name == "table" {
		o.tables--
	}
	o.tags = o.tags[:len(o.tags)-1]
}

// ends makes a closing tag live together with the tag that it closes, and
// reports whether there is one. The end of a table's part may be left out.
func (o *openTags) ends(t *tag) bool {
	depth := len(o.tags)
	if _, isPart := tableParts[t.name]; isPart || t.name == "table" {
		for depth > 0 && o.tags[depth-1].name != t.name && tableParts[o.tags[depth-1].name] > tableParts[t.name] {
			depth--
		}
	}
	if depth == 0 || o.tags[depth-1].name != t.name {
		return false
	}
	for len(o.tags) >= depth {
		o.pop()
	}
	t.live = true
	return true
}

// begins closes the open parts of a table that an element of this rank closes, and
// reports whether a table is open.
func (o *openTags) begins(rank int) bool {
	if o.tables == 0 {
		return false
	}
	for t := o.top(); t != nil && tableParts[t.name] >= rank; t = o.top() {
		o.pop()
	}
	return true
}

// scan cuts a node's source into tags, comments and text, as a browser would.
func (d htmlReader) scan(n ast.Node) (tags []tag) {
	raw, at := d.raw(n)
	_, block := n.(*ast.HTMLBlock)
	z := html.NewTokenizer(bytes.NewReader(raw))
	for i := 0; i < len(raw); {
		kind := z.Next()
		z.NextIsNotRawText() // elements like <script> are shown as text, so their content is ordinary HTML
		if kind == html.ErrorToken {
			tags = append(tags, d.rest(raw[i:], at(i))...)
			break
		}
		text := raw[i : i+len(z.Raw())]
		switch kind {
		case html.TextToken:
			tags = append(tags, d.cutValues(text, at(i))...)
		case html.CommentToken, html.DoctypeToken:
			tags = append(tags, d.comment(text, at(i)))
		default:
			tags = append(tags, d.tag(z, kind, text, at(i), block))
		}
		i += len(text)
	}
	return tags
}

// rest returns the tags of the text after the last complete tag.
func (d htmlReader) rest(text []byte, at int) []tag {
	if bytes.HasPrefix(text, []byte("<")) && len(text) > 1 && text[1]|0x20 >= 'a' && text[1]|0x20 <= 'z' {
		d.warn(at, "html", "this tag is never ended and is shown as text")
	}
	return d.cutValues(text, at)
}

// comment returns the tag for a comment, or for other markup that is no element.
func (d htmlReader) comment(text []byte, at int) tag {
	t := tag{text: text, markup: true, at: at}
	switch {
	case !bytes.HasPrefix(text, []byte("<!--")):
		name, _, _ := cutSpace(strings.TrimRight(string(text), ">"))
		d.warn(at, "html", "%s is shown as text: it is not among the HTML that a lesson may hold", name)
	case !bytes.HasSuffix(text, []byte("-->")) && !bytes.HasSuffix(text, []byte("--!>")):
		d.warn(at, "html", "this comment is never closed and is shown as text")
	default:
		t.live = true
	}
	return t
}

// tag reads the tag that the tokenizer is at.
func (d htmlReader) tag(z *html.Tokenizer, kind html.TokenType, text []byte, at int, block bool) tag {
	lower, more := z.TagName()
	t := tag{text: text, markup: true, name: string(lower), close: kind == html.EndTagToken, at: at}
	if isComponent(text) && block {
		t.name = component + t.name
		return t
	}
	element, known := elements[t.name]
	switch {
	case !known:
		d.warn(at, "html", "<%s> is shown as text: it is not among the HTML that a lesson may hold", t.name)
		t.name = ""
		return t
	case t.close:
		return t
	}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		d.readAttribute(&t, element, string(key), string(value))
	}
	t.empty = kind == html.SelfClosingTagToken && t.attribute("id") != "" && (t.name == "a" || t.name == "span")
	if t.name == "img" && t.attribute("src") == "" {
		d.warn(at, "html", "<img> is shown as text: it has no src")
		t.name = ""
	}
	return t
}

// readAttribute adds an attribute to t if the element may have it. If a name occurs
// twice, the first counts, as in browsers.
func (d htmlReader) readAttribute(t *tag, element element, key, value string) {
	name := key
	if key == "name" && t.name == "a" {
		key = "id"
	}
	if key == "id" && value == "" || t.hasAttribute(key) {
		return
	}
	if valid, ok := element.attribute(key); ok && valid.MatchString(value) {
		t.attrs = append(t.attrs, attribute{key: key, value: value, at: t.at + attributeAt(t.text, name)})
		return
	}
	if pair := t.name + " " + key; !d.leftOut[pair] { // a table may have a thousand of them
		d.leftOut[pair] = true
		d.warn(t.at, "html", "%s of <%s> is left out, here and below: it is not among the attributes that a lesson may hold", key, t.name)
	}
}

// attributeAt returns the offset in tag of the attribute with that name, or 0.
func attributeAt(tag []byte, name string) int {
	for i := 1; i+len(name) < len(tag); i++ {
		if strings.IndexByte(space+"/\"'", tag[i-1]) >= 0 && bytes.EqualFold(tag[i:i+len(name)], []byte(name)) &&
			strings.IndexByte(space+"=/>", tag[i+len(name)]) >= 0 {
			return i
		}
	}
	return 0
}

// attribute returns the value of an attribute, "" without it.
func (t *tag) attribute(key string) string {
	value, _ := valueOf(t.attrs, key)
	return value
}

func (t *tag) hasAttribute(key string) bool { return hasKey(t.attrs, key) }

// raw returns a node's source without the prefixes of its lines, and a function
// from offsets in it to offsets in the body.
func (d htmlReader) raw(n ast.Node) ([]byte, func(int) int) {
	lines := n.Lines
	if inline, ok := n.(*ast.RawHTML); ok {
		segments := inline.Segments
		return d.join(segments.Len(), func(i int) (int, []byte) {
			s := segments.At(i)
			return s.Start, s.Value(d.src)
		})
	}
	block := n.(*ast.HTMLBlock)
	count := lines().Len()
	if block.HasClosure() {
		count++
	}
	return d.join(count, func(i int) (int, []byte) {
		s := block.ClosureLine
		if i < lines().Len() {
			s = lines().At(i)
		}
		return s.Start, s.Value(d.src)
	})
}

// join returns the concatenation of count pieces, and a function from offsets in it
// to offsets in the body.
func (d htmlReader) join(count int, piece func(int) (int, []byte)) ([]byte, func(int) int) {
	var raw []byte
	var from, to []int
	for i := range count {
		start, value := piece(i)
		from, to = append(from, len(raw)), append(to, start)
		raw = append(raw, value...)
	}
	return raw, func(offset int) int {
		after, _ := slices.BinarySearch(from, offset+1)
		return to[after-1] + offset - from[after-1]
	}
}

// space holds the characters that browsers accept between attributes.
const space = " \t\r\n\f"

// cutSpace cuts s at its first white space, which stays with the rest.
func cutSpace(s string) (before, after string, found bool) {
	if i := strings.IndexAny(s, space); i >= 0 {
		return s[:i], s[i:], true
	}
	return s, "", false
}
