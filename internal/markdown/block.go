package markdown

import (
	"html/template"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
)

// Block is a container ready to draw: its facts, and its pieces as HTML. Which
// pieces there are depends on Kind.
type Block struct {
	*lesson.Container
	Label  string        // an alert: what it is called
	Body   template.HTML // all that is not in a piece of its own; a question's stem
	After  template.HTML // what follows the pieces
	Number int           // a question's, from 1
	Ask    template.HTML // predict, question: the stem's last paragraph, which Body then lacks

	Choices []Choice      // predict, question
	Why     template.HTML // predict, question: the answer, or why the key is right
	Folds   []Fold        // exercise
	Items   []Item        // steps
	Head    []template.HTML
	Lines   []Line  // analogy
	RunIns  []RunIn // analogy
	Link    template.HTML
	Quoted  []Quotation // source
}

// Choice is one option of a question.
type Choice struct {
	Letter    string
	Key       bool
	HTML, Why template.HTML
}

// Fold is what a reader opens to see.
type Fold struct {
	Title string
	HTML  template.HTML
}

// Item is one step.
type Item struct {
	N     int
	HTML  template.HTML
	Likes []Like
}

// Like is the line of the analogy that belongs to a step: At is the table's
// head, Said its first column, Meant its second.
type Like struct{ At, Said, Meant template.HTML }

// Line is one row of an analogy.
type Line struct {
	Said, Meant template.HTML
	Steps       []lesson.Range
}

// RunIn is a paragraph that opens with bold words.
type RunIn struct {
	Label string
	HTML  template.HTML
}

// Quotation is one quotation of a source.
type Quotation struct {
	lesson.Quote
	HTML template.HTML
}

// block draws the pieces of a container.
func (dr *drawing) block(c *container) *Block {
	p := &c.parts
	b := &Block{Container: c.fact}
	switch c.fact.Kind {
	case "question":
		dr.number++
		b.Number = dr.number
		b.Body, b.Ask = dr.stem(p.body)
	case "predict":
		b.Body, b.Ask = dr.stem(p.body)
	default:
		b.Body = dr.html(p.body...)
	}
	for _, o := range p.options {
		choice := Choice{Letter: o.letter, Key: o.letter == c.fact.Key, HTML: dr.inline(o.item)}
		if o.reason != nil {
			choice.Why = dr.inline(o.reason)
		}
		b.Choices = append(b.Choices, choice)
	}
	b.Why = dr.html(p.answer...)
	for _, f := range p.folds {
		b.Folds = append(b.Folds, Fold{f.title, dr.html(f.nodes...)})
	}
	for i, item := range p.items {
		b.Items = append(b.Items, Item{N: i + 1, HTML: dr.step(item), Likes: dr.likes(p, i)})
	}
	for _, cell := range p.head {
		b.Head = append(b.Head, dr.inline(cell))
	}
	for i, cells := range p.rows {
		b.Lines = append(b.Lines, Line{dr.inline(cells[0]), dr.inline(cells[1]), c.fact.Rows[i].Steps})
	}
	for _, n := range p.notes {
		b.RunIns = append(b.RunIns, RunIn{n.label, dr.inline(n.node)})
	}
	if p.link != nil {
		b.Link = dr.inline(p.link)
	}
	for i, n := range p.quotes {
		b.Quoted = append(b.Quoted, Quotation{c.fact.Quotes[i], dr.quotation(n, c.fact.Quotes[i])})
	}
	b.After = dr.html(p.after...)
	return b
}

// stem draws what comes before the options: what is asked is its last
// paragraph.
func (dr *drawing) stem(nodes []ast.Node) (before, ask template.HTML) {
	last := len(nodes) - 1
	if last < 0 || nodes[last].Kind() != ast.KindParagraph {
		return dr.html(nodes...), ""
	}
	return dr.html(nodes[:last]...), dr.inline(nodes[last])
}

// step draws an item; the text of a tight list is a paragraph all the same.
func (dr *drawing) step(item ast.Node) (out template.HTML) {
	for _, n := range childrenOf(item) {
		if n.Kind() == ast.KindTextBlock {
			out += "<p>" + dr.inline(n) + "</p>\n"
			continue
		}
		out += dr.html(n)
	}
	return out
}

// likes returns the analogy's lines for the step with index i.
func (dr *drawing) likes(p *parts, i int) (likes []Like) {
	if p.analogy == nil {
		return nil
	}
	a := &p.analogy.parts
	for _, row := range p.likes[i] {
		likes = append(likes, Like{dr.phrase(a.head[0]), dr.phrase(a.rows[row][0]), dr.phrase(a.rows[row][1])})
	}
	return likes
}

// quotation draws a quotation. The theme sets quotation marks, so those that
// enclose it go, and simple text remains.
func (dr *drawing) quotation(n ast.Node, q lesson.Quote) template.HTML {
	if dr.d.text(n) == q.Text {
		return dr.html(n)
	}
	return template.HTML("<p>" + template.HTMLEscapeString(q.Text) + "</p>\n")
}
