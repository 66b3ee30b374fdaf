package markdown

import (
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"

	"verbatim/internal/lesson"
)

// fenceEvidence lists what a marked fence shows. It is called for every kind of
// marked fence, whatever the kind reads.
func (d fenceReader) fenceEvidence(n *ast.FencedCodeBlock, kind marked, attrs []attribute) {
	named, _ := valueOf(attrs, kind.mark)
	e := lesson.Evidence{Pos: d.pos(d.fenceOpen(n)), Kind: kind.shows, Example: named}
	switch kind.mark {
	case "from":
		e.Example, e.File = "", named
	case "data":
		example, table := path.Split(named)
		e.Example, e.Item = strings.TrimSuffix(example, "/"), table
		e.Column, _ = valueOf(attrs, "y")
	}
	d.Body.Evidence = append(d.Body.Evidence, e)
}

// evidenceKeys are the keys of containers that name an example, and what the
// container shows of it.
var evidenceKeys = map[string]lesson.EvidenceKind{"check": lesson.EvidenceAnswer, "run": lesson.EvidenceTip}

// readEvidence lists what the containers, the values and the quotations show.
// It comes last: a question knows its key by then, and a source its quotations.
func (d *Doc) readEvidence() {
	for _, c := range d.Body.Containers {
		containerReader{d}.containerEvidence(c)
	}
	for _, v := range d.Body.Values {
		d.Body.Evidence = append(d.Body.Evidence, lesson.Evidence{Pos: v.Pos, Kind: lesson.EvidenceValue, Example: v.Example, Item: v.Name})
	}
	for _, q := range d.Body.Quotes {
		d.Body.Evidence = append(d.Body.Evidence, lesson.Evidence{Pos: q.Pos, Kind: lesson.EvidenceQuotation, Source: q.Source, Text: q.Text})
	}
}

// containerEvidence lists what one container shows. A question with a key claims
// its answer, and a tip its advice, even where no example is named.
func (d containerReader) containerEvidence(c *lesson.Container) {
	kind, named := lesson.EvidenceKind(""), ""
	switch {
	case c.Key != "":
		kind = lesson.EvidenceAnswer
	case c.Kind == "tip":
		kind = lesson.EvidenceTip
	}
	for key, shows := range evidenceKeys {
		if value := c.Attr[key]; value != "" {
			kind, named = shows, value
		}
	}
	if kind != "" {
		e := lesson.Evidence{Pos: c.Pos, Kind: kind, Example: named, Container: c}
		if kind == lesson.EvidenceAnswer {
			e.Example, e.Item, _ = strings.Cut(named, "#")
		}
		d.Body.Evidence = append(d.Body.Evidence, e)
	}
	for _, q := range c.Quotes {
		d.Body.Evidence = append(d.Body.Evidence, lesson.Evidence{Pos: q.Pos, Kind: lesson.EvidenceQuotation, Source: c.ID, Text: q.Text, Container: c})
	}
}
