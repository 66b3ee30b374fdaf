package serve

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"verbatim/internal/cli"
	"verbatim/internal/problem"
	"verbatim/internal/site"
)

// mostLines is how many lines of an example a page shows.
const mostLines = 200

// runState is what a block is told of its example, and its template sees.
type runState struct {
	Example       string
	Going, Failed bool
	Word, Says    string
	Lines         string
	Problems      problem.List
}

// runner runs stale examples beside the drawing of pages, each again when what
// it depends on changes, and keeps what they show on the stage.
type runner struct {
	live    *site.Live
	stage   *stage
	beyond  imports // what a run may add to
	printer *cli.Printer
	slots   chan struct{} // one for each example that may run
	going   sync.WaitGroup

	mu   sync.Mutex
	runs map[string]*run // by example
}

// run is one run of an example, or what is left of it.
type run struct {
	inputs string // the digest of what it depended on
	cancel context.CancelFunc
	done   chan struct{}
}

func newRunner(live *site.Live, stage *stage, beyond imports, c site.Config) *runner {
	workers := c.Workers
	if workers <= 0 {
		workers = max(1, runtime.NumCPU()-1) // pages come first
	}
	return &runner{live: live, stage: stage, beyond: beyond, printer: c.Printer, slots: make(chan struct{}, workers), runs: map[string]*run{}}
}

// update starts what a snapshot calls stale, unless it ran as it is, and ends
// what has changed since or is not stale any more.
func (r *runner) update(ctx context.Context, s *site.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	stale := map[string]bool{}
	for _, id := range s.Stale {
		stale[id] = true
		if old := r.runs[id]; old == nil || old.inputs != s.Inputs(id) {
			r.start(ctx, id, s.Inputs(id), old)
		}
	}
	for id, old := range r.runs {
		if !stale[id] {
			old.cancel()
			delete(r.runs, id)
			r.stage.drop(id)
		}
	}
}

// start runs an example as soon as its older run has ended and a slot is free;
// r.mu is held.
func (r *runner) start(ctx context.Context, id, inputs string, older *run) {
	ctx, cancel := context.WithCancel(ctx)
	now := &run{inputs: inputs, cancel: cancel, done: make(chan struct{})}
	r.runs[id] = now
	r.stage.ran(running(id))
	r.going.Go(func() {
		defer close(now.done)
		defer cancel()
		if older != nil {
			older.cancel()
			<-older.done
		}
		if !r.slot(ctx, now, id) {
			return
		}
		defer func() { <-r.slots }()
		shown, err := r.live.Run(ctx, id)
		r.beyond.changed()
		r.take(ctx, now, id, shown, err)
	})
}

// slot waits until one more example may run, and says that it waits. False means
// that ctx ended before.
func (r *runner) slot(ctx context.Context, now *run, id string) bool {
	select {
	case r.slots <- struct{}{}:
		return true
	default:
	}
	r.show(now, runState{Example: id, Going: true, Word: "waiting", Says: "it changed, and runs when another example has ended"})
	select {
	case r.slots <- struct{}{}:
		r.show(now, running(id))
		return true
	case <-ctx.Done():
		return false
	}
}

func running(id string) runState {
	return runState{Example: id, Going: true, Word: "running", Says: "it changed, and runs as it is now"}
}

// show puts on the stage how a run stands, unless it is no longer the newest.
func (r *runner) show(now *run, state runState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs[state.Example] == now {
		r.stage.ran(state)
	}
}

// take puts on the stage what a run showed, unless it is no longer the newest.
func (r *runner) take(ctx context.Context, now *run, id string, shown *site.Shown, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || r.runs[id] != now || err == nil && shown == nil {
		return
	}
	if err != nil {
		r.printer.Printf("example %s did not run: %v", id, err)
		r.stage.ran(runState{Example: id, Failed: true, Word: "did not run", Says: err.Error()})
		return
	}
	if shown.Inputs != "" {
		now.inputs = shown.Inputs
	}
	state := stateOf(shown)
	r.printer.Problems(shown.Problems)
	r.printer.Printf("example %s: %s", id, state.Word)
	r.stage.ran(state)
}

// stateOf says what a run showed.
func stateOf(shown *site.Shown) runState {
	s := runState{Example: shown.Example, Failed: shown.Failed, Problems: shown.Problems}
	lines := shown.Lines
	if n := len(lines); n > mostLines {
		lines = append(lines[:mostLines:mostLines], fmt.Sprintf("… and %d more", n-mostLines))
	}
	s.Lines = strings.Join(lines, "\n")
	switch {
	case shown.Failed:
		s.Word, s.Says = "failed", "what stands above is the record"
	case shown.Recorded:
		s.Lines = ""
		s.Word, s.Says = "not recorded yet", "it prints what is recorded; build renews the record"
	case shown.Emulated:
		s.Word, s.Says = "not recorded yet", "this is what the emulator shows; build records on a real Redis"
	default:
		s.Word, s.Says = "not recorded yet", "this is what it prints now; build records it"
	}
	return s
}

// wait returns when no example runs any more.
func (r *runner) wait() { r.going.Wait() }

// ran keeps what is known of an example's run.
func (s *stage) ran(state runState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs[state.Example] = state
	s.changed()
}

// drop forgets an example that its record fits again, or that is gone.
func (s *stage) drop(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.runs, id)
	s.changed()
}
