package quotecheck

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"verbatim/internal/claim"
	"verbatim/internal/cli"
	"verbatim/internal/problem"
	"verbatim/internal/quote"
)

// Report is what a run found and did.
type Report struct {
	Results   []quote.Result // Check
	Problems  problem.List   // sorted
	Done      []string       // one line for each thing done: "incr: 2 quotations sealed in quotes/incr/seal.yaml"
	Counts    []string       // how the last line begins: "9 quotations", "2 verified"
	Unreached int            // Drift: how many of the problems are pages that could not be looked at
	Took      time.Duration
}

// counts returns the parts of the last line that count quotations: all of them, and
// those of each state.
func counts(results []quote.Result) []string {
	var rows []claim.ID
	for _, r := range results {
		q := claim.Quotation{State: string(r.State), Notes: quote.ReaderNotes(r.Reservations), Own: r.Ours}
		rows = append(rows, q.Row())
	}
	all := []string{cli.Count(len(results), "quotation")}
	for _, t := range claim.Tallies(rows) {
		all = append(all, t.Phrase())
	}
	return all
}

// Sentence is the last line of a run: "9 quotations, 2 verified, 7 attested,
// 0 problems in 0.2s".
func (r *Report) Sentence() string {
	problems, warnings := r.Problems.Count()
	parts := append(slices.Clone(r.Counts), cli.Count(problems, "problem"))
	if warnings > 0 {
		parts = append(parts, cli.Count(warnings, "warning"))
	}
	return fmt.Sprintf("%s in %.1fs", strings.Join(parts, ", "), r.Took.Seconds())
}

// Code is the exit code: cli.Problems where an author has something to mend
// (strict counts warnings, too), else cli.Failure where a page could not be
// looked at, else cli.Clean.
func (r *Report) Code(strict bool) int {
	problems, warnings := r.Problems.Count()
	switch {
	case problems > r.Unreached || strict && warnings > 0:
		return cli.Problems
	case r.Unreached > 0:
		return cli.Failure
	}
	return cli.Clean
}

// Lines describes each quotation, and what was done, in a line of its own.
func (r *Report) Lines() []string {
	var lines []string
	for _, q := range r.Results {
		how := string(q.Verdict)
		if q.Fold != "" {
			how += " (" + string(q.Fold) + ")"
		}
		line := fmt.Sprintf("%s: %s in %s, %s, on the site %s", q.Quote.Pos, how, q.Source, q.State, q.Published.State)
		lines = append(lines, strings.Join(append([]string{line}, quote.ReaderNotes(q.Reservations)...), "; "))
	}
	return append(lines, r.Done...)
}

// quotation is the JSON line of one quotation.
type quotation struct {
	Kind        string        `json:"kind"`
	File        string        `json:"file"`
	Line        int           `json:"line"`
	Col         int           `json:"col"`
	Source      string        `json:"source"`
	Text        string        `json:"text"`
	Verdict     quote.Verdict `json:"verdict"`
	Fold        quote.Fold    `json:"fold,omitempty"`
	State       quote.State   `json:"state"`
	Site        quote.State   `json:"site"`
	Occurrences int           `json:"occurrences"`
	Note        string        `json:"note,omitempty"` // for the author
	Notes       []string      `json:"notes"`          // for readers
	Ours        bool          `json:"ours,omitempty"`
	Nearest     string        `json:"nearest,omitempty"`
}

// WriteJSON writes one line for each quotation and one for each problem.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, q := range r.Results {
		err := e.Encode(quotation{
			Kind: "quotation", File: q.Quote.Pos.File, Line: q.Quote.Pos.Line, Col: q.Quote.Pos.Col,
			Source: q.Source, Text: q.Quote.Text, Verdict: q.Verdict, Fold: q.Fold, State: q.State, Site: q.Published.State,
			Occurrences: q.Occurrences, Note: strings.Join(q.Notes, "; "), Nearest: q.Nearest,
			Notes: quote.ReaderNotes(q.Reservations), Ours: q.Ours,
		})
		if err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	for _, p := range r.Problems {
		if err := e.Encode(p); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}
