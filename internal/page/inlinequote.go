package page

import (
	"html/template"
	"strings"

	"verbatim/internal/lesson"
)

// inlineQuote is what the template of a quotation within a sentence sees.
type inlineQuote struct {
	HTML      template.HTML
	Proof     proof
	Link      string // to the source on this page, else to the live page, else ""
	Elsewhere bool   // Link leaves the site
}

// InlineQuote draws a quotation within a sentence. Its source says more where
// the page has it.
func (t *pageRenderer) InlineQuote(q lesson.InlineQuote, words template.HTML) (template.HTML, error) {
	source := t.in.Sources[q.Source]
	v := inlineQuote{HTML: words, Proof: quotationProof(t.claimAt(q.Pos, lesson.EvidenceQuotation), source.URL)}
	v.Link, v.Elsewhere = v.Proof.Link, v.Proof.Link != ""
	for _, c := range t.l.Body.Containers {
		if c.Kind == "source" && c.ID == q.Source && c.ID != "" {
			v.Link, v.Elsewhere = "#"+c.ID, false
		}
	}
	html, err := t.execute("quotation.html", v)
	return template.HTML(strings.TrimSpace(string(html))), err
}
