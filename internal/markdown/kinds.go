package markdown

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// kind is one container of the lesson format.
type kind struct {
	name string
	keys string // the keys it may have beside #id
	id   bool   // it must have an id
	once bool   // a lesson has at most one
	// finish finds the parts of a container and checks what can be checked
	// without another file. It runs once every container is known.
	finish func(containerReader, *container)
}

// kinds is the whole format: a new container is a row here, a file with its
// finish function, a test case and a template.
var kinds = []kind{
	{name: "predict", keys: "answered-at check unverified", id: true, finish: containerReader.finishPredict},
	{name: "summary", once: true, finish: containerReader.finishSummary},
	{name: "steps", keys: "analogy", once: true, finish: containerReader.finishSteps},
	{name: "analogy", finish: containerReader.finishAnalogy},
	{name: "example", keys: "title supports", finish: containerReader.finishProse},
	{name: "question", keys: "check unverified", id: true, finish: containerReader.finishQuestion},
	{name: "exercise", keys: "title solution", finish: containerReader.finishExercise},
	{name: "tip", keys: "run when", finish: containerReader.finishTip},
	{name: "source", keys: "supports", id: true, finish: containerReader.finishSource},
	{name: "diagram", keys: "alt", finish: containerReader.finishDiagram},
	{name: "note", finish: containerReader.finishProse},
	{name: "warning", finish: containerReader.finishProse},
}

// names is every container's name, for "did you mean".
var names = func() (all []string) {
	for _, k := range kinds {
		all = append(all, k.name)
	}
	return all
}()

// findKind returns the row of a name, or nil.
func findKind(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

// open makes the container of a line that goes on with rest after its colons.
func (d containerReader) open(rest string, at, restAt int) *container {
	trimmed := strings.TrimLeft(rest, " \t")
	nameAt := restAt + len(rest) - len(trimmed)
	name := trimmed[:strings.IndexAny(trimmed+"{", " \t\r\n{")]
	attrs, wrong := parseAttributes(trimmed[len(name):], nameAt+len(name))
	if wrong != nil {
		d.fail(wrong.at, "container", wrong.hint, "%s", wrong.text)
	}
	return &container{attrs: attrs, fact: &lesson.Container{
		Kind: name, Pos: d.pos(at), Attr: map[string]string{},
	}}
}

// readContainer fills in what every container has.
func (d containerReader) readContainer(c *container) {
	at := offset(c)
	for p := c.Parent(); p != nil && c.fact.In == nil; p = p.Parent() {
		if outer, ok := p.(*container); ok {
			c.fact.In = outer.fact
		}
	}
	d.containers = append(d.containers, c)
	d.Body.Containers = append(d.Body.Containers, c.fact)
	if !c.closed {
		d.fail(at, "container", "end it with a line of three colons", "%s is never closed", orContainer(c.fact.Kind))
	}
	c.kind = findKind(c.fact.Kind)
	if c.kind == nil {
		hint := problem.DidYouMean(c.fact.Kind, names)
		if hint == "" {
			hint = "there are " + strings.Join(names, ", ")
		}
		d.fail(at, "container", hint, "no container %q", c.fact.Kind)
		return
	}
	d.readAttributes(c)
	if c.kind.id && c.fact.ID == "" {
		d.fail(at, c.kind.name, "write ::: "+c.kind.name+" {#an-id}", "this %s needs an id", c.kind.name)
	}
}

func orContainer(name string) string {
	if name == "" {
		return "this container"
	}
	return name
}

func (d containerReader) readAttributes(c *container) {
	keys := strings.Fields(c.kind.keys)
	for _, a := range c.attrs {
		switch {
		case a.key == "#" && c.fact.ID != "":
			d.fail(a.at, "container", "", "a second id")
		case a.key == "#":
			c.fact.ID = a.value
		case !slices.Contains(keys, a.key):
			d.fail(a.at, "container", keyHint(a.key, c.kind.name, keys), "%s has no key %q", c.kind.name, a.key)
		case c.fact.Attr[a.key] != "":
			d.fail(a.at, "container", "", "the key %q twice", a.key)
		default:
			c.fact.Attr[a.key] = a.value
		}
	}
}

func keyHint(key, name string, keys []string) string {
	if hint := problem.DidYouMean(key, keys); hint != "" {
		return hint
	}
	if len(keys) == 0 {
		return name + " has an id and no keys"
	}
	return name + " has " + strings.Join(keys, ", ")
}

// attributeAt returns the place of a key, or of the container without it.
func (c *container) attributeAt(key string) int {
	for _, a := range c.attrs {
		if a.key == key {
			return a.at
		}
	}
	return offset(c)
}

// finish assigns every container its parts, checks how often it occurs and then
// every step number, which needs them all.
func (d containerReader) finish() {
	first := map[string]*container{}
	for _, c := range d.containers {
		c.parts.body = childrenOf(c)
		if c.kind == nil {
			continue
		}
		if earlier := first[c.kind.name]; earlier != nil && c.kind.once {
			d.fail(offset(c), c.kind.name, "", "a second %s: the first is on line %d", c.kind.name, earlier.fact.Pos.Line)
			continue
		}
		if first[c.kind.name] == nil {
			first[c.kind.name] = c
		}
		if supports := c.fact.Attr["supports"]; supports != "" {
			c.fact.Supports = d.ranges(supports, c.attributeAt("supports"))
		}
		c.kind.finish(d, c)
	}
	d.linkAnalogy(first["steps"])
	d.checkSteps()
	questionReader(d).checkQuestions()
}

// ranges reads step numbers that stand at offset at.
func (d containerReader) ranges(s string, at int) []lesson.Range {
	ranges, ok := parseRanges(s, d.pos(at))
	if !ok {
		d.fail(at, "steps", `write "2", "2-3" or "2-3,5"`, "%q is not a list of steps", s)
	}
	return ranges
}

// finishProse is for containers whose content is any Markdown.
func (d containerReader) finishProse(*container) {}

func childrenOf(n ast.Node) (nodes []ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		nodes = append(nodes, c)
	}
	return nodes
}

// walk calls f for every node below root, parents first.
func walk(root ast.Node, f func(ast.Node)) {
	for c := root.FirstChild(); c != nil; c = c.NextSibling() {
		f(c)
		walk(c, f)
	}
}
