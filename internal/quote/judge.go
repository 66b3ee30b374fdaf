package quote

import (
	"context"
	"errors"
	"fmt"
	"path"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// sourceCheck is one source with all that quotes it.
type sourceCheck struct {
	in        Input
	source    lesson.Source
	citations []Citation

	place   place
	fault   *complaint // why the page at place cannot be used
	seal    *seal
	badSeal bool
	drifted bool
	results []Result
	found   problem.List // about the files of the source
}

// run reads the page and the seal, and judges each quotation.
func (c *sourceCheck) run(ctx context.Context) error {
	if c.source.ID == "" {
		c.judgeAll(nil)
		return nil
	}
	before := len(c.found)
	c.seal = readSeal(c.in.Site, path.Dir(c.source.File), &c.found)
	c.badSeal = len(c.found) > before
	c.place = c.in.locate(ctx, c.source, &c.found)
	page, err := c.readPage()
	if err != nil {
		return fmt.Errorf("read the page of source %s: %w", c.source.ID, err)
	}
	c.drifted = page != nil && c.seal != nil && c.seal.Bytes != page.Digest
	c.judgeAll(page)
	return nil
}

// readPage gives the page, or nil where it is not here or cannot be used.
func (c *sourceCheck) readPage() (*Page, error) {
	if c.place.file == "" {
		return nil, nil
	}
	page, err := c.place.read(c.in.Strip)
	if errors.As(err, &c.fault) {
		return nil, nil
	}
	return page, err
}

func (c *sourceCheck) judgeAll(page *Page) {
	known := map[string]Finding{}
	for _, citation := range c.citations {
		for _, q := range citation.Quotes {
			f, ok := known[q.Text]
			if !ok && page != nil {
				f = page.Find(q.Text)
				known[q.Text] = f
			}
			c.results = append(c.results, c.judge(citation.Source, q, page, f))
		}
	}
}

// judge settles the states of one quotation; f is what the page says, if it is
// here.
func (c *sourceCheck) judge(source string, q lesson.Quote, page *Page, f Finding) Result {
	r := Result{Quote: q, Source: source, Finding: f, State: Unverified, Word: Unverified}
	bySeal, entry := c.wordOfSeal(q.Text)
	if page == nil {
		r.Finding = Finding{Verdict: NoMatch}
		if bySeal == Attested {
			r.Finding = entry.finding()
		}
		if c.fault == nil {
			r.State = bySeal
		}
		if !c.place.committed {
			r.Word = bySeal // also where this machine has a copy that is no page
		}
		return r
	}
	switch {
	case c.drifted:
		r.State = Drifted
	case bySeal == Stale:
		r.State = Stale
	case f.Verdict != NoMatch:
		r.State = Verified
	}
	r.Word = bySeal
	if c.place.committed {
		r.Word = r.State
	}
	return r
}

// wordOfSeal is what the seal alone says about a quotation.
func (c *sourceCheck) wordOfSeal(quotation string) (State, sealed) {
	if c.seal == nil {
		return Unverified, sealed{}
	}
	entry, ok := c.seal.of(quotation)
	if !ok || c.seal.Contract != ContractVersion {
		return Stale, entry
	}
	return Attested, entry
}
