package run

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
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

// Outcome is what running a job showed. One of Failure and First counts.
type Outcome struct {
	Example lesson.Example
	First   *record.Evidence
	Second  *record.Evidence // of a second run, nil when there was none
	Failure *Failure
	Redis   string // the version that answered, "" when none was needed
	Go      string // the version of Go that compiled the program, "" for other programs
	// Connected reports that the program connected to its service, or that the
	// build did so for a transcript.
	Connected bool
	Took      time.Duration
	OneServer error // why the second run had the server of the first, where it should have had another
}

// Failure is a run that records nothing.
type Failure struct {
	Text string      // "exit code 1", without the example's name
	Hint string      // its last lines, and what to do
	Pos  problem.Pos // where it failed, zero for the example as a whole
}

// Nondeterministic returns how two runs differ under the example's rules, or "".
func (o *Outcome) Nondeterministic() string {
	if o.Second == nil {
		return ""
	}
	return record.RulesOf(o.Example).Diff(o.First, o.Second)
}

// Pool runs jobs. The zero Source is for sites whose jobs need no service.
type Pool struct {
	Root    string // the site's folder
	Cache   string
	Scratch string // the folder that examples run in, outside of the site; "" is Cache
	Source  *service.Source
	Workers int                    // 0 is GOMAXPROCS
	Started func(e lesson.Example) // may be nil
	Ended   func(o Outcome)        // may be nil
}

