package site

import (
	"context"
	"fmt"
	"os"
	"slices"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/problem"
	"verbatim/internal/record"
	"verbatim/internal/run"
	"verbatim/internal/service"
)

// Shown is what an example prints today. Nothing of it is recorded.
type Shown struct {
	Example  string
	Inputs   string       // the digest of what it depends on, "" where that was not asked; see Snapshot.Inputs
	Lines    []string     // what it printed; nil when it failed
	Problems problem.List // why a build would not record it, or what it would warn of
	Failed   bool         // it has no lines to show: Problems says why
	Recorded bool         // the lines, values and tables are those of the record
	Emulated bool         // on the emulator, which proves nothing
}

// Run runs an example of the newest snapshot, twice if its lines are new, and records
// nothing. It returns nil if that snapshot has no such example. An error is a fault of
// this machine: no Redis, no go command, no disk space.
func (l *Live) Run(ctx context.Context, id string) (*Shown, error) {
	l.mu.Lock()
	b := l.last
	l.mu.Unlock()
	if b == nil {
		return nil, nil
	}
	at := slices.IndexFunc(b.book.Examples, func(e lesson.Example) bool { return e.ID == id })
	if at < 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(l.config.Root)
	if err != nil {
		return nil, fmt.Errorf("run example %s: %w", id, err)
	}
	defer root.Close()
	// A build that takes what one example shows, and goes no further.
	trial := &build{
		Config: b.Config, root: root, module: b.module, sub: b.sub, fsys: load.Files(root), cache: b.cache, book: b.book,
		pinned: b.pinned, report: &Report{}, records: map[string]*record.Record{},
	}
	return l.run(ctx, trial, run.Job{Example: b.book.Examples[at], Record: b.records[id]})
}

func (l *Live) run(ctx context.Context, b *build, job run.Job) (*Shown, error) {
	e := job.Example
	shown := &Shown{Example: e.ID}
	compiled, err := l.prepare(ctx, b, e, shown)
	if err != nil {
		return nil, err
	}
	if !compiled {
		shown.Failed, shown.Problems = true, b.report.Problems
		return shown, nil
	}
	source, err := l.service(b, e)
	if err != nil {
		return nil, err
	}
	pool := &run.Pool{Root: l.config.Root, Cache: l.cache, Scratch: l.scratch, Source: source, Workers: 1}
	outcomes, err := pool.Run(ctx, []run.Job{job})
	if err != nil {
		return nil, err
	}
	o := outcomes[0]
	files, err := run.Compiled(ctx, l.config.Root, []lesson.Example{e})
	if err != nil {
		return nil, err
	}
	b.take(o, job, record.Record{Inputs: l.listed(e.ID), Compiled: files[e.ID], Recorded: b.provenance(o, source)}, source)
	shown.Problems = b.report.Problems
	shown.Emulated = source != nil && !source.Real()
	if o.Failure != nil {
		shown.Failed = true
		return shown, nil
	}
	shown.Lines = record.Lines(o.First.Output)
	shown.Recorded = job.Record != nil && record.RulesOf(e).Diff(&job.Record.Evidence, o.First) == ""
	return shown, nil
}

// prepare asks the go command on what the example depends, so that later
// changes of those files are noticed, and compiles it. False means that the
// problems of b say why it cannot run.
func (l *Live) prepare(ctx context.Context, b *build, e lesson.Example, shown *Shown) (bool, error) {
	if !e.Go {
		return true, nil
	}
	tree := b.newTree()
	inputs, ps, err := tree.Compute(ctx, l.config.Root, []lesson.Example{e})
	if err != nil {
		return false, err
	}
	b.report.Problems = ps
	if inputs[e.ID] == nil {
		return false, nil
	}
	l.mu.Lock()
	l.inputs[e.ID] = inputs[e.ID]
	l.mu.Unlock()
	// The inputs as findStale computes them, without the go command.
	now, _, err := tree.Verify(e, inputs[e.ID])
	if err != nil {
		return false, err
	}
	shown.Inputs = digest(now)
	compiled, ps, err := run.Compile(ctx, l.config.Root, l.cache, []lesson.Example{e})
	b.report.Problems = append(b.report.Problems, ps...)
	return compiled[e.ID], err
}

// service returns what the example needs: one source for as long as the site is
// live, so that an author waits for it once. A failure is tried again with the
// next run.
func (l *Live) service(b *build, e lesson.Example) (*service.Source, error) {
	if e.Needs == "none" {
		return nil, nil
	}
	l.redis.Lock()
	defer l.redis.Unlock()
	if l.source != nil {
		return l.source, nil
	}
	image := b.Image
	if image == "" {
		image = b.pinned
	}
	source, err := service.Open(l.ctx, service.Options{Kind: b.Redis, Image: image, Cache: b.cache, Say: b.Printer.Printf})
	if err != nil {
		return nil, fmt.Errorf("run example %s: %w", e.ID, err)
	}
	l.source = source
	return source, nil
}
