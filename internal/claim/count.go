package claim

import (
	"fmt"
	"slices"
	"strings"

	"verbatim/internal/lesson"
)

// Counts says how many claims of each kind a list holds. Every count that a page
// or a report shows comes from here.
type Counts struct {
	Examples   Share   `json:"examples"` // those that a claim names; the proved ones ran
	Answers    Share   `json:"answers"`
	Values     Share   `json:"values"`
	Quotations []Tally `json:"quotations,omitempty"` // by state, in the order of the table

	Services  []string `json:"-"` // those that examples connected to, sorted
	Connected int      `json:"-"` // examples that connected to one of them
	Latest    string   `json:"-"` // the newest date of a run, 2026-11-29; "" without a run
}

// Share holds how many claims there are and how many of them are proved.
type Share struct {
	Total  int `json:"total"`
	Proved int `json:"proved"`
}

// Tally holds how many quotations have a state without a note (Plain) and with
// one (Notes).
type Tally struct {
	State ID  `json:"state"`
	Plain int `json:"plain"`
	Notes int `json:"notes"`
}

// withNote maps a state to its row with a note.
var withNote = map[ID]ID{Verified: VerifiedNote, Attested: AttestedNote, OwnPage: OwnPageNote}

// quotationStates are the states by which quotations are counted.
var quotationStates = []ID{Verified, Attested, OwnPage, Stale, Drifted, NotVerified}

// Count returns the counts of claims, which were decided from f. An example counts
// once, however many claims name it.
func Count(claims []Claim, f *Facts) (n Counts) {
	var quotations []ID
	seen := map[string]bool{}
	for _, c := range claims {
		switch c.Evidence.Kind {
		case lesson.EvidenceQuotation:
			quotations = append(quotations, c.ID)
		case lesson.EvidenceAnswer:
			n.Answers.add(c.ID == Answer)
		case lesson.EvidenceValue:
			n.Values.add(c.ID == Ran || c.ID == Computed)
		}
		if c.Example == "" || seen[c.Example] || c.ID == InRepository {
			continue
		}
		seen[c.Example] = true
		n.example(f.Examples[c.Example])
	}
	slices.Sort(n.Services)
	n.Quotations = Tallies(quotations)
	return n
}

// Tallies returns the counts of quotations by state, in the order of the table.
// rows holds the row of each quotation. States without a quotation are left out.
func Tallies(rows []ID) (all []Tally) {
	found := map[ID]int{}
	for _, id := range rows {
		found[id]++
	}
	for _, state := range quotationStates {
		if t := (Tally{state, found[state], found[withNote[state]]}); t.Plain+t.Notes > 0 {
			all = append(all, t)
		}
	}
	return all
}

func (s *Share) add(proved bool) {
	s.Total++
	if proved {
		s.Proved++
	}
}

func (n *Counts) example(e Example) {
	n.Examples.add(e.Ran)
	if !e.Ran {
		return
	}
	n.Latest = max(n.Latest, e.Date)
	if !e.Connected || e.Service == "" {
		return
	}
	n.Connected++
	if !slices.Contains(n.Services, e.Service) {
		n.Services = append(n.Services, e.Service)
	}
}

// Quoted returns the number of quotations of all states.
func (n *Counts) Quoted() (total int) {
	for _, t := range n.Quotations {
		total += t.Plain + t.Notes
	}
	return total
}

// Any reports whether there is any claim.
func (n *Counts) Any() bool {
	return n.Examples.Total+n.Answers.Total+n.Values.Total+n.Quoted() > 0
}

// Phrase returns the counts of a state in words: "9 verified, 2 with a note".
func (t Tally) Phrase() string {
	var parts []string
	if t.Plain > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", t.Plain, RowOf(t.State).counted()))
	}
	switch {
	case t.Notes > 0 && t.Plain > 0:
		parts = append(parts, fmt.Sprintf("%d with a note", t.Notes))
	case t.Notes > 0:
		parts = append(parts, fmt.Sprintf("%d %s", t.Notes, RowOf(withNote[t.State]).counted()))
	}
	return strings.Join(parts, ", ")
}

// Row returns the row whose mark is drawn beside the counts of a state: the row
// with a note if any of the quotations has one.
func (t Tally) Row() Row {
	if t.Notes > 0 {
		return RowOf(withNote[t.State])
	}
	return RowOf(t.State)
}

// QuotationPhrase returns the counts of all states in words, "9 verified, 2 with a
// note, 14 attested", or "" if there is no quotation.
func (n *Counts) QuotationPhrase() string {
	var parts []string
	for _, t := range n.Quotations {
		parts = append(parts, t.Phrase())
	}
	return strings.Join(parts, ", ")
}
