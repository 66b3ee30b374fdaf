package quote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"

	"verbatim/internal/lesson"
	"verbatim/internal/pagecache"
	"verbatim/internal/problem"
)

// sourceCheck is one source with all that quotes it.
type sourceCheck struct {
	in        Input
	source    lesson.Source
	citations []Citation

	place   place
	key     pagecache.Key // of the page at place, if there is a cache
	fault   *complaint    // why the page at place cannot be used
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
	here := c.in.here.below(path.Dir(c.source.File))
	c.seal = readSeal(here, &c.found)
	c.badSeal = len(c.found) > before
	c.place = c.in.locate(ctx, c.source, here, &c.found)
	known, err := c.lookup()
	if errors.As(err, &c.fault) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("read the page of source %s: %w", c.source.ID, err)
	}
	c.drifted = known != nil && c.seal != nil && c.seal.Bytes != known.digest
	c.judgeAll(known)
	return nil
}

// lookup holds the results of looking for quotations in the copy of their source.
type lookup struct {
	digest string // the page's Digest
	found  map[string]Finding
}

// lookup searches the copy, or loads what an earlier check found in the same bytes. It
// returns nil if there is no copy, and a *complaint for an author's mistake.
func (c *sourceCheck) lookup() (*lookup, error) {
	if c.place.file == "" {
		return nil, nil
	}
	if kindOf(c.place.file) == ".md" {
		c.in.cache = nil // because the code that strips its markup is not in the version of the cache
	}
	quotations := c.quotations()
	if l := c.loadUnread(quotations); l != nil {
		return l, nil
	}
	before := c.in.cache.Now()
	stored, info, err := c.place.bytes()
	if err != nil {
		return nil, err
	}
	c.key = pagecache.Key{Ext: kindOf(c.place.file), Sum: sha256.Sum256(stored)}
	c.in.cache.NoteSum(before, info, c.key.Sum)
	if l := load(c.in.cache, c.key, quotations); l != nil {
		return l, nil
	}
	page, err := c.place.extract(stored, c.key.Sum, c.in.Strip)
	if err != nil {
		return nil, err
	}
	l := &lookup{page.Digest, page.findEach(quotations)}
	store(c.in.cache, c.key, page, l.found)
	return l, nil
}

// loadUnread returns what an earlier check found in the copy, or nil if its stamp does
// not identify its bytes.
func (c *sourceCheck) loadUnread(quotations []string) *lookup {
	sum, known := c.in.cache.Sum(c.place.info)
	if !known {
		return nil
	}
	c.key = pagecache.Key{Ext: kindOf(c.place.file), Sum: sum}
	return load(c.in.cache, c.key, quotations)
}

// quotations lists what is quoted of the source.
func (c *sourceCheck) quotations() []string {
	var all []string
	for _, citation := range c.citations {
		for _, q := range citation.Quotes {
			all = append(all, q.Text)
		}
	}
	return all
}

// readPage returns the page, or nil where it is not here or cannot be used.
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

func (c *sourceCheck) judgeAll(known *lookup) {
	n := 0
	for _, citation := range c.citations {
		n += len(citation.Quotes)
	}
	c.results = make([]Result, 0, n)
	for _, citation := range c.citations {
		for _, q := range citation.Quotes {
			c.results = append(c.results, c.judge(citation.Source, q, known))
		}
	}
}

// judge sets the states of one quotation; known is nil where the copy is not here.
func (c *sourceCheck) judge(source string, q lesson.Quote, known *lookup) Result {
	r := Result{Quote: q, Source: source, Ours: c.source.Ours, State: Unverified}
	if fault := controlFault(q.Text); fault != "" {
		r.Finding = Finding{Verdict: NoMatch, Notes: []string{fault}}
		r.Published.State = Unverified
		return r
	}
	bySeal, entry := c.stateOfSeal(q.Text)
	published := entry.finding()
	if known == nil {
		r.Finding = Finding{Verdict: NoMatch}
		if bySeal == Attested {
			r.Finding = published
		}
		if c.fault == nil {
			r.State = bySeal
		}
		if c.place.committed {
			bySeal = Unverified // a seal does not count where the committed page cannot be used
		}
		r.Published = publish(bySeal, q.Text, published)
		return r
	}
	r.Finding = known.found[q.Text]
	switch {
	case c.drifted:
		r.State = Drifted
	case bySeal == Stale:
		r.State = Stale
	case r.Verdict != NoMatch:
		r.State = Verified
	}
	r.Published = publish(bySeal, q.Text, published)
	if c.place.committed {
		r.Published = publish(r.State, q.Text, r.Finding)
	}
	return r
}

// publish returns what the site shows of a quotation with this state and finding.
func publish(state State, text string, f Finding) Published {
	p := Published{State: state}
	if state == Verified || state == Attested {
		p.Reservations, p.Anchor = f.Reservations, f.anchor(text)
	}
	return p
}

// stateOfSeal returns the state of a quotation by its seal alone.
func (c *sourceCheck) stateOfSeal(quotation string) (State, sealed) {
	if c.seal == nil {
		return Unverified, sealed{}
	}
	entry, ok := c.seal.of(quotation)
	if !ok || c.seal.Contract != ContractVersion {
		return Stale, entry
	}
	return Attested, entry
}

// page returns the text of the source's page, or nil.
func (c *sourceCheck) page() *Page {
	if c.place.file == "" || c.fault != nil {
		return nil
	}
	if cached := c.in.cache.Lookup(c.key); cached != nil {
		if page, ok := loadPage(c.in.cache, cached); ok {
			return page
		}
	}
	page, err := c.place.read(c.in.Strip)
	if err != nil {
		return nil // it was read before; whatever happened since is no news about these quotations
	}
	return page
}
