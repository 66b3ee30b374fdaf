package claim

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// Facts are what is known of a site when its claims are decided.
type Facts struct {
	Examples   map[string]Example
	Sources    map[string]lesson.Source
	Quotations map[problem.Pos]Quotation
	Lesson     func(file string) *lesson.Lesson // of content/, nil for no lesson
}

// Example is what is known of an example.
type Example struct {
	Ran       bool   // there is a record of a real run
	Connected bool   // that run connected to its service
	Service   string // "Redis 7.0.15", "" without one
	Go        string // "1.26.0", "" without one
	Date      string // of the record, 2026-11-29
	Exit      int
	Masked    bool               // the page hides what differs from run to run
	Tolerance map[string]float64 // of a value, or of "table.csv:column", in percent
	Values    map[string]string  // that the run recorded
	Tables    map[string]bool    // that the run recorded, by file name
	Uses      map[string]UsedAs  // files below examples/ that the run had
}

// UsedAs says what a run did with a file.
type UsedAs int

// What a run did with a file. Zero means nothing.
const (
	Unused  UsedAs = iota
	Present        // it is an input, and no part of the program
	Run            // compiled, embedded, or there when a run: example ran
)

// Quotation is the state of a quotation: "verified", "attested", "stale",
// "drifted" or "unverified". Notes are its reservations, in words for readers.
type Quotation struct {
	State string
	Notes []string
	Own   bool // the source is a page of this site's own

	// Anchor finds the passage in the live page: one text of it, or its first
	// and last words. It is nil where a browser cannot find it.
	Anchor []string
}

// Claim is one claim of a lesson, decided.
type Claim struct {
	Row
	Evidence lesson.Evidence
	Example  string   // the id of the example behind it, "" without one
	Says     []string // what stands beside the word: service, toolchain, date
	Anchor   []string // of a quotation
}

// decide returns what a page of lesson l may say of e. It is the only place
// where that is decided. For the page of an example itself, l is nil.
func decide(l *lesson.Lesson, e lesson.Evidence, f *Facts, programs *programs) Claim {
	c := Claim{Evidence: e, Example: e.Example}
	if l != nil && (e.Kind == lesson.EvidenceOutput || e.Kind == lesson.EvidenceTranscript) {
		c.Example = l.ExampleOf(e.Example)
	}
	switch e.Kind {
	case lesson.EvidenceQuotation:
		c.quotation(f)
	case lesson.EvidenceCode:
		c.code(f, programs)
	case lesson.EvidenceAnswer:
		c.answer(f)
	case lesson.EvidenceTip:
		c.tip(f)
	default:
		c.run(f)
	}
	return c
}

// Of returns the claims of a lesson, in the order of its evidence. A value of no
// known example is text and claims nothing.
func Of(l *lesson.Lesson, f *Facts) []Claim {
	claims := make([]Claim, 0, len(l.Body.Evidence))
	programs := &programs{lesson: l, facts: f}
	for _, e := range l.Body.Evidence {
		if _, recorded := f.Examples[e.Example].Values[e.Item]; e.Kind == lesson.EvidenceValue && !recorded {
			continue
		}
		claims = append(claims, decide(l, e, f, programs))
	}
	return claims
}

// OfExample returns the claim of an example's own page.
func OfExample(id string, f *Facts) Claim {
	return decide(nil, lesson.Evidence{Kind: lesson.EvidenceOutput, Example: id}, f, nil)
}

// run decides output, transcripts, tables and values.
func (c *Claim) run(f *Facts) {
	e := f.Examples[c.Example]
	if c.Evidence.Kind == lesson.EvidenceTable && !e.Tables[c.Evidence.Item] {
		e.Ran = false
	}
	c.ranAs(e, Ran)
	if !e.Ran {
		return
	}
	tolerance := ""
	switch c.Evidence.Kind {
	case lesson.EvidenceTable:
		c.Says = append([]string{"drawn from " + c.Evidence.Item + ", which " + c.Example + " recorded"}, c.Says...)
		tolerance = Tolerance(e.Tolerance[c.Evidence.Item+":"+c.Evidence.Column])
	case lesson.EvidenceValue:
		tolerance = Tolerance(e.Tolerance[c.Evidence.Item])
	case lesson.EvidenceOutput:
		if e.Masked {
			c.Says = append(c.Says, "masked: what differs from run to run")
		}
	}
	if tolerance != "" {
		c.Says = append(c.Says, "measured, "+tolerance)
	}
}

