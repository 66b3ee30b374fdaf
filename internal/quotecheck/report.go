package quotecheck

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"verbatim/internal/cli"
	"verbatim/internal/quote"
)

// Sentence is the last line of a run: "9 quotations, 2 verified, 7 attested,
// 0 problems in 0.2s".
func (r *Report) Sentence() string {
	var parts []string
	if r.Sealed == nil {
		parts = append(parts, cli.Count(len(r.Results), "quotation"))
		for _, s := range []quote.State{quote.Verified, quote.Attested, quote.Stale, quote.Drifted, quote.Unverified} {
			if n := r.count(s); n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, s))
			}
		}
	} else {
		parts = append(parts, cli.Count(r.written(), "seal"))
	}
	problems, warnings := r.Problems.Count()
	parts = append(parts, cli.Count(problems, "problem"))
	if warnings > 0 {
		parts = append(parts, cli.Count(warnings, "warning"))
	}
	return fmt.Sprintf("%s in %.1fs", strings.Join(parts, ", "), r.Took.Seconds())
}

func (r *Report) count(s quote.State) int {
	n := 0
	for _, q := range r.Results {
		if q.State == s {
			n++
		}
	}
	return n
}

func (r *Report) written() int {
	n := 0
	for _, s := range r.Sealed {
		if s.Data != nil {
			n++
		}
	}
	return n
}

// Wrong reports whether an author has something to mend; strict counts
// warnings, too.
func (r *Report) Wrong(strict bool) bool {
	problems, warnings := r.Problems.Count()
	return problems > 0 || strict && warnings > 0
}

// Lines describes each quotation, or each seal, in a line of its own.
func (r *Report) Lines() []string {
	var lines []string
	for _, q := range r.Results {
		how := string(q.Verdict)
		if q.Fold != "" {
			how += " (" + string(q.Fold) + ")"
		}
		lines = append(lines, fmt.Sprintf("%s: %s in %s, %s, on the site %s", q.Quote.Pos, how, q.Source, q.State, q.Word))
	}
	for _, s := range r.Sealed {
		if s.Data == nil {
			lines = append(lines, fmt.Sprintf("%s: not sealed: %s", s.Source, s.Skipped))
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s sealed in %s", s.Source, cli.Count(s.Quotations, "quotation"), s.File))
	}
	return lines
}

// quotation is the JSON line of one quotation, as QUOTES promises it.
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
	Note        string        `json:"note,omitempty"`
	Nearest     string        `json:"nearest,omitempty"`
}

// WriteJSON writes one line for each quotation and one for each problem.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, q := range r.Results {
		err := e.Encode(quotation{
			Kind: "quotation", File: q.Quote.Pos.File, Line: q.Quote.Pos.Line, Col: q.Quote.Pos.Col,
			Source: q.Source, Text: q.Quote.Text, Verdict: q.Verdict, Fold: q.Fold, State: q.State, Site: q.Word,
			Occurrences: q.Occurrences, Note: strings.Join(q.Notes, "; "), Nearest: q.Nearest,
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
