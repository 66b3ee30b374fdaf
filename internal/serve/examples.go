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

// maxLines is the number of lines of an example's output that a page shows.
const maxLines = 200

// runState is the state of an example's run, as the template "run" shows it below
// the recorded output.
type runState struct {
	Example         string
	Running, Failed bool
	Status          string // in one or two words
	Detail          string // in a sentence
	Output          string // the current output, "" when it equals the recorded one
	Problems        problem.List
}

// runner runs stale examples in the background, again whenever their inputs
// change, and publishes the state of each run.
type runner struct {
	live      *site.Live
	published *published
	imports   imports // a run may find further directories
	printer   *cli.Printer
	slots     chan struct{} // semaphore of running examples
	wg        sync.WaitGroup

	mu   sync.Mutex
	runs map[string]*run // the newest run of each stale example
}

// run is one run of an example, waiting, running or finished.
type run struct {
	inputs string // hash of the inputs, from site.Snapshot.Inputs
	cancel context.CancelFunc
	done   chan struct{} // closed when the run has ended
}

func newRunner(live *site.Live, pub *published, i imports, c site.Config) *runner {
	workers := c.Workers
	if workers <= 0 {
		workers = max(1, runtime.GOMAXPROCS(0)-1) // leave one for rendering
	}
	return &runner{live: live, published: pub, imports: i, printer: c.Printer, slots: make(chan struct{}, workers), runs: map[string]*run{}}
}

// update starts a run for each stale example of the snapshot whose inputs differ
// from those of its last run, and cancels the runs of examples that are not stale.
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
			r.published.removeRun(id)
		}
	}
}

// start cancels the old run of an example, if there is one, and starts a new run as
// soon as the old one has ended and a slot is free. The caller holds r.mu.
func (r *runner) start(ctx context.Context, id, inputs string, old *run) {
	ctx, cancel := context.WithCancel(ctx)
	current := &run{inputs: inputs, cancel: cancel, done: make(chan struct{})}
	r.runs[id] = current
	r.published.setRun(running(id))
	r.wg.Go(func() {
		defer close(current.done)
		defer cancel()
		if old != nil {
			old.cancel()
			<-old.done
		}
		if !r.acquire(ctx, current, id) {
			return
		}
		defer func() { <-r.slots }()
		shown, err := r.live.Run(ctx, id)
		r.imports.notify()
		r.finish(ctx, current, id, shown, err)
	})
}

// acquire waits for a free slot and publishes that the example waits. It reports
// false when ctx is cancelled first.
func (r *runner) acquire(ctx context.Context, current *run, id string) bool {
	select {
	case r.slots <- struct{}{}:
		return true
	default:
	}
	r.publish(current, runState{Example: id, Running: true, Status: "waiting", Detail: "it changed and will run when another example has ended"})
	select {
	case r.slots <- struct{}{}:
		r.publish(current, running(id))
		return true
	case <-ctx.Done():
		return false
	}
}

func running(id string) runState {
	return runState{Example: id, Running: true, Status: "running", Detail: "it changed and runs again"}
}

// publish publishes the state of a run, unless there is a newer run.
func (r *runner) publish(current *run, state runState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.runs[state.Example] == current {
		r.published.setRun(state)
	}
}

// finish publishes and prints the result of a run, unless it was cancelled or there
// is a newer run.
func (r *runner) finish(ctx context.Context, current *run, id string, shown *site.Shown, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil || r.runs[id] != current || err == nil && shown == nil {
		return
	}
	if err != nil {
		r.printer.Printf("example %s did not run: %v", id, err)
		r.published.setRun(runState{Example: id, Failed: true, Status: "did not run", Detail: err.Error()})
		return
	}
	if shown.Inputs != "" {
		current.inputs = shown.Inputs
	}
	state := resultOf(shown)
	r.printer.Problems(shown.Problems)
	r.printer.Printf("example %s: %s", id, state.Status)
	r.published.setRun(state)
}

// resultOf returns the state of a finished run.
func resultOf(shown *site.Shown) runState {
	s := runState{Example: shown.Example, Failed: shown.Failed, Problems: shown.Problems}
	lines := shown.Lines
	if n := len(lines); n > maxLines {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("… and %d more", n-maxLines))
	}
	s.Output = strings.Join(lines, "\n")
	switch {
	case shown.Failed:
		s.Status, s.Detail = "failed", "the output above is the recorded one"
	case shown.Recorded:
		s.Output = ""
		s.Status, s.Detail = "not recorded yet", "its output is the recorded one; build updates the record"
	case shown.Emulated:
		s.Status, s.Detail = "not recorded yet", "this is its output on the emulator; build records it on a real Redis"
	default:
		s.Status, s.Detail = "not recorded yet", "this is its output now; build records it"
	}
	return s
}

// wait returns when all runs have ended.
func (r *runner) wait() { r.wg.Wait() }

// setRun publishes the state of an example's run.
func (pub *published) setRun(state runState) {
	pub.mu.Lock()
	defer pub.mu.Unlock()
	pub.runs[state.Example] = state
	pub.notify()
}

// removeRun removes the state of an example that is not stale any more or was
// deleted.
func (pub *published) removeRun(id string) {
	pub.mu.Lock()
	defer pub.mu.Unlock()
	delete(pub.runs, id)
	pub.notify()
}
