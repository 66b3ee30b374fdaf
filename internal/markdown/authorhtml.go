package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// tag is a piece of HTML that an author wrote: a tag, a comment, or the text
// between them. Only a live one keeps its angle brackets.
type tag struct {
	text  []byte
	value *value // a value between them, instead of text
	name  string // of an element, "" for text and comments
	close bool   // </name>
	live  bool
	at    int
	attrs []attribute
}

// elements are those an author may write, with the attributes they may have;
// void ones have no closing tag.
var elements = map[string]struct {
	attrs string
	void  bool
}{
	"details": {attrs: "id open title"}, "summary": {attrs: "id title"},
	"br":  {attrs: "id title", void: true},
	"kbd": {attrs: "id title"}, "sub": {attrs: "id title"}, "sup": {attrs: "id title"},
	"abbr": {attrs: "id title"}, "del": {attrs: "id title"}, "ins": {attrs: "id title"},
	"a": {attrs: "id title"},
}

// space is white space as browsers know it between attributes.
const space = " \t\r\n\f"

// readTags decides about every piece of HTML in the document: what is not in
// elements, or does not nest, is shown as text, with a warning.
func (d *Doc) readTags() {
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

// scopeOf gives the block in which tags have to balance: blocks of HTML among
// their siblings, inline HTML within its paragraph.
func scopeOf(n ast.Node) ast.Node {
	p := n.Parent()
	for p.Type() == ast.TypeInline {
		p = p.Parent()
	}
	return p
}

// balance makes a tag live when it has its counterpart.
func (d *Doc) balance(nodes []ast.Node) {
	var open []*tag
	for _, n := range nodes {
		for i := range d.tags[n] {
			t := &d.tags[n][i]
			switch {
			case t.name == "":
			case !t.close && elements[t.name].void:
				t.live = true
			case !t.close:
				open = append(open, t)
			case len(open) > 0 && open[len(open)-1].name == t.name:
				open[len(open)-1].live, t.live = true, true
				open = open[:len(open)-1]
			default:
				d.warn(t.at, "html", "</%s> closes nothing and is shown as text", t.name)
			}
		}
	}
	for _, t := range open {
		d.warn(t.at, "html", "<%s> is never closed and is shown as text", t.name)
	}
}

// scan cuts a node's source into tags, comments and text.
func (d *Doc) scan(n ast.Node) []tag {
	raw, at := d.raw(n)
	ends := tagEnds(raw)
	var tags []tag
	literal := 0
	for i := 0; i < len(raw); {
		if raw[i] != '<' {
			i++
			continue
		}
		t, size := d.scanTag(raw[i:], ends[i]-i, at(i))
		if size == 0 {
			i++
			continue
		}
		if literal < i {
			tags = append(tags, d.cutValues(raw[literal:i], at(literal))...)
		}
		tags = append(tags, t)
		i += size
		literal = i
	}
	if literal < len(raw) {
		tags = append(tags, d.cutValues(raw[literal:], at(literal))...)
	}
	return tags
}

// raw gives a node's source without the prefixes of its lines, and a function
// from offsets in it to offsets in the body.
func (d *Doc) raw(n ast.Node) ([]byte, func(int) int) {
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

// join puts pieces together and remembers where each came from.
func (d *Doc) join(count int, piece func(int) (int, []byte)) ([]byte, func(int) int) {
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

// scanTag reads the comment or tag at the start of s, where a tag would have
// that length. Size 0 means that there is none; a tag that an author may not
// write is text, with a warning.
func (d *Doc) scanTag(s []byte, length, at int) (t tag, size int) {
	if len(s) < 3 {
		return t, 0
	}
	if bytes.HasPrefix(s, []byte("<!--")) {
		end := bytes.Index(s[2:], []byte("-->"))
		if end < 0 {
			d.warn(at, "html", "this comment is never closed and is shown as text")
			return tag{text: s, at: at}, len(s)
		}
		size = end + 2 + len("-->")
		if bytes.Contains(s[:size], []byte("--!>")) { // where browsers end it, and CommonMark does not
			d.warn(at, "html", "this comment holds --!> and is shown as text")
			return tag{text: s[:size], at: at}, size
		}
		return tag{text: s[:size], live: true, at: at}, size
	}
	if !isTag(s) || length <= 0 {
		return t, 0
	}
	size = length
	inside := strings.TrimSuffix(string(s[1:size-1]), "/")
	inside, closes := strings.CutPrefix(inside, "/")
	name, rest, _ := cutSpace(inside)
	name = strings.ToLower(name)
	t = tag{text: s[:size], name: name, close: closes, at: at}
	element, known := elements[name]
	if !known {
		d.warn(at, "html", "<%s> is shown as text: it is not among the HTML that a lesson may hold", name)
		return tag{text: t.text, at: at}, size
	}
	attrs, bad := htmlAttributes(rest, at+size-1-len(rest), element.attrs)
	if bad != "" || closes && len(attrs) > 0 {
		d.warn(at, "html", "<%s> is shown as text: it may not have the attribute %q", name, bad)
		return tag{text: t.text, at: at}, size
	}
	t.attrs = attrs
	return t, size
}

// isTag tells whether s, which begins with "<", goes on with the name of a tag.
func isTag(s []byte) bool {
	i := 1
	if s[i] == '/' {
		i++
	}
	return i < len(s) && s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z'
}

// tagEnds gives for each "<" of s the offset behind the first ">" after it that
// stands outside of quotes, 0 if there is none. It goes backwards, and so looks
// at each byte once, however many tags are never closed.
func tagEnds(s []byte) map[int]int {
	ends := map[int]int{}
	plain, single, double := 0, 0, 0 // where a tag ends, seen from here: outside of quotes, inside them
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case '>':
			plain = i + 1
		case '<':
			ends[i] = plain
		case '\'':
			plain, single = single, plain
		case '"':
			plain, double = double, plain
		}
	}
	return ends
}

// htmlAttributes reads the attributes of a tag and names the first one that is
// not allowed.
func htmlAttributes(s string, at int, allowed string) (attrs []attribute, bad string) {
	for {
		trimmed := strings.TrimLeft(s, space)
		at += len(s) - len(trimmed)
		s = strings.TrimRight(trimmed, space)
		if s == "" {
			return attrs, ""
		}
		end := strings.IndexAny(s, "="+space)
		if end < 0 {
			end = len(s)
		}
		a := attribute{key: strings.ToLower(s[:end]), at: at}
		rest := strings.TrimLeft(s[end:], space)
		if value, ok := strings.CutPrefix(rest, "="); ok {
			a.value, rest = attributeValue(strings.TrimLeft(value, space))
		}
		if !slices.Contains(strings.Fields(allowed), a.key) {
			return nil, s[:max(end, 1)]
		}
		attrs = append(attrs, a)
		at += len(s) - len(rest)
		s = rest
	}
}

// attributeValue reads a quoted or bare value and gives what follows it.
func attributeValue(s string) (value, rest string) {
	if s != "" && (s[0] == '"' || s[0] == '\'') {
		if end := strings.IndexByte(s[1:], s[0]); end >= 0 {
			return s[1 : end+1], s[end+2:]
		}
	}
	value, rest, _ = cutSpace(s)
	return value, rest
}

// cutSpace cuts s at its first white space, which stays with the rest.
func cutSpace(s string) (before, after string, found bool) {
	if i := strings.IndexAny(s, space); i >= 0 {
		return s[:i], s[i:], true
	}
	return s, "", false
}
