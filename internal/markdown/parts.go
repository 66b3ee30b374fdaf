package markdown

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"verbatim/internal/lesson"
)

// parts is where the pieces of a container are in the tree. Which are set
// depends on the kind.
type parts struct {
	body    []ast.Node // all that has no other place, in order
	after   []ast.Node // what follows the parts below
	options []option
	answer  []ast.Node
	folds   []fold
	items   []ast.Node
	likes   [][]int // per item, the rows of the analogy that cover it
	analogy *container
	head    []ast.Node
	rows    [][]ast.Node
	notes   []note
	link    ast.Node
	quotes  []ast.Node
}

// option is an answer that a question offers, and the item that says why not.
type option struct {
	letter       string
	item, reason ast.Node
}

// fold is the text between <details><summary>title</summary> and
// </details>.
type fold struct {
	title string
	at    int
	nodes []ast.Node
}

// note is a paragraph that opens with bold words and a colon.
type note struct {
	label string
	node  ast.Node
}

// foldTitle reads the opening of a fold.
var foldTitle = regexp.MustCompile(`(?is)^\s*<details[^>]*>\s*<summary[^>]*>\s*(.*?)\s*</summary>\s*$`)

// folds takes the folds out of a run of siblings.
func (d containerReader) folds(c *container, nodes []ast.Node) (before []ast.Node, folds []fold, after []ast.Node) {
	for i := 0; i < len(nodes); i++ {
		title, ok := d.foldOpens(nodes[i])
		if !ok && len(folds) == 0 {
			before = append(before, nodes[i])
			continue
		}
		if !ok {
			after = append(after, nodes[i])
			continue
		}
		f := fold{title: title, at: offset(nodes[i])}
		for i++; i < len(nodes) && !d.foldCloses(nodes[i]); i++ {
			f.nodes = append(f.nodes, nodes[i])
		}
		if i == len(nodes) {
			d.fail(f.at, c.kind.name, "end it with </details> on a line of its own, after a blank line", "this fold is never closed")
		}
		folds = append(folds, f)
	}
	return before, folds, after
}

func (d containerReader) foldOpens(n ast.Node) (title string, ok bool) {
	html, ok := n.(*ast.HTMLBlock)
	if !ok {
		return "", false
	}
	raw, _ := htmlReader(d).raw(html)
	m := foldTitle.FindSubmatch(raw)
	if m == nil {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(string(raw))), "<details") {
			d.fail(offset(n), "fold", "leave a blank line after </summary> and before </details>",
				"a fold opens with <details><summary>…</summary> on one line")
		}
		return "", false
	}
	return string(unescape(m[1])), true
}

func (d containerReader) foldCloses(n ast.Node) bool {
	html, ok := n.(*ast.HTMLBlock)
	if !ok {
		return false
	}
	raw, _ := htmlReader(d).raw(html)
	return strings.EqualFold(strings.TrimSpace(string(raw)), "</details>")
}

// takeBold removes the bold words that open a paragraph and returns their text,
// "" when it opens otherwise.
func (d containerReader) takeBold(n ast.Node) string {
	bold, ok := boldStart(n)
	if !ok {
		return ""
	}
	label := d.text(bold)
	next := bold.NextSibling()
	n.RemoveChild(n, bold)
	if t, ok := next.(*ast.Text); ok {
		t.Segment = t.Segment.TrimLeftSpace(d.src)
	}
	return label
}

// boldStart returns the bold words that open a paragraph.
func boldStart(n ast.Node) (*ast.Emphasis, bool) {
	if _, ok := n.(*ast.Paragraph); !ok {
		return nil, false
	}
	bold, ok := n.FirstChild().(*ast.Emphasis)
	return bold, ok && bold.Level == 2
}

func (d containerReader) finishSummary(c *container) {
	c.fact.Words = len(strings.Fields(d.text(c)))
	if c.fact.Words > 80 {
		d.warn(offset(c), "summary", "the summary has %d words; 80 are read in 30 seconds", c.fact.Words)
	}
}

func (d containerReader) finishSteps(c *container) {
	for _, n := range c.parts.body {
		list, ok := n.(*ast.List)
		if !ok || !list.IsOrdered() || c.parts.items != nil {
			d.fail(offset(n), "steps", "put other text before or after the container", "steps holds one numbered list and nothing else")
			continue
		}
		c.parts.items = childrenOf(list)
	}
	c.fact.Steps = len(c.parts.items)
	if c.fact.Steps == 0 {
		d.fail(offset(c), "steps", "", "steps holds no numbered list")
	}
	c.parts.body = nil
	c.parts.likes = make([][]int, c.fact.Steps)
}