// Run runs all jobs and returns their outcomes in the order of the jobs. It returns an
// error if this machine cannot run them: without a service, an interpreter or disk space.
func (p *Pool) Run(ctx context.Context, jobs []Job) ([]Outcome, error) {
	workers := p.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	outcomes := make([]Outcome, len(jobs))
	next := make(chan int)
	g, running := errgroup.WithContext(ctx)
	for range min(workers, len(jobs)) {
		g.Go(func() error {
			w := &worker{pool: p, services: map[served]service.Instance{}}
			defer w.close()
			for i := range next {
				outcome, err := w.do(running, jobs[i])
				if err != nil {
					return err
				}
				outcomes[i] = outcome
			}
			return nil
		})
	}
feed:
	for i := range jobs {
		select {
		case next <- i:
		case <-running.Done():
			break feed
		}
	}
	close(next)
	err := g.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// worker runs one job at a time with its own services. It starts a service when the
// first example needs it.
type worker struct {
	pool     *Pool
	services map[served]service.Instance
}

// served is the key of a worker's services. The second run of an example has another
// server than the first, because some behaviour is fixed for the life of a server:
// the order of its hash tables, for example.
type served struct {
	needs string // as in example.yaml
	turn  int    // of the example's runs: 1 or 2
}

func (w *worker) close() {
	for _, s := range w.services {
		s.Close()
	}
}

// do runs a job once, and once more when its lines are new.
func (w *worker) do(ctx context.Context, job Job) (Outcome, error) {
	if w.pool.Started != nil {
		w.pool.Started(job.Example)
	}
	o := Outcome{Example: job.Example}
	begin := time.Now()
	if job.Example.Go {
		info, err := buildinfo.ReadFile(Binary(w.pool.Cache, job.Example))
		if err != nil {
			return o, fmt.Errorf("run example %s: read the version of Go: %w", job.Example.ID, err)
		}
		o.Go = info.GoVersion
	}
	first, err := w.once(ctx, job.Example, 1, &o)
	if err != nil {
		return o, err
	}
	if o.Failure = failure(job, first); o.Failure == nil {
		o.First = &first.Evidence
		known := job.Record != nil && record.RulesOf(job.Example).Diff(&job.Record.Evidence, o.First) == ""
		if job.Twice || !known {
			second, err := w.once(ctx, job.Example, 2, &o)
			if err != nil {
				return o, err
			}
			if o.Failure = failure(job, second); o.Failure != nil {
				o.Failure.Text = "the second run: " + o.Failure.Text
			}
			o.Second = &second.Evidence
		}
	}
	o.Took = time.Since(begin)
	if w.pool.Ended != nil {
		w.pool.Ended(o)
	}
	return o, nil
}

// once resets the service that the example needs and runs the example. turn is 1 for
// the first run and 2 for the second.
func (w *worker) once(ctx context.Context, e lesson.Example, turn int, o *Outcome) (*Attempt, error) {
	if e.Needs == "none" {
		return w.pool.attempt(ctx, e, nil)
	}
	instance, err := w.ready(ctx, served{e.Needs, turn})
	if first := w.services[served{e.Needs, 1}]; err != nil && turn == 2 && first != nil && first.Reset(ctx) == nil {
		instance, o.OneServer, err = first, err, nil // the engine is gone, and the server goes on
	}
	if err != nil {
		return nil, err
	}
	o.Redis = instance.Version()
	if redis, ok := instance.(*service.Redis); ok && e.IsTranscript() {
		o.Connected = true
		return transcribe(ctx, redis, e)
	}
	before := instance.Connections()
	defer func() { o.Connected = o.Connected || instance.Connections() > before }()
	control, stop, err := service.Control(ctx, instance)
	if err != nil {
		return nil, fmt.Errorf("run example %s: %w", e.ID, err)
	}
	defer stop()
	return w.pool.attempt(ctx, e, map[string]string{
		"REDIS_URL": instance.URL(), "VERBATIM_CONTROL": control,
	})
}

// ready returns a service in the state of a new one: the reset service of the
// worker or, if an example broke that, another.
func (w *worker) ready(ctx context.Context, use served) (service.Instance, error) {
	if have := w.services[use]; have != nil {
		if have.Reset(ctx) == nil {
			return have, nil
		}
		have.Close()
		delete(w.services, use)
	}
	instance, err := w.pool.start(ctx, use.needs)
	if err != nil {
		return nil, err
	}
	w.services[use] = instance
	return instance, nil
}

// start starts what examples call needs.
func (p *Pool) start(ctx context.Context, needs string) (service.Instance, error) {
	if needs == "redis-cluster" {
		return p.Source.StartCluster(ctx)
	}
	return p.Source.Start(ctx)
}

// failure returns why a run cannot be recorded, or nil.
func failure(job Job, a *Attempt) *Failure {
	e := job.Example
	hint := lastLines("standard error", a.Stderr)
	if hint == "" {
		hint = lastLines("printed", a.Evidence.Output)
	}
	switch {
	case a.Unstarted != "":
		return &Failure{Text: a.Unstarted,
			Hint: "run in " + e.Dir + "/example.yaml names a file of that folder: is it there, and executable (chmod +x)?"}
	case a.TooMuch:
		return &Failure{Text: fmt.Sprintf("printed more than %d bytes", MaxOutput), Hint: "print less, or only what the lesson shows"}
	case a.Result.TimedOut:
		return &Failure{Text: fmt.Sprintf("was ended at its limit of %s", e.Timeout),
			Hint: join(lastLines("printed", a.Evidence.Output), hint, "if it needs longer, set timeout in "+e.Dir+"/example.yaml")}
	case a.Result.KilledByFilter():
		return &Failure{Text: "was killed because it sent a signal to the build, or to every process",
			Hint: join(hint, "send signals only to processes that the program started itself")}
	case a.Result.Code != e.Exit && e.Exit != 0 && a.Result.Code == 0:
		return &Failure{Text: fmt.Sprintf("succeeded, but exit code %d is declared", e.Exit), Hint: hint}
	case a.Result.Code != e.Exit:
		return &Failure{Text: a.Result.String(), Hint: hint}
	case a.Bad != "":
		return &Failure{Text: a.Bad, Hint: hint, Pos: a.At}
	case len(a.Evidence.Output) == 0 && job.Record != nil && len(job.Record.Output) > 0:
		return &Failure{Text: "printed nothing where lines were recorded",
			Hint: join(hint, "if that is right, delete "+e.RecordDir+" and run build again")}
	}
	return nil
}

// lastLines shows the end of what a program wrote.
func lastLines(name string, b []byte) string {
	lines := record.Lines(record.Show(b)) // showing twice changes nothing but lone backslashes
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
