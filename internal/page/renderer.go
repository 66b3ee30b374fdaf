package page

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"verbatim/internal/claim"
	"verbatim/internal/lesson"
	"verbatim/internal/markdown"
)

// maxLines is how many lines of one output a page shows.
const maxLines = 200

// pageRenderer draws the blocks of one page. It is used by one goroutine.
type pageRenderer struct {
	*site
	l        *Lesson
	doc      *markdown.Doc // of which the containers are those that it draws
	root     string        // leads to the top of the site
	toc      []entry
	headings map[*lesson.Container][]heading
	total    int // questions
	commands map[string]bool
	listed   int    // lessons listed so far
	pictures int    // drawn so far
	brief    string // the id of the summary, "" without one
	apart    bool   // a worksheet: answers are gathered instead of drawn in place
	answers  []template.HTML
	claims   map[claimKey]claim.Claim
}

func newRenderer(s *site, l *Lesson) (*pageRenderer, error) {
	doc, err := l.doc()
	if err != nil {
		return nil, err
	}
	t := &pageRenderer{site: s, l: l, doc: doc, root: rootOf(pagePath(l.ID)), commands: map[string]bool{}}
	t.toc, t.headings = outline(&t.doc.Body)
	t.claims = claimsByPlace(s.claimsOf(t.shown()))
	for _, c := range t.doc.Body.Containers {
		switch c.Kind {
		case "question":
			t.total++
		case "summary":
			t.brief = cmp.Or(c.ID, "v-brief")
		}
	}
	return t, nil
}

// shown returns the lesson with the text that is drawn.
func (t *pageRenderer) shown() *lesson.Lesson {
	l := *t.l.Lesson
	l.Body = t.doc.Body
	return &l
}

// first returns a link to the heading with that id, else to the first container
// of a kind, else "".
func (t *pageRenderer) first(kind, id string) string {
	for _, c := range t.doc.Body.Containers {
		if c.Kind != kind {
			continue
		}
		for _, h := range t.headings[c] {
			if h.ID == id {
				return "#" + id
			}
		}
		if c.ID != "" {
			return "#" + c.ID
		}
	}
	return ""
}

// block is what a container's template sees.
type block struct {
	*markdown.Block
	Headings   []heading
	Title      string // of an example or an exercise
	When, Alt  string
	Total      int
	Short      bool // the options are short enough to stand side by side
	FoldTitle  string
	KeyText    string
	Others     []markdown.Choice
	AnsweredAt string
	Hash       string // of all that a reader's kept answer is an answer to
	Skip       string // predict: the id of the summary
	Apart      bool   // a worksheet: the answer is at its end
	Proof      *proof
	Quotations []quotation
	RunIns     []runIn
}

// quotation is one of a source, with its state.
type quotation struct {
	HTML  template.HTML
	Proof proof
}

// runIn is a paragraph of an analogy that opens with bold words.
type runIn struct {
	markdown.RunIn
	Breaks bool
}

// foldTitles is what the closed answer says.
var foldTitles = map[string]string{"predict": "Predict before you open this", "question": "Show answer"}

// labels is what a container is called that has no other heading.
var labels = map[string]string{"note": "Note", "warning": "Warning"}

// Container draws a ::: block with the template of its name.
func (t *pageRenderer) Container(b *markdown.Block) (template.HTML, error) {
	v := block{
		Block: b, Headings: t.headings[b.Container], Total: t.total,
		Title: b.Attr["title"], When: b.Attr["when"], Alt: b.Attr["alt"],
		FoldTitle: foldTitles[b.Kind], AnsweredAt: b.Attr["answered-at"], Apart: t.apart,
	}
	if b.Label == "" {
		b.Label = labels[b.Kind]
	}
	switch b.Kind {
	case "predict", "question":
		if c, ok := t.claims[claimKey{b.Pos, lesson.EvidenceAnswer}]; ok {
			p := t.exampleProof(c, t.root, "its files")
			v.Proof = &p
		}
		v.Hash, v.Skip = contentHash(b), t.brief
		t.fillChoices(&v)
	case "tip":
		p := proofOf(t.claimAt(b.Pos, lesson.EvidenceTip))
		v.Proof = &p
	case "source":
		for _, q := range b.Quoted {
			p := quotationProof(t.claimAt(q.Pos, lesson.EvidenceQuotation), b.URL)
			v.Quotations = append(v.Quotations, quotation{q.HTML, p})
		}
	case "analogy":
		for _, r := range b.RunIns {
			v.RunIns = append(v.RunIns, runIn{r, isBreak(r.Label)})
		}
	}
	html, err := t.execute(b.Kind+".html", v)
	if err == nil && t.apart && (b.Why != "" || len(b.Folds) > 0) {
		err = t.gather(v)
	}
	return template.HTML(html), err
}

// gather keeps an answer for the last page of a worksheet.
func (t *pageRenderer) gather(v block) error {
	html, err := t.execute("apart", v)
	t.answers = append(t.answers, template.HTML(html))
	return err
}

// contentHash changes with whatever a reader would answer anew for.
func contentHash(b *markdown.Block) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q", b.Key, b.Body, b.Ask)
	for _, c := range b.Choices {
		fmt.Fprintf(h, " %q", c.HTML)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:4])
}

func (t *pageRenderer) fillChoices(v *block) {
	v.Short = len(v.Choices) > 0
	for i, c := range v.Choices {
		text := v.Options[i].Text
		v.Short = v.Short && utf8.RuneCountInString(text) <= 12
		if c.Key {
			v.KeyText = text
			continue
		}
		if c.Why != "" {
			v.Others = append(v.Others, c)
		}
	}
}

// output is what an output fence's template sees.
type output struct {
	Name, Command string
	Ran           bool
	Shown         []shownLine
	LeftOut       int
	Proof         proof
}

// Output draws recorded lines; the command is before the first of them.
func (t *pageRenderer) Output(f *lesson.Fence) (template.HTML, error) {
	c := t.claimAt(f.Pos, lesson.EvidenceOutput)
	name := c.Example
	e := t.in.Examples[name]
	v := output{Name: f.Of, Ran: e.Ran, Shown: shown(f, e), Proof: t.exampleProof(c, t.root, "files and record")}
	if !t.commands[name] {
		v.Command = e.Command
		t.commands[name] = true
	}
	if n := len(v.Shown); n > maxLines {
		v.Shown, v.LeftOut = v.Shown[:maxLines], n-maxLines
	}
	html, err := t.execute("output.html", v)
	return template.HTML(html), err
}

// Code draws a fence that is only code.
func (t *pageRenderer) Code(language, code string) (template.HTML, error) {
	v := struct {
		Language string
		HTML     template.HTML
	}{language, t.code.HTML(language, code)}
	html, err := t.execute("code.html", v)
	return template.HTML(html), err
}

// Table makes a table scroll instead of the page.
func (t *pageRenderer) Table() (before, after template.HTML) {
	return `<div class="wide" tabindex="0" role="region" aria-label="Table">`, "</div>\n"
}

// Image asks for an image's size.
func (t *pageRenderer) Image(dest string) (width, height int) {
	if t.in.ImageSize == nil || strings.Contains(dest, ":") {
		return 0, 0
	}
	return t.in.ImageSize(t.l.File, dest)
}

// Course draws the list of lessons on the home page.
func (t *pageRenderer) Course(entries []lesson.Entry) (template.HTML, bool, error) {
	if t.l != t.in.Home {
		return "", false, nil
	}
	html, err := t.course(entries, t.listed)
	for _, e := range entries {
		if t.find(e.Lesson) != nil {
			t.listed++
		}
	}
	return html, true, err
}
