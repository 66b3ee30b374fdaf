package site

import (
	"context"
	"path"
	"regexp"
	"strconv"
	"strings"

	"verbatim/internal/check"
	"verbatim/internal/load"
	"verbatim/internal/problem"
	"verbatim/internal/record"
)

// check checks everything that can be checked before a byte is written.
func (b *build) check(ctx context.Context) error {
	b.stage("check")
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

// staleRecords reports, in a check, the records whose inputs differ from the current
// ones.
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
		b.report.Problems.AddHint(problem.Pos{File: e.RecordDir + "/" + record.RecordFile}, "stale",
			"run build and commit what it writes", "does not fit its inputs: %s", strings.Join(names, ", "))
	}
}

// missingRecords: an example that no problem explains and that has no record.
func (b *build) missingRecords() {
	explained := explainedBy(b.report.Problems)
	for _, e := range b.book.Examples {
		_, stale := b.stale[e.ID]
		if !stale || b.records[e.ID] != nil || explained.folders[e.Dir] || explained.examples[e.ID] {
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

// explained are the folders and examples that problems are about.
type explained struct{ folders, examples map[string]bool }

// named matches the name of an example in a problem, quoted as by %q.
var named = regexp.MustCompile(`example ("(?:[^"\\]|\\.)*")`)

// explainedBy returns what a list's problems, but not its warnings, are about.
func explainedBy(ps problem.List) explained {
	all := explained{map[string]bool{}, map[string]bool{}}
	for _, p := range ps {
		if p.Warning {
			continue
		}
		for dir := p.File; dir != "." && dir != "/" && !all.folders[dir]; dir = path.Dir(dir) {
			all.folders[dir] = true
		}
		for _, m := range named.FindAllStringSubmatch(p.Text, -1) {
			if id, err := strconv.Unquote(m[1]); err == nil {
				all.examples[id] = true
			}
		}
	}
	return all
}
