// Package problem holds diagnostics about authors' files: position, message and hint.
// A List prints in the same order however it was collected.
//
// A problem is a mistake that the author can correct; a fault of the program or the
// machine is an ordinary error.
package problem

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Pos is a place in a file of the site. File is slash-separated and relative
// to the site's root; Line and Col count from 1, Col in bytes as Go's tools
// count. A zero Line means the file as a whole.
type Pos struct {
	File      string
	Line, Col int
}

func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// At returns the position of the byte at offset in src, a whole file's bytes.
func At(file string, src []byte, offset int) Pos {
	offset = min(max(offset, 0), len(src))
	before := src[:offset]
	line := bytes.Count(before, []byte("\n")) + 1
	return Pos{file, line, offset - bytes.LastIndexByte(before, '\n')}
}

// Problem is one complaint.
type Problem struct {
	Pos
	Text    string // lower case, no full stop
	Check   string // the check that found it, as printed in brackets
	Hint    string // what to do, "" when the text says it; may hold several lines
	Warning bool   // printed, but does not change the exit code
}

// String returns the lines that a person reads. Nothing in them makes a terminal
// do anything but show text.
func (p Problem) String() string {
	var b strings.Builder
	mark := ""
	if p.Warning {
		mark = "warning: "
	}
	fmt.Fprintf(&b, "%s: %s%s [%s]", strings.ReplaceAll(p.Pos.String(), "\n", `\x0a`), mark, p.Text, p.Check)
	if p.Hint != "" {
		for line := range strings.Lines(p.Hint) {
			b.WriteString("\n    " + strings.TrimRight(line, "\n"))
		}
	}
	return Printable(b.String())
}

// MarshalJSON returns the problem as one JSON object, the line that both commands
// print with -json.
func (p Problem) MarshalJSON() ([]byte, error) {
	kind := "problem"
	if p.Warning {
		kind = "warning"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // a reader of the lines sees "->", not an escape
	err := e.Encode(struct {
		Kind  string `json:"kind"`
		File  string `json:"file"`
		Line  int    `json:"line,omitempty"`
		Col   int    `json:"col,omitempty"`
		Text  string `json:"text"`
		Check string `json:"check"`
		Hint  string `json:"hint,omitempty"`
	}{kind, p.File, p.Line, p.Col, p.Text, p.Check, p.Hint})
	return b.Bytes(), err
}

// List is any number of problems, in any order until Sort.
type List []Problem

// Add appends a problem without a hint.
func (l *List) Add(pos Pos, check, format string, args ...any) {
	*l = append(*l, Problem{Pos: pos, Check: check, Text: fmt.Sprintf(format, args...)})
}

// AddHint appends a problem with a hint; an empty hint prints nothing.
func (l *List) AddHint(pos Pos, check, hint, format string, args ...any) {
	*l = append(*l, Problem{Pos: pos, Check: check, Hint: hint, Text: fmt.Sprintf(format, args...)})
}

// Warn appends a warning.
func (l *List) Warn(pos Pos, check, format string, args ...any) {
	*l = append(*l, Problem{Pos: pos, Check: check, Text: fmt.Sprintf(format, args...), Warning: true})
}

// Count returns the number of problems and of warnings.
func (l List) Count() (problems, warnings int) {
	for _, p := range l {
		if p.Warning {
			warnings++
		} else {
			problems++
		}
	}
	return problems, warnings
}

// Sort orders by file, line, column, check and text, and drops repetitions.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Check, b.Check), cmp.Compare(a.Text, b.Text))
	})
	*l = slices.CompactFunc(*l, func(a, b Problem) bool { return a == b })
}

// Print writes the list, one problem after another.
func (l List) Print(w io.Writer) {
	for _, p := range l {
		fmt.Fprintln(w, p)
	}
}
