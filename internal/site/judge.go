package site

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"verbatim/internal/check"
	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/problem"
	"verbatim/internal/record"
)

// judge checks everything that can be checked before a byte is written.
func (b *build) judge(ctx context.Context) error {
	b.stage("judge")
	b.fences()
	if b.Check {
		b.staleRecords()
		b.otherVersions()
	}
	b.invalidRecords()
	b.missingRecords()
	b.count()
	b.report.Problems = append(b.report.Problems, check.Run(b.checked())...)
	return b.quotations(ctx)
}

// checked is the site as package check sees it.
func (b *build) checked() *check.Site {
	s := &check.Site{
		Course: b.book.Course, Examples: b.book.Examples, Records: b.records,
		Files: b.book.Files,
	}
	if b.book.Home != nil {
		s.Home = &b.book.Home.Lesson
	}
	for _, l := range b.book.Lessons {
		s.Lessons = append(s.Lessons, &l.Lesson)
	}
	return s
}

// staleRecords: in a check, a record whose inputs are not today's is a record
// that somebody forgot to renew.
func (b *build) staleRecords() {
	for _, e := range b.book.Examples {
		changes := b.stale[e.ID]
		if len(changes) == 0 {
			continue
		}
		names := make([]string, len(changes))
		for i, c := range changes {
			names[i] = c.String()
		}
		b.report.Problems.AddHint(problem.Pos{File: e.Record + "/" + record.RecordFile}, "stale",
			"run build and commit what it writes", "does not fit its inputs: %s", strings.Join(names, ", "))
	}
}

// missingRecords: an example that no problem explains and that has no record.
func (b *build) missingRecords() {
	for _, e := range b.book.Examples {
		_, stale := b.stale[e.ID]
		if !stale || b.records[e.ID] != nil || b.explained(e) {
			continue
		}
		b.report.Problems.AddHint(b.placeOf(e), "record", "run build and commit what it writes", "example %q has no record", e.ID)
	}
}

// count: a check in which an example did not run, or did not match, and that
// nevertheless found nothing would be green for the wrong reason.
func (b *build) count() {
	problems, _ := b.report.Problems.Count()
	if !b.Check || b.Run != nil || problems > 0 || b.report.Matched == len(b.book.Examples) {
		return
	}
	b.report.Problems.Add(problem.Pos{File: load.Examples}, "count", "%d examples are declared, %d ran and %d matched",
		len(b.book.Examples), b.report.Ran, b.report.Matched)
}

// explained tells whether a problem already says why e has no record.
func (b *build) explained(e lesson.Example) bool {
	return slices.ContainsFunc(b.report.Problems, func(p problem.Problem) bool {
		return !p.Warning && (strings.HasPrefix(p.File, e.Dir+"/") || p.File == e.Dir ||
			strings.Contains(p.Text, fmt.Sprintf("example %q", e.ID)))
	})
}
