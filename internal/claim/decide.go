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

// Facts holds what the claims of a site are decided from.
type Facts struct {
	Examples   map[string]Example
	Sources    map[string]lesson.Source
	Quotations map[problem.Pos]Quotation
	Lesson     func(file string) *lesson.Lesson // returns the lesson of a file of content/, or nil
}

// Example holds what claims depend on of an example and its record.
type Example struct {
	Ran       bool               // it has a record of a run on a real service
	Connected bool               // that run connected to its service
	Service   string             // "Redis 7.0.15", "" without one
	Go        string             // "1.26.0", "" without one
	Date      string             // of the record, 2026-11-29
	Exit      int                // exit code
	Masked    bool               // masks replace what differs from run to run
	Tolerance map[string]float64 // in percent, by value name or "table.csv:column"
	Values    map[string]string  // recorded values, by name
	Tables    map[string]bool    // recorded tables, by file name
	Uses      map[string]UsedAs  // by path below examples/
}

// UsedAs is how a run used a file. The zero value is Unused.
type UsedAs int

// The uses of a file, from the weakest to the strongest.
const (
	Unused  UsedAs = iota
	Present        // an input that is no part of the program
	Given          // in the folder of a command's example, which may not have read it
	Run            // compiled or embedded
)

// Quotation holds what a check found out about a quotation.
type Quotation struct {
	State string   // verified, attested, stale, drifted or unverified
	Notes []string // its reservations, in words for readers
	Own   bool     // the source is the author's own page

	// Anchor holds the text by which a link finds the passage in the live page:
	// the whole passage, or its first and its last words. It is nil if a browser
	// cannot find the passage.
	Anchor []string
}

// Claim is a decided claim about one piece of evidence.
type Claim struct {
	Row
	Evidence lesson.Evidence
	Example  string   // the id of the example behind it, "" without one
	Details  []string // drawn after the word: service, toolchain, date
	Anchor   []string // see Quotation.Anchor
}

// decide returns the claim about e on a page of lesson l, which is nil for the
// page of an example. No other function decides claims.
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

// Of returns the claims of a lesson, in the order of its evidence. A value that no
// example recorded is ordinary text and has no claim.
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
		c.Details = append([]string{"drawn from " + c.Evidence.Item + ", which " + c.Example + " recorded"}, c.Details...)
		tolerance = Tolerance(e.Tolerance[c.Evidence.Item+":"+c.Evidence.Column])
	case lesson.EvidenceValue:
		tolerance = Tolerance(e.Tolerance[c.Evidence.Item])
	case lesson.EvidenceOutput:
		if e.Masked {
			c.Details = append(c.Details, "masked: what differs from run to run")
		}
	}
	if tolerance != "" {
		c.Details = append(c.Details, "measured, "+tolerance)
	}
}

// ranAs sets the row id, or NotRun if e has no record, and adds the details of the
// run: service, toolchain, date.
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
		c.Details = append(c.Details, e.Service)
	}
	if e.Go != "" {
		c.Details = append(c.Details, fmt.Sprintf("Go %s, exit %d", e.Go, e.Exit))
	} else if e.Exit != 0 {
		c.Details = append(c.Details, fmt.Sprintf("exit %d", e.Exit))
	}
	c.date(e)
}

func (c *Claim) date(e Example) {
	if e.Date != "" {
		c.Details = append(c.Details, ShortDate(e.Date))
	}
}

// answer decides the answer of a question.
func (c *Claim) answer(f *Facts) {
	e := f.Examples[c.Example]
	if !e.Ran {
		c.Row = RowOf(NoProof)
		c.Details = []string{cmp.Or(c.Evidence.Container.Attr["unverified"], "no run proves this answer yet")}
		return
	}
	c.ranAs(e, Answer)
	c.Details = append([]string{"by " + c.Example}, c.Details...)
}

// tip decides advice that an example tries.
func (c *Claim) tip(f *Facts) {
	e := f.Examples[c.Example]
	switch {
	case c.Example == "":
		c.Row, c.Details = RowOf(NotRun), []string{"advice; no example tries it"}
		return
	case !e.Ran:
		c.Row = RowOf(NotRun)
	default:
		c.Row = RowOf(Ran)
	}
	c.Details = append(c.Details, "as part of "+c.Example)
	if e.Ran && e.Exit != 0 {
		c.Details = append(c.Details, fmt.Sprintf("exit %d", e.Exit))
	}
	if e.Ran {
		c.date(e)
	}
}

// Row returns the id of the row of a quotation.
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
	if q.Own && q.State == "attested" {
		c.Mark = "half" // the page is not here, so no copy proves it
	}
	c.Details, c.Anchor = append(copyOf(q.State, c.ID, s), q.Notes...), q.Anchor
}

// copyOf returns the details that name the copy in which the words were found. A
// quotation of the state attested has only a seal, whoever wrote the page.
func copyOf(state string, id ID, s lesson.Source) []string {
	saved := "the saved copy"
	if s.Saved != "" {
		saved = "the copy saved " + ShortDate(s.Saved)
	}
	switch {
	case state == "attested":
		return []string{"a seal vouches for " + saved, "that page is not published here"}
	case id == Verified && s.Module != "":
		return []string{"word for word in " + s.Path + " of " + s.Module, "pinned by go.sum"}
	case id == VerifiedNote && s.Module != "":
		return []string{"found in " + s.Path + " of " + s.Module, "pinned by go.sum"}
	case id == Verified, id == OwnPage:
		return []string{"word for word in " + saved}
	case id == VerifiedNote, id == OwnPageNote:
		return []string{"found in " + saved}
	}
	return nil
}

// Tolerance returns a tolerance in percent as pages show it, "± 5 %", or "" if it is
// 0, that is, if the figure is exact.
func Tolerance(percent float64) string {
	if percent <= 0 {
		return ""
	}
	return "±\u00a0" + strconv.FormatFloat(percent, 'f', -1, 64) + "\u00a0%" // on one line
}

// ShortDate returns the date 2026-11-29 as "29 Nov 2026". It returns other text
// unchanged.
func ShortDate(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return strings.TrimSpace(t.Format("2 Jan 2006"))
}
