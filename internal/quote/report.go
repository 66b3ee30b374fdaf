package quote

import (
	"fmt"
	"path"
	"strings"

	"verbatim/internal/problem"
)

// problems lists everything that is wrong with a source and its quotations.
func (c *sourceCheck) problems() problem.List {
	ps := c.found
	if c.source.ID == "" {
		return ps // each citation of no source has its problem already
	}
	c.aboutPage(&ps)
	c.aboutSeal(&ps)
	i := 0
	for _, citation := range c.citations {
		for range citation.Quotes {
			c.aboutQuotation(c.results[i], &ps)
			i++
		}
		if len(citation.Quotes) > 0 {
			c.aboutCitation(citation, &ps)
		}
	}
	return ps
}

func (c *sourceCheck) sealFile() string { return path.Join(path.Dir(c.source.File), sealFile) }

func (c *sourceCheck) sealCommand() string { return "run: quotecheck seal " + c.source.ID }

func (c *sourceCheck) aboutPage(ps *problem.List) {
	switch {
	case c.fault == nil:
	case c.source.Module != "":
		ps.AddHint(startOf(c.source.File), "page", c.fault.hint, "%s", c.fault.text)
	default:
		ps.AddHint(problem.Pos{File: c.place.file}, "page", c.fault.hint, "%s", c.fault.text)
	}
}

func (c *sourceCheck) aboutSeal(ps *problem.List) {
	file := startOf(c.sealFile())
	switch {
	case c.seal == nil:
		c.aboutMissingSeal(ps)
		return
	case c.seal.Contract != ContractVersion:
		ps.AddHint(file, "seal", c.sealCommand(),
			"is stale: it was written under version %d of the contract, this is version %d", c.seal.Contract, ContractVersion)
		return
	case c.drifted:
		ps.AddHint(file, "seal", "see what changed in it, then "+c.sealCommand(),
			"drifted: %s is not the page that was sealed", c.place.file)
		return
	}
	cited := map[string]bool{}
	for _, r := range c.results {
		if r.Verdict == NoMatch {
			return // that is said already, and a changed quotation leaves its old seal behind
		}
		entry, _ := c.seal.of(r.Quote.Text)
		cited[entry.Words] = true
		if r.State == Verified && !entry.equal(newSealed(r.Quote.Text, r.Finding)) {
			ps.AddHint(file, "seal", c.sealCommand(),
				"disagrees with %s about the quotation at %s", c.place.file, r.Quote.Pos)
		}
	}
	for _, q := range c.seal.Quotations {
		if !cited[q.Words] {
			*ps = append(*ps, problem.Problem{Pos: file, Check: "seal", Warning: true, Hint: c.sealCommand(),
				Text: "seals a quotation that no lesson has"})
			return
		}
	}
}

// aboutMissingSeal complains where the page is here, but in no clone.
func (c *sourceCheck) aboutMissingSeal(ps *problem.List) {
	if c.badSeal || c.place.file == "" || c.place.committed || c.fault != nil || len(c.results) == 0 {
		return
	}
	*ps = append(*ps, problem.Problem{
		Pos: startOf(c.source.File), Check: "seal", Warning: !c.in.Publish, Hint: c.sealCommand(),
		Text: fmt.Sprintf("source %q has no seal, and its page is not committed: a clone cannot check its quotations", c.source.ID),
	})
}

// aboutCitation complains where neither page nor seal is here.
func (c *sourceCheck) aboutCitation(citation Citation, ps *problem.List) {
	if c.place.file != "" || c.seal != nil || c.badSeal {
		return
	}
	ps.AddHint(citation.Pos, "source",
		fmt.Sprintf("save the page as %s/private/page.html, then %s", path.Dir(c.source.File), c.sealCommand()),
		"source %q is unverified: neither its page nor a seal is here", c.source.ID)
}

// aboutQuotation complains about one quotation, unless its source is the
// trouble.
func (c *sourceCheck) aboutQuotation(r Result, ps *problem.List) {
	pageHere := c.place.file != "" && c.fault == nil
	fault := controlFault(r.Quote.Text)
	switch {
	case fault != "":
		ps.AddHint(r.Quote.Pos, "quote", "remove it; copy the words from the page as plain text", "%s", fault)
	case r.Verdict == NoMatch && pageHere:
		ps.AddHint(r.Quote.Pos, "quote", c.noMatchHint(r), "%s", noMatchText(r))
	case r.Verdict == NoMatch && c.seal != nil && c.fault == nil && c.seal.Contract == ContractVersion:
		ps.AddHint(r.Quote.Pos, "seal", fmt.Sprintf("restore the quotation, or with the page at hand %s", c.sealCommand()),
			"is stale: the quotation changed since %s was written", c.sealFile())
	case r.State == Stale && c.seal.Contract == ContractVersion:
		ps.AddHint(r.Quote.Pos, "seal", c.sealCommand(), "is stale: the quotation is not in %s", c.sealFile())
	}
	if r.Verdict == Warning {
		*ps = append(*ps, problem.Problem{
			Pos: r.Quote.Pos, Check: "quote", Warning: true, Hint: warningHint(r),
			Text: fmt.Sprintf("stands in %q with a reservation: %s", r.Source, strings.Join(r.Notes, "; ")),
		})
	}
}

func noMatchText(r Result) string {
	text := fmt.Sprintf("does not stand in %q", r.Source)
	if len(r.Notes) > 0 {
		text += ": " + strings.Join(r.Notes, "; ")
	}
	return text
}

func (c *sourceCheck) noMatchHint(r Result) string {
	if r.Diff == "" {
		return fmt.Sprintf("nothing like it is in %s", c.place.file)
	}
	return fmt.Sprintf("nearest in %s, [-only quoted-] {+only there+}:\n%s", c.place.file, r.Diff)
}

func warningHint(r Result) string {
	if r.Passage == "" || r.Passage == exact(r.Quote.Text) {
		return ""
	}
	return "the page says: " + r.Passage
}
