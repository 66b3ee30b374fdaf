package site

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"verbatim/internal/cli"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
	"verbatim/internal/record"
	"verbatim/internal/run"
	"verbatim/internal/service"
)

// runExamples runs the examples that must run and takes over what they showed.
func (b *build) runExamples(ctx context.Context) error {
	if b.Run != nil && !b.anySelected() {
		return &cli.UsageError{Text: fmt.Sprintf("-run %q matches none of %d examples", b.Run, len(b.book.Examples))}
	}
	b.renewed = map[string]bool{}
	inputs, err := b.findStale(ctx)
	if err != nil {
		return err
	}
	jobs, err := b.jobs(ctx, inputs)
	if err != nil || len(jobs) == 0 {
		return err
	}
	source, err := b.openService(ctx, jobs)
	if err != nil {
		return err
	}
	if source != nil {
		defer b.closeService(source)
		b.report.Service = source.Kind()
	}
	b.stage("run")
	pool := &run.Pool{Root: b.Root, Cache: b.cache, Scratch: b.scratch, Source: source, Workers: b.Workers, Started: b.started, Ended: b.ended}
	outcomes, err := pool.Run(ctx, jobs)
	b.running.Range(func(_, end any) bool { end.(func())(); return true }) // what was cut short
	b.stage("ran")
	if err != nil {
		return err
	}
	if err := b.savedMeanwhile(); err != nil {
		return err
	}
	b.report.Ran = len(outcomes)
	for i, o := range outcomes {
		b.take(o, jobs[i], record.Record{
			Inputs: inputs[o.Example.ID], Compiled: b.compiled[o.Example.ID], Recorded: b.provenance(o, source),
		}, source)
	}
	return b.reload(jobs)
}

// savedMeanwhile returns a savedError if a file that examples depend on changed since
// it was first read, because their output then belongs to no single state.
func (b *build) savedMeanwhile() error {
	for _, name := range append(b.inputDigests.changed(), b.tree.Changed()...) {
		return &savedError{name}
	}
	return nil
}

// reload reads the lessons again if a value in their text changed. It adds only problems
// that the first reading did not report, of lessons that were saved in between.
func (b *build) reload(jobs []run.Job) error {
	for _, j := range jobs {
		if r := b.records[j.Example.ID]; r != nil && (j.Record == nil || !maps.Equal(r.Values, j.Record.Values)) {
			again, err := b.load()
			if err != nil {
				return err
			}
			for _, p := range append(again, b.lessonProblems()...) {
				if !slices.Contains(b.report.Problems, p) {
					b.report.Problems = append(b.report.Problems, p)
				}
			}
			return nil
		}
	}
	return nil
}

func (b *build) selected(e lesson.Example) bool { return b.Run == nil || b.Run.MatchString(e.ID) }

func (b *build) anySelected() bool {
	for _, e := range b.book.Examples {
		if b.selected(e) {
			return true
		}
	}
	return false
}

// findStale fills b.stale and returns the inputs of every example whose record
// they will go into. A transcript with a problem has none, and no example has any
// while a file of examples/ cannot be read, which is a problem by now.
func (b *build) findStale(ctx context.Context) (map[string]run.Inputs, error) {
	if b.book.Odd {
		return nil, nil
	}
	tree := b.newTree()
	b.tree = tree
	b.stage("inputs")
	inputs := map[string]run.Inputs{}
	var unsure []lesson.Example
	for _, e := range b.book.Examples {
		r := b.records[e.ID]
		if !e.CanRun() {
			continue
		}
		if r == nil || r.Torn || b.Check || b.Rerun { // a list of inputs may be wrong, too
			unsure = append(unsure, e)
			continue
		}
		now, exact, err := tree.Verify(e, r.Inputs)
		if err != nil {
			return nil, err
		}
		if !exact {
			unsure = append(unsure, e)
			continue
		}
		inputs[e.ID] = now
	}
	computed, ps, err := tree.Compute(ctx, b.Root, unsure)
	if err != nil {
		return nil, err
	}
	b.report.Problems = append(b.report.Problems, ps...)
	for id, now := range computed {
		inputs[id] = now
	}
	for _, e := range b.book.Examples {
		now, known := inputs[e.ID]
		r := b.records[e.ID]
		switch {
		case !e.CanRun():
		case r == nil:
			b.stale[e.ID] = nil
		case known:
			changes := run.Changes(r.Inputs, now)
			if r.Torn {
				changes = append(changes, run.Change{Name: e.RecordDir, Kind: "changed"})
			}
			if len(changes) > 0 {
				b.stale[e.ID] = changes
			}
		}
	}
	return inputs, nil
}