func (d containerReader) finishAnalogy(c *container) {
	var body []ast.Node
	for i, n := range c.parts.body {
		table, isTable := n.(*east.Table)
		bold, isBold := boldStart(n)
		switch {
		case isTable && c.parts.head == nil:
			d.readAnalogyTable(c, table)
		case i == 0 && isBold:
			c.fact.Title = strings.TrimRight(d.takeBold(n), ".: ")
			body = append(body, n)
		case isBold && strings.HasSuffix(d.text(bold), ":"):
			label := strings.TrimSuffix(d.takeBold(n), ":")
			c.parts.notes = append(c.parts.notes, note{label, n})
			c.fact.Notes = append(c.fact.Notes, label)
		case c.parts.notes != nil:
			c.parts.after = append(c.parts.after, n)
		default:
			body = append(body, n)
		}
	}
	c.parts.body = body
	d.checkAnalogy(c)
}

func (d containerReader) checkAnalogy(c *container) {
	at := offset(c)
	if c.fact.Title == "" {
		d.fail(at, "analogy", "open it with a paragraph that begins **The title.**", "this analogy has no title line")
	}
	if c.parts.head == nil {
		d.fail(at, "analogy", "", "this analogy has no table")
	}
	for _, label := range c.fact.Notes {
		if strings.EqualFold(label, "Breaks down when") {
			return
		}
	}
	d.fail(at, "analogy", "add a paragraph that begins **Breaks down when:**", "this analogy does not say where it breaks down")
}

func (d containerReader) readAnalogyTable(c *container, table *east.Table) {
	c.parts.head = childrenOf(table.FirstChild())
	if len(c.parts.head) != 3 {
		d.fail(offset(table), "analogy", "the columns are: in the analogy, in the system, steps",
			"the table has %d columns, not 3", len(c.parts.head))
		return
	}
	for _, row := range childrenOf(table)[1:] {
		cells := childrenOf(row)
		var steps []lesson.Range
		if cell := d.text(cells[2]); cell != "" {
			steps = d.ranges(cell, offset(cells[2]))
		} else {
			d.fail(offset(row), "analogy", "name them in the third column", "this row names no steps")
		}
		c.fact.Rows = append(c.fact.Rows, lesson.Row{Pos: d.pos(offset(row)), Steps: steps})
		c.parts.rows = append(c.parts.rows, cells)
	}
}

func (d containerReader) finishExercise(c *container) {
	c.parts.body, c.parts.folds, c.parts.after = d.folds(c, c.parts.body)
	for _, f := range c.parts.folds {
		switch strings.ToLower(f.title) {
		case "solution":
			c.fact.Solution = true
		case "hint":
		default:
			d.fail(f.at, "exercise", "", "an exercise has folds named Hint and Solution, not %q", f.title)
		}
	}
	if !c.fact.Solution && c.fact.Attr["solution"] != "none" {
		d.fail(offset(c), "exercise", "add <details><summary>Solution</summary>, or solution=none", "this exercise has no solution")
	}
}

func (d containerReader) finishTip(c *container) {
	if len(c.parts.body) == 1 && c.parts.body[0].Kind() == ast.KindParagraph {
		return
	}
	d.fail(offset(c), "tip", "", "a tip is one paragraph")
}

func (d containerReader) finishDiagram(c *container) {
	if strings.TrimSpace(c.fact.Attr["alt"]) == "" {
		d.fail(offset(c), "diagram", `add alt="what the picture says, in words"`, "this diagram has no text alternative")
	}
	for _, n := range c.parts.body {
		if n.Kind() == ast.KindFencedCodeBlock {
			return
		}
	}
	d.fail(offset(c), "diagram", "draw it in a fence, ```text", "this diagram holds no fence")
}

func (d containerReader) finishSource(c *container) {
	var rest []ast.Node
	d.liftQuotes(c)
	for _, n := range childrenOf(c) {
		link := firstLink(n)
		switch {
		case n.Kind() == ast.KindBlockquote: // one of the quotations
		case link != nil && c.parts.link == nil && n.Kind() == ast.KindParagraph:
			c.parts.link = n
			c.fact.URL = link.dest(d.src)
		default:
			rest = append(rest, n)
		}
	}
	c.parts.body = rest
	if c.parts.link == nil {
		d.fail(offset(c), "source", "begin with [title](https://…)", "this source has no link")
	}
	if len(c.fact.Quotes) == 0 {
		d.fail(offset(c), "source", "quote it in a line that begins with >, or name it in an ordinary list", "this source has no quotation")
	}
}

// unquote takes off one pair of quotation marks around s, if neither mark
// occurs inside.
func unquote(s string) string {
	for _, pair := range []string{`""`, "“”", "''", "‘’", "«»", "„“"} {
		marks := []rune(pair)
		inside, ok := strings.CutPrefix(s, string(marks[0]))
		if !ok {
			continue
		}
		inside, ok = strings.CutSuffix(inside, string(marks[1]))
		if ok && !strings.ContainsAny(inside, pair) {
			return strings.TrimSpace(inside)
		}
	}
	return s
}
