package quote

import (
	"context"
	"fmt"
	"path"

	"verbatim/internal/problem"
)

// NewSeal is a seal to be written, or the reason why a source gets none.
type NewSeal struct {
	Source     string
	File       string // "quotes/redis-incr/seal.yaml"
	Data       []byte // nil where none is to be written
	Quotations int
	Skipped    string // why Data is nil: "its page is committed"
}

// Seal makes the seals of the sources of in whose ids are wanted, or of all
// where none are named, and writes nothing. A source with a quotation that
// does not stand in its page is a problem and gets no seal. Errors are as
// those of Check.
func Seal(ctx context.Context, in Input, ids []string) ([]NewSeal, problem.List, error) {
	in.Cache = "" // a seal is made from the page itself
	in = in.open()
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	var checks []*sourceCheck
	byID := map[string]*sourceCheck{}
	for _, s := range in.Sources {
		if len(ids) > 0 && !wanted[s.ID] {
			continue
		}
		byID[s.ID] = &sourceCheck{in: in, source: s}
		checks = append(checks, byID[s.ID])
	}
	for _, c := range in.Citations {
		if check := byID[c.Source]; check != nil {
			check.citations = append(check.citations, c)
		}
	}
	if err := in.each(ctx, checks, (*sourceCheck).runSeal); err != nil {
		return nil, nil, err
	}
	var seals []NewSeal
	var ps problem.List
	for _, c := range checks {
		ps = append(ps, c.sealProblems()...)
		n, err := c.newSeal(len(ids) > 0, &ps)
		if err != nil {
			return nil, nil, fmt.Errorf("seal %s: %w", c.source.ID, err)
		}
		seals = append(seals, n)
	}
	ps.Sort()
	return seals, ps, nil
}

// runSeal reads the page and its text, and ignores an older seal.
func (c *sourceCheck) runSeal(ctx context.Context) error {
	c.place = c.in.locate(ctx, c.source, c.in.here.below(path.Dir(c.source.File)), &c.found)
	if c.place.committed {
		return nil
	}
	page, err := c.readPage()
	if err != nil {
		return fmt.Errorf("read the page of source %s: %w", c.source.ID, err)
	}
	if page == nil {
		c.judgeAll(nil)
		return nil
	}
	c.judgeAll(&lookup{page.Digest, page.findEach(c.quotations())})
	findings := map[string]Finding{}
	for _, r := range c.results {
		if r.Verdict == NoMatch {
			return nil
		}
		findings[r.Quote.Text] = r.Finding
	}
	s := newSeal(page, findings)
	c.seal = &s
	return nil
}

// sealProblems lists why a source cannot be sealed.
func (c *sourceCheck) sealProblems() problem.List {
	ps := c.found
	c.aboutPage(&ps)
	for _, r := range c.results {
		if r.Verdict == NoMatch {
			c.aboutQuotation(r, &ps)
		}
	}
	return ps
}

// newSeal returns the file to write. A source that was named must have its page
// here; among all sources, one without is left as it is.
func (c *sourceCheck) newSeal(named bool, ps *problem.List) (NewSeal, error) {
	n := NewSeal{Source: c.source.ID, File: c.sealFile()}
	switch {
	case c.place.committed:
		n.Skipped = "its page is committed, which is better than a seal"
	case c.place.file == "":
		n.Skipped = "its page is not here"
		if named {
			ps.AddHint(startOf(c.source.File), "seal", "save the page as "+c.source.ID+".html in the folder that -pages names",
				"source %q cannot be sealed: its page is not here", c.source.ID)
		}
	case len(c.citations) == 0:
		n.Skipped = "no lesson cites it"
	case c.seal == nil:
		n.Skipped = "it has problems"
	default:
		data, err := c.seal.encode()
		n.Data, n.Quotations = data, len(c.seal.Quotations)
		return n, err
	}
	return n, nil
}