// ranAs takes the row of an example that ran and says on what.
func (c *Claim) ranAs(e Example, id ID) {
	if !e.Ran {
		c.Row = RowOf(NotRun)
		return
	}
	c.Row = RowOf(id)
	if id == Ran && e.Service != "" && !e.Connected {
		c.Row = RowOf(Computed)
	}
	if e.Service != "" && e.Connected {
		c.Says = append(c.Says, e.Service)
	}
	if e.Go != "" {
		c.Says = append(c.Says, fmt.Sprintf("Go %s, exit %d", e.Go, e.Exit))
	} else if e.Exit != 0 {
		c.Says = append(c.Says, fmt.Sprintf("exit %d", e.Exit))
	}
	c.date(e)
}

func (c *Claim) date(e Example) {
	if e.Date != "" {
		c.Says = append(c.Says, ShortDate(e.Date))
	}
}

// answer decides the answer of a question.
func (c *Claim) answer(f *Facts) {
	e := f.Examples[c.Example]
	if !e.Ran {
		c.Row = RowOf(NoProof)
		c.Says = []string{cmp.Or(c.Evidence.Container.Attr["unverified"], "no run proves this answer yet")}
		return
	}
	c.ranAs(e, Answer)
	c.Says = append([]string{"by " + c.Example}, c.Says...)
}

// tip decides advice that an example tries.
func (c *Claim) tip(f *Facts) {
	e := f.Examples[c.Example]
	switch {
	case c.Example == "":
		c.Row, c.Says = RowOf(NotRun), []string{"advice; no example tries it"}
		return
	case !e.Ran:
		c.Row = RowOf(NotRun)
	default:
		c.Row = RowOf(Ran)
	}
	c.Says = append(c.Says, "as part of "+c.Example)
	if e.Ran {
		c.date(e)
	}
}

// Row returns the id of the row that holds for a quotation.
func (q Quotation) Row() ID {
	var id ID
	switch q.State {
	case "verified":
		id = Verified
	case "attested":
		id = Attested
	case "stale":
		return Stale
	case "drifted":
		return Drifted
	default:
		return NotVerified
	}
	if q.Own {
		id = OwnPage
	}
	if len(q.Notes) > 0 {
		id = withNote[id]
	}
	return id
}

// quotation decides a quotation by its state and its notes.
func (c *Claim) quotation(f *Facts) {
	q, s := f.Quotations[c.Evidence.Pos], f.Sources[c.Evidence.Source]
	c.Row = RowOf(q.Row())
	c.Says, c.Anchor = append(copyOf(c.ID, s), q.Notes...), q.Anchor
}

// copyOf says in which copy the words were found.
func copyOf(id ID, s lesson.Source) []string {
	saved := "the saved copy"
	if s.Saved != "" {
		saved = "the copy saved " + ShortDate(s.Saved)
	}
	switch {
	case id == Verified && s.Module != "":
		return []string{"word for word in " + s.Path + " of " + s.Module, "pinned by go.sum"}
	case id == VerifiedNote && s.Module != "":
		return []string{"found in " + s.Path + " of " + s.Module, "pinned by go.sum"}
	case id == Verified, id == OwnPage:
		return []string{"word for word in " + saved}
	case id == VerifiedNote, id == OwnPageNote:
		return []string{"found in " + saved}
	case id == Attested, id == AttestedNote:
		return []string{"a seal vouches for " + saved, "that page is not published here"}
	}
	return nil
}

// Tolerance returns how far a measured figure may be off, in words; "" for a
// figure that is exact. percent is above 0 for a measured one.
func Tolerance(percent float64) string {
	if percent <= 0 {
		return ""
	}
	return "±\u00a0" + strconv.FormatFloat(percent, 'f', -1, 64) + "\u00a0%" // on one line
}

// ShortDate returns 2026-11-29 as "29 Nov 2026". Text that is no date stays.
func ShortDate(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return strings.TrimSpace(t.Format("2 Jan 2006"))
}
