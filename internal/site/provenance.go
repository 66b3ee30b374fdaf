package site

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"verbatim/internal/cli"
	"verbatim/internal/problem"
	"verbatim/internal/record"
	"verbatim/internal/run"
)

// compare compares a run with the record, for -check: it must show the same, be
// compiled from the same files, and connect to its service only if the recorded run
// did. Differences are problems.
func (b *build) compare(o run.Outcome, job run.Job, next record.Record, at problem.Pos) {
	if job.Record == nil {
		return // missingRecords reports it
	}
	b.masks(o)
	b.ranOn(job.Record, next)
	e, was := o.Example, job.Record
	file := problem.Pos{File: e.RecordDir + "/" + record.RecordFile}
	if d := record.RulesOf(e).Diff(&was.Evidence, o.First); d != "" {
		text, hint := "example %q no longer shows what was recorded", "run build to record what it shows now"
		if record.OrderDiffers(e, &was.Evidence, o.First) {
			text, hint = "example %q shows what was recorded, and only the order differs", mendOrder(e)
		}
		b.report.Problems.AddHint(at, "changed", d+"\n"+hint, text, e.ID)
	}
	if !slices.Equal(was.Compiled, next.Compiled) {
		b.report.Problems.AddHint(file, "changed", "run build -rerun and commit what it writes", "example %q is not compiled from the files that its record lists", e.ID)
	}
	if was.Recorded.Connected != next.Recorded.Connected {
		b.report.Problems.AddHint(file, "changed", "run build -rerun and commit what it writes",
			"the record has connected: %t, but example %q now has connected: %t", was.Recorded.Connected, e.ID, next.Recorded.Connected)
	}
}

// invalidRecords reports records with an impossible provenance or a measured value
// that is no number, because pages show both.
func (b *build) invalidRecords() {
	for _, e := range b.book.Examples {
		r := b.records[e.ID]
		if r == nil || r.Torn {
			continue // stale
		}
		if where, text := record.NotMeasured(e.Tolerance, &r.Evidence); where != "" {
			b.report.Problems.AddHint(problem.Pos{File: e.Dir + "/example.yaml"}, "tolerance", "record a finite number, or take the tolerance out",
				"example %q: %s has a tolerance and is %q, which is no finite number", e.ID, where, text)
		}
		if wrong := r.Recorded.Invalid(e, b.Today); wrong != "" {
			b.report.Problems.AddHint(problem.Pos{File: e.RecordDir + "/" + record.RecordFile}, "record",
				"delete "+e.RecordDir+" and run build again", "%s", wrong)
		}
	}
}

// ranOn counts the examples that a check runs on another version than their record
// names. It compares the first two numbers of a version.
func (b *build) ranOn(was *record.Record, next record.Record) {
	note := func(what, recorded, here, now string) {
		if recorded == now || recorded == "" || now == "" {
			return
		}
		if b.otherRuns == nil {
			b.otherRuns = map[string]int{}
		}
		b.otherRuns[fmt.Sprintf("recorded on %s %s, and %s %s", what, recorded, here, now)]++
	}
	redis := minorOf(was.Recorded.Redis)
	const check = "this check runs on"
	note("Redis", redis, check, minorOf(next.Recorded.Redis))
	if pinned := record.ImageVersion(b.pinned); strings.Contains(pinned, ".") { // a tag like 7 names no minor version
		note("Redis", redis, "the site's image is of", minorOf(pinned))
	}
	note("Go", minorOf(strings.TrimPrefix(was.Recorded.Go, "go")), check, minorOf(strings.TrimPrefix(next.Recorded.Go, "go")))
}

// otherVersions adds one warning for each version that differs.
func (b *build) otherVersions() {
	for _, text := range slices.Sorted(maps.Keys(b.otherRuns)) {
		b.report.Problems.Warn(problem.Pos{File: "examples"}, "version", "%s: %s", cli.Count(b.otherRuns[text], "example"), text)
	}
}

// minorOf returns the first two numbers of a version, "7.0" of "7.0.15".
func minorOf(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}
