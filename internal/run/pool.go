package run

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"verbatim/internal/lesson"
	"verbatim/internal/record"
	"verbatim/internal/service"
)

// Job is one example to run.
type Job struct {
	Example lesson.Example
	Record  *record.Record // what was recorded before, or nil
	// Twice makes it run again even when its lines are those recorded: a new
	// or changed program must show that it prints the same each time.
	Twice bool
}

// Outcome is what running a job showed. One of Failure and Raw counts.
type Outcome struct {
	Example lesson.Example
	Raw     []byte
	Again   []byte // what the second run printed, nil when there was none
	Failure *Failure
	Redis   string // the version that answered, "" when none was needed
	Took    time.Duration
}

// Failure is a run that records nothing.
type Failure struct {
	Text string // "exit code 1", without the example's name
	Hint string // its last lines, and what to do
}

// Nondeterministic tells whether two runs printed different lines.
func (o *Outcome) Nondeterministic() bool {
	return o.Again != nil && !bytes.Equal(record.Show(o.Raw), record.Show(o.Again))
}

// Pool runs jobs. The zero Source is for sites whose jobs need no service.
type Pool struct {
	Root    string // the site's folder
	Cache   string
	Source  *service.Source
	Workers int                    // 0 is one per CPU
	Started func(e lesson.Example) // may be nil
	Ended   func(o Outcome)        // may be nil
}

// Run runs all jobs and gives their outcomes in the order of the jobs. An error
// is this machine's: no service, no interpreter, no disk.
func (p *Pool) Run(ctx context.Context, jobs []Job) ([]Outcome, error) {
	workers := p.Workers
	if workers <= 0 {
		workers = runtime.NumCPU()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	outcomes := make([]Outcome, len(jobs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, len(jobs)) {
		wg.Go(func() {
			w := &worker{pool: p}
			defer w.close()
			for i := range next {
				outcome, err := w.do(ctx, jobs[i])
				if err != nil {
					cancel(err)
					return
				}
				outcomes[i] = outcome
			}
		})
	}
feed:
	for i := range jobs {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return outcomes, nil
}

// worker runs one job at a time, with a Redis of its own.
type worker struct {
	pool  *Pool
	redis *service.Redis
}

func (w *worker) close() {
	if w.redis != nil {
		w.redis.Close()
	}
}

// do runs a job once, and once more when its lines are new.
func (w *worker) do(ctx context.Context, job Job) (Outcome, error) {
	if w.pool.Started != nil {
		w.pool.Started(job.Example)
	}
	o := Outcome{Example: job.Example}
	begin := time.Now()
	first, err := w.once(ctx, job.Example, &o)
	if err != nil {
		return o, err
	}
	if o.Failure = failure(job, first); o.Failure == nil {
		o.Raw = first.Raw
		known := job.Record != nil && bytes.Equal(record.Show(first.Raw), job.Record.Output)
		if job.Twice || !known {
			second, err := w.once(ctx, job.Example, &o)
			if err != nil {
				return o, err
			}
			if o.Failure = failure(job, second); o.Failure != nil {
				o.Failure.Text = "the second run: " + o.Failure.Text
			}
			o.Again = append([]byte{}, second.Raw...)
		}
	}
	o.Took = time.Since(begin)
	if w.pool.Ended != nil {
		w.pool.Ended(o)
	}
	return o, nil
}

// once gives the example what it needs, as new, and runs it.
func (w *worker) once(ctx context.Context, e lesson.Example, o *Outcome) (*Attempt, error) {
	if e.Needs == "none" {
		return attempt(ctx, w.pool.Root, w.pool.Cache, e, nil)
	}
	if err := w.ready(ctx); err != nil {
		return nil, err
	}
	o.Redis = w.redis.Version()
	control, stop, err := service.Control(ctx, w.redis)
	if err != nil {
		return nil, fmt.Errorf("run example %s: %w", e.ID, err)
	}
	defer stop()
	return attempt(ctx, w.pool.Root, w.pool.Cache, e, map[string]string{
		"REDIS_URL": w.redis.URL(), "VERBATIM_CONTROL": control,
	})
}

// ready gives the worker a Redis in the state of a new one: by a reset, or
// where an example broke it, by another.
func (w *worker) ready(ctx context.Context) error {
	if w.redis != nil {
		if w.redis.Reset(ctx) == nil {
			return nil
		}
		w.redis.Close()
		w.redis = nil
	}
	redis, err := w.pool.Source.Start(ctx)
	if err != nil {
		return err
	}
	w.redis = redis
	return nil
}

// failure tells why a run counts as none, or gives nil.
func failure(job Job, a *Attempt) *Failure {
	e := job.Example
	hint := lastLines("standard error", a.Stderr)
	if hint == "" {
		hint = lastLines("printed", a.Raw)
	}
	switch {
	case a.TooMuch:
		return &Failure{fmt.Sprintf("printed more than %d bytes", MostOutput), "print less, or only what the lesson shows"}
	case a.Result.TimedOut:
		return &Failure{fmt.Sprintf("was ended at its limit of %s", time.Duration(e.Timeout)*time.Millisecond),
			join(lastLines("printed", a.Raw), hint, "if it needs longer, set timeout in "+e.Dir+"/example.yaml")}
	case a.Result.Code != e.Exit && e.Exit != 0 && a.Result.Code == 0:
		return &Failure{fmt.Sprintf("succeeded, but exit code %d is declared", e.Exit), hint}
	case a.Result.Code != e.Exit:
		return &Failure{a.Result.String(), hint}
	case len(a.Raw) == 0 && job.Record != nil && len(job.Record.Output) > 0:
		return &Failure{"printed nothing where lines were recorded",
			join(hint, "if that is right, delete "+e.Dir+"/recorded and run build again")}
	}
	return nil
}

// lastLines shows the end of what a program wrote.
func lastLines(name string, b []byte) string {
	lines := record.Lines(record.Show(b))
	if len(lines) == 0 {
		return ""
	}
	const most = 10
	lines = lines[max(0, len(lines)-most):]
	for i, line := range lines {
		if r := []rune(line); len(r) > 300 {
			lines[i] = string(r[:300]) + "…"
		}
	}
	return name + ":\n  " + strings.Join(lines, "\n  ")
}

func join(parts ...string) string {
	var kept []string
	for _, p := range parts {
		if p != "" && (len(kept) == 0 || kept[len(kept)-1] != p) {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n")
}
