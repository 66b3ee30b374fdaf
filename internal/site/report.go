package site

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"verbatim/internal/claim"
	"verbatim/internal/cli"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/run"
)

// Sentence is the last line of a build.
func (r *Report) Sentence() string {
	problems, warnings := r.Problems.Count()
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s (%d ran)", cli.Count(r.Lessons, "lesson"), cli.Count(r.Examples, "example"), r.Ran)
	for _, s := range []struct {
		claim.Share
		word string
	}{{r.Claims.Answers, "answer"}, {r.Claims.Values, "value"}} {
		if s.Total > 0 {
			fmt.Fprintf(&b, ", %s", cli.Count(s.Total, s.word))
		}
	}
	b.WriteString(", ")
	if phrase := r.Claims.QuotationPhrase(); phrase != "" {
		b.WriteString(phrase + " of ")
	}
	b.WriteString(cli.Count(r.Claims.Quoted(), "quotation"))
	fmt.Fprintf(&b, ", %s", cli.Count(problems, "problem"))
	if warnings > 0 {
		fmt.Fprintf(&b, ", %s", cli.Count(warnings, "warning"))
	}
	if r.Service == "embedded" {
		b.WriteString(", emulator")
	}
	fmt.Fprintf(&b, " in %.1fs", r.Took.Seconds())
	return b.String()
}

// WriteJSON writes the report as JSON lines: one per problem or warning, one
// per file changed, then the summary.
func WriteJSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, p := range r.Problems {
		if err := e.Encode(p); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	for _, text := range r.Changed {
		if err := e.Encode(map[string]string{"kind": "changed", "text": text}); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	problems, warnings := r.Problems.Count()
	return e.Encode(struct {
		Kind       string       `json:"kind"`
		Lessons    int          `json:"lessons"`
		Examples   int          `json:"examples"`
		Ran        int          `json:"ran"`
		Matched    int          `json:"matched"`
		Quotations int          `json:"quotations"`
		Claims     claim.Counts `json:"claims"`
		Problems   int          `json:"problems"`
		Warnings   int          `json:"warnings"`
		Service    string       `json:"service,omitempty"`
		Seconds    float64      `json:"seconds"`
	}{"summary", r.Lessons, r.Examples, r.Ran, r.Matched, r.Claims.Quoted(), r.Claims, problems, warnings, r.Service, r.Took.Seconds()})
}

// Explain returns a text that says why an example is stale or fresh, input by input, and
// what a build would run. It runs and writes nothing. If problems of the site prevent
// this, it returns them instead.
func Explain(ctx context.Context, c Config, id string) (string, problem.List, error) {
	b, unlock, err := open(ctx, c)
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	defer b.close()
	if err := b.read(ctx); err != nil {
		return "", nil, err
	}
	var ids []string
	for _, e := range b.book.Examples {
		ids = append(ids, e.ID)
	}
	at := slices.Index(ids, id)
	if at < 0 {
		return "", nil, &cli.UsageError{Text: strings.TrimSpace(fmt.Sprintf("-explain: no example %q; %s", id, problem.DidYouMean(id, ids)))}
	}
	e := b.book.Examples[at]
	b.book.Examples = b.book.Examples[at : at+1]
	inputs, err := b.findStale(ctx)
	if err != nil {
		return "", nil, err
	}
	if inputs[id] == nil {
		return "", b.report.Problems, nil
	}
	var out strings.Builder
	changes, stale := b.stale[id]
	switch {
	case !stale:
		fmt.Fprintf(&out, "%s is fresh: every input is as recorded, nothing would run\n", id)
	case b.records[id] == nil:
		fmt.Fprintf(&out, "%s is stale: it has no record\n", id)
	default:
		fmt.Fprintf(&out, "%s is stale: %s of %s changed\n", id, cli.Count(len(changes), "input"), cli.Count(len(inputs[id])+removed(changes), "input"))
	}
	if stale {
		fmt.Fprintf(&out, "build would run %s twice and record its lines\n", started(e))
	}
	explainInputs(&out, inputs[id], changes, b.records[id] == nil)
	return out.String(), nil, nil
}

// removed counts the changes that are inputs no more.
func removed(changes []run.Change) (n int) {
	for _, c := range changes {
		if c.Kind == "removed" {
			n++
		}
	}
	return n
}

// explainInputs lists every input, each with what became of it since the
// record.
func explainInputs(w io.Writer, inputs run.Inputs, changes []run.Change, unrecorded bool) {
	marks := map[string]string{}
	for name := range inputs {
		marks[name] = "same"
		if unrecorded {
			marks[name] = "new"
		}
	}
	for _, c := range changes {
		marks[c.Name] = c.Kind
	}
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		fmt.Fprintf(w, "  %-8s %s\n", marks[name], name)
	}
}

// commandOf is the line with which a person runs the example again, from the
// site's root.
func commandOf(e lesson.Example) string {
	if e.Go {
		return "go run ./" + e.Dir
	}
	return "go run ./cmd/build -rerun -run '^" + regexp.QuoteMeta(e.ID) + "$'"
}

// started is what a build starts.
func started(e lesson.Example) string {
	switch {
	case e.Go:
		return "go run ./" + e.Dir
	case e.IsTranscript():
		return "its commands"
	}
	return strings.Join(e.Run, " ")
}
