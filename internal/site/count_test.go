package site

import (
	"strings"
	"testing"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/problem"
)

// A check is never green because nothing ran.
func TestCount(t *testing.T) {
	two := &load.Book{Examples: []lesson.Example{{ID: "a"}, {ID: "b"}}}
	for _, row := range []struct {
		name         string
		check        bool
		ran, matched int
		problems     problem.List
		want         string
	}{
		{"all matched", true, 2, 2, nil, ""},
		{"none ran", true, 0, 0, nil, "2 examples are declared, 0 ran and 0 matched"},
		{"one did not match", true, 2, 1, nil, "2 examples are declared, 2 ran and 1 matched"},
		{"a problem says why", true, 1, 1, problem.List{{Text: "does not compile"}}, ""},
		{"no check", false, 0, 0, nil, ""},
	} {
		b := &build{Config: Config{Check: row.check}, book: two, report: &Report{Ran: row.ran, Matched: row.matched, Problems: row.problems}}
		b.count()
		added := b.report.Problems[len(row.problems):]
		if (len(added) > 0) != (row.want != "") || row.want != "" && !strings.Contains(added[0].Text, row.want) {
			t.Errorf("%s: %v", row.name, added)
		}
	}
}