// jobs compiles what must run and lists it.
func (b *build) jobs(ctx context.Context, inputs map[string]run.Inputs) ([]run.Job, error) {
	var chosen []lesson.Example
	for _, e := range b.book.Examples {
		_, stale := b.stale[e.ID]
		if _, known := inputs[e.ID]; !known {
			continue // its imports do not resolve: a problem by now
		}
		if !b.selected(e) {
			if stale && !b.Check {
				b.report.Problems.Warn(b.placeOf(e), "stale", "example %q is stale and was left out by -run", e.ID)
			}
			continue
		}
		if stale || b.Check || b.Rerun {
			chosen = append(chosen, e)
		}
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	b.stage("compile")
	b.Printer.Progress("compiling examples")
	defer b.Printer.Progress("")
	compiled, ps, err := run.Compile(ctx, b.Root, b.cache, chosen)
	if err != nil {
		return nil, err
	}
	b.report.Problems = append(b.report.Problems, ps...)
	if b.compiled, err = run.Compiled(ctx, b.Root, chosen); err != nil {
		return nil, err
	}
	var jobs []run.Job
	for _, e := range chosen {
		if e.Go && !compiled[e.ID] {
			continue
		}
		_, stale := b.stale[e.ID]
		jobs = append(jobs, run.Job{Example: e, Record: b.records[e.ID], Twice: stale && !b.Check})
	}
	return jobs, nil
}

// openService finds a Redis when a job needs one. A check is only worth
// something on a real one.
func (b *build) openService(ctx context.Context, jobs []run.Job) (*service.Source, error) {
	needed := false
	for _, j := range jobs {
		needed = needed || j.Example.Needs != "none"
	}
	if !needed {
		return nil, nil
	}
	image := b.Image
	if image == "" {
		image = b.pinned
	}
	source, err := service.Open(ctx, service.Options{
		Kind: b.Redis, Image: image, Cache: b.cache, Real: b.Check, Say: b.Printer.Printf, Progress: b.Printer.Progress,
	})
	if err == nil && b.Check && !source.Real() {
		source.Close()
		err = errors.New("the emulator proves nothing")
	}
	if err != nil && b.Check && ctx.Err() == nil {
		return nil, fmt.Errorf("check the examples: a real Redis is needed: %w\n    start Docker, or put redis-server on PATH"+
			" (apt-get install redis-server, brew install redis)", err)
	}
	return source, err
}

// closeService ends what the examples used. What cannot be ended now, because
// its engine went away say, the next build sweeps.
func (b *build) closeService(source *service.Source) {
	if err := source.Close(); err != nil {
		b.Printer.Printf("a Redis may run on until the next build: %v", err)
	}
}

// take turns what an example showed into its new record, or into problems.
func (b *build) take(o run.Outcome, job run.Job, next record.Record, source *service.Source) {
	e := o.Example
	at := b.placeOf(e)
	emulated := e.Needs != "none" && !source.Real()
	ps := &b.report.Problems
	if o.Failure != nil {
		if o.Failure.Pos.File != "" {
			at = o.Failure.Pos
		}
		if !emulated {
			ps.AddHint(at, "run", o.Failure.Hint, "example %q: %s", e.ID, o.Failure.Text)
			return
		}
		ps.Warn(at, "emulator", "example %q failed on the emulator: %s", e.ID, o.Failure.Text)
		b.needsReal(e, job, at)
		return
	}
	differs := "it has no record"
	if job.Record != nil {
		differs = record.RulesOf(e).Diff(&job.Record.Evidence, o.First)
	}
	if differs == "" {
		b.report.Matched++
	}
	switch d := o.Nondeterministic(); {
	case d != "" && record.OrderDiffers(e, o.First, o.Second):
		ps.AddHint(at, "nondeterministic", twoRuns.Replace(d)+"\n"+mendOrder(e),
			"example %q prints the same lines each time, and only the order differs", e.ID)
	case d != "":
		ps.AddHint(at, "nondeterministic", twoRuns.Replace(d)+"\n"+mend(o), "example %q prints other lines each time", e.ID)
	case emulated && job.Record != nil && job.Record.Torn:
		b.needsReal(e, job, at)
	case emulated && differs == "":
		ps.Warn(at, "emulator", "example %q: same lines on the emulator, not proved", e.ID)
	case emulated:
		b.needsReal(e, job, at)
		if job.Record != nil {
			ps.Warn(at, "emulator", "example %q: other lines on the emulator, not proved: %s", e.ID, oneLine(differs))
		}
	case b.Check:
		b.compare(o, job, next, at)
	default:
		b.masks(o)
		if o.OneServer != nil {
			ps.Warn(at, "server", "example %q ran twice on one server, because no other could be started: %v", e.ID, o.OneServer)
		}
		b.records[e.ID] = record.Renew(job.Record, record.RulesOf(e), o.First, next)
		if b.renewed != nil {
			b.renewed[e.ID] = true
		}
	}
}

// outdated reports whether the record of an example is of other inputs than
// today's, because the example ran on the emulator or was left out by -run. Pages
// then mark what it shows as not run. A check refuses such a record, and a Live
// has a mark of its own for it.
func (b *build) outdated(id string) bool {
	_, stale := b.stale[id]
	return stale && !b.Check && b.renewed != nil && !b.renewed[id]
}

// twoRuns names the sides of a difference where neither is a record.
var twoRuns = strings.NewReplacer("  recorded ", "  first    ", "  printed  ", "  second   ", "  now      ", "  second   ")

// mendOrder returns the hint for an example whose lines come in changing order.
func mendOrder(e lesson.Example) string {
	if len(e.Commands) > 0 {
		return "use a command whose reply has an order: SORT … ALPHA, or one of a list or a sorted set"
	}
	return "sort the lines before printing them, or add to " + e.Dir + "/example.yaml: unordered: true"
}

// mend says what would make a nondeterministic example the same each time.
func mend(o run.Outcome) string {
	if s := record.Suggest(o.Example, o.First, o.Second); s != "" {
		return s
	}
	return "print no clocks, ids, ports or map order"
}

// masks reports a mask that matches nothing, because that is a mistake, and masks that
// leave almost nothing to compare.
func (b *build) masks(o run.Outcome) {
	for _, m := range record.UnusedMasks(o.Example.Masks, o.First) {
		b.report.Problems.AddHint(m.Pos, "mask", "take it out, or mend it", "the mask %q matches nothing that example %q prints", m.Name, o.Example.ID)
	}
	if hidden, printed := record.Hidden(o.Example.Masks, o.First); float64(hidden) > record.MaxHidden*float64(printed) {
		b.report.Problems.AddHint(o.Example.Masks[0].Pos, "mask", "write masks that match only what differs from run to run",
			"the masks of example %q hide %d of the %d letters and digits that it prints, so next to nothing is compared", o.Example.ID, hidden, printed)
	}
}

// needsReal: an example that never ran for real has no lines to show.
func (b *build) needsReal(e lesson.Example, job run.Job, at problem.Pos) {
	if job.Record != nil && job.Record.Torn {
		b.report.Problems.AddHint(problem.Pos{File: e.RecordDir}, "record", "restore it, or run build once with Docker or redis-server",
			"its files are not those that example %q recorded", e.ID)
	}
	if job.Record == nil {
		b.report.Problems.AddHint(at, "record", "run build once with Docker or redis-server",
			"example %q has no record, and the emulator writes none", e.ID)
	}
}

// provenance returns the provenance of a run: versions, date, connection.
func (b *build) provenance(o run.Outcome, source *service.Source) record.Provenance {
	e := o.Example
	p := record.Provenance{Go: o.Go, Date: b.Today, Connected: o.Connected}
	if e.Needs != "none" {
		p.Redis, p.Image = o.Redis, source.Image()
	}
	return p
}

// placeOf is where a failing example is reported: at the first lesson line
// that shows it.
func (b *build) placeOf(e lesson.Example) problem.Pos {
	if e.IsTranscript() {
		return e.Pos
	}
	if b.shownFrom != b.book {
		b.shownFrom, b.shownAt = b.book, map[string]problem.Pos{}
		for _, l := range b.book.All() {
			for _, shown := range l.Body.Evidence {
				if id := l.ExampleOf(shown.Example); b.shownAt[id].File == "" {
					b.shownAt[id] = shown.Pos
				}
			}
		}
	}
	if pos, ok := b.shownAt[e.ID]; ok {
		return pos
	}
	return problem.Pos{File: e.Dir}
}

// started shows that an example runs.
func (b *build) started(e lesson.Example) {
	b.stage("start " + e.ID)
	b.running.Store(e.ID, b.Printer.Begin("running %s", e.ID))
}

// ended ends that, and says how long it took if that is wanted.
func (b *build) ended(o run.Outcome) {
	b.stage("end " + o.Example.ID)
	if end, ok := b.running.LoadAndDelete(o.Example.ID); ok {
		end.(func())()
	}
	if b.Verbose {
		b.Printer.Printf("%s ran in %.2f s", o.Example.ID, o.Took.Seconds())
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
