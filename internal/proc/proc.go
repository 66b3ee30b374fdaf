// Package proc starts programs and ends them with all processes that they started, at
// the latest when the build that started them ends, even if the build is killed.
//
// On Linux a program runs in its own cgroup, which is killed through
// cgroup.kill. A watchdog process, one per build, does that as soon as the build is
// dead; Sweep of the next build kills what the watchdog could not. Where no
// cgroup can be made a program runs below a small supervisor: this same executable,
// started again, made the child subreaper, and tied to the build by a pipe. It
// kills what the program left behind, detached grandchildren included, and
// kills everything when its pipe closes. On other Unix systems the process
// group takes its place, and a grandchild that detached itself may survive.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	defaultGrace = 2 * time.Second
	// patience is how long what was killed has to end, and the pipes to close,
	// before both are given up.
	patience = 3 * time.Second
)

// Spec says what to start and how it may run.
type Spec struct {
	Args         []string      // the program, looked up on PATH unless it holds a slash, and its arguments
	Dir          string        // where it runs; "" is the caller's folder
	Env          []string      // its whole environment; nil is an empty one
	Stdin        io.Reader     // nil is an input at its end
	Stdout       io.Writer     // nil discards
	Stderr       io.Writer     // nil discards
	Timeout      time.Duration // how long it may run; 0 is without limit
	Grace        time.Duration // from SIGTERM to SIGKILL; 0 is two seconds
	SignalFilter bool          // on Linux: the kernel kills it if it signals this process, its watchdog or all processes
	Scratch      string        // a folder from Scratch: Sweep then ends the program if a killed build left it; may be ""
}

// Result says how a program ended.
type Result struct {
	Code     int            // the exit code, -1 when a signal ended it
	Signal   syscall.Signal // the signal that ended it, or 0
	TimedOut bool           // Spec.Timeout passed and the program was made to end
}

func (r Result) String() string {
	switch {
	case r.TimedOut:
		return "ran past its time limit"
	case r.Signal != 0:
		return fmt.Sprintf("ended by signal %d (%s)", int(r.Signal), r.Signal)
	}
	return fmt.Sprintf("exit code %d", r.Code)
}

// Process is a program that was started. Wait must be called.
type Process struct {
	tree  tree
	grace time.Duration

	stop     chan struct{} // closed by Stop
	stopOnce sync.Once
	gone     chan struct{} // closed when the program has ended
	done     chan struct{} // closed when the fields below are final

	result Result
	err    error
}

// tree is a program that runs and everything that it started.
type tree interface {
	id() int                     // the program's process id
	wait() error                 // returns when all are gone and the output is written
	result() (Result, error)     // how the program ended; called once, after wait
	signal(syscall.Signal) error // to the program's process group
	freeze() error               // halts them
	thaw() error                 // lets them go on
	kill()                       // ends all of them; wait says when
	abandon()                    // lets wait return though they do not end
}

// Start starts a program in a process group of its own. When ctx ends or
// Timeout passes it gets SIGTERM, and after Grace everything it started gets
// SIGKILL. An error that wraps exec.ErrNotFound means that there is no such
// program.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if len(spec.Args) == 0 {
		return nil, errors.New("start a program: no name given")
	}
	path, err := lookPath(spec.Args[0], spec.Dir)
	if err != nil {
		return nil, err
	}
	t, err := startTree(spec, path)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Args[0], err)
	}
	forget := record(spec.Scratch, t.id())
	p := &Process{
		tree:  t,
		grace: spec.Grace,
		stop:  make(chan struct{}),
		gone:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	if p.grace == 0 {
		p.grace = defaultGrace
	}
	go p.follow(ctx, spec.Timeout, forget)
	return p, nil
}

// command is what os/exec needs to start the program found at path.
func command(spec Spec, path string) *exec.Cmd {
	env := spec.Env
	if env == nil {
		env = []string{} // os/exec takes nil for "as I have it", which would pass the user's secrets on
	}
	return &exec.Cmd{
		Path:      path,
		Args:      spec.Args,
		Dir:       spec.Dir,
		Env:       env,
		Stdin:     spec.Stdin,
		Stdout:    spec.Stdout,
		Stderr:    spec.Stderr,
		WaitDelay: patience,
	}
}

// lookPath finds a program. A relative path with a slash in it starts in dir,
// where the program will run.
func lookPath(name, dir string) (string, error) {
	if strings.ContainsRune(name, '/') && !filepath.IsAbs(name) && dir != "" {
		name = filepath.Join(dir, name)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// follow waits for the program and meanwhile ends it when that is asked for.
func (p *Process) follow(ctx context.Context, timeout time.Duration, forget func()) {
	defer close(p.done)
	waited := make(chan error, 1)
	go func() {
		waited <- p.tree.wait()
		close(p.gone)
	}()
	timedOut, cause := p.end(ctx, timeout)
	err := <-waited
	forget()

	p.result, p.err = p.tree.result()
	p.result.TimedOut = timedOut
	switch {
	case cause != nil:
		p.err = cause
	case p.err == nil && err != nil && !timedOut && !errors.Is(err, exec.ErrWaitDelay):
		p.err = err
	}
}

// end returns when the program has ended, having seen to that when ctx ended,
// the time passed or Stop was called.
func (p *Process) end(ctx context.Context, timeout time.Duration) (timedOut bool, cause error) {
	var deadline <-chan time.Time
	if timeout > 0 {
		timer := time.NewTimer(timeout)
		defer timer.Stop()
		deadline = timer.C
	}
	select {
	case <-p.gone:
		return false, nil
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-deadline:
		timedOut = true
	case <-p.stop:
	}
	p.tree.signal(syscall.SIGTERM)
	if p.goneWithin(p.grace) {
		return timedOut, cause
	}
	p.tree.kill()
	if !p.goneWithin(patience) {
		p.tree.abandon()
	}
	<-p.gone
	return timedOut, cause
}

func (p *Process) goneWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.gone:
		return true
	case <-timer.C:
		return false
	}
}

// Wait returns once the program and all that it started are gone and its
// output has been written. The error is ours: the context's cause if that ended
// the program, a supervisor that was lost, or a program that not even SIGKILL
// ends; how the program itself fared is in the Result. It may be called more than once.
func (p *Process) Wait() (Result, error) {
	<-p.done
	return p.result, p.err
}

// Done is closed once Wait would return at once.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stop asks the program to end: SIGTERM, after Spec.Grace SIGKILL. It returns
// at once; Wait says when it is over.
func (p *Process) Stop() {
	p.stopOnce.Do(func() { close(p.stop) })
}

// Kill ends the program and everything it started without warning. It returns
// at once; Wait says when it is over.
func (p *Process) Kill() {
	p.tree.kill()
	p.Stop() // so that a supervisor that does not answer is given up in time
}

// Freeze halts the program until Thaw, and returns once it has halted.
func (p *Process) Freeze() error { return p.tree.freeze() }

// Thaw lets a frozen program go on.
func (p *Process) Thaw() error { return p.tree.thaw() }
