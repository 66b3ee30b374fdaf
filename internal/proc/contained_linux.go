package proc

import (
	"errors"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// contained is a program in a cgroup of its own.
type contained struct {
	cmd    *exec.Cmd
	cgroup cgroup

	mu    sync.Mutex
	ended bool // the program has ended, and its number may soon be another's

	gaveUp    chan struct{} // closed by abandon
	givingUp  sync.Once
	abandoned bool // set before wait returns
}

// startContained starts cmd in a new cgroup. An error need not be about the
// program: the kernel may lack what this needs, or forbid it.
func startContained(cmd *exec.Cmd, filtered bool) (*contained, error) {
	g, err := newCgroup()
	if err != nil {
		return nil, err
	}
	fd, err := unix.Open(string(g), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, errors.Join(err, g.remove())
	}
	defer unix.Close(fd)
	closeOnExec()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, UseCgroupFD: true, CgroupFD: fd}
	start := cmd.Start
	if filtered {
		start = func() error { return startFiltered(cmd.Start) }
	}
	if err := start(); err != nil {
		return nil, errors.Join(err, g.remove())
	}
	return &contained{cmd: cmd, cgroup: g, gaveUp: make(chan struct{})}, nil
}

func (t *contained) id() int { return t.cmd.Process.Pid }

func (t *contained) wait() error {
	waited := make(chan error, 1)
	go func() { waited <- t.reap() }()
	select {
	case err := <-waited:
		return err
	case <-t.gaveUp:
		t.abandoned = true
		return nil
	}
}

// reap waits for the program, then ends what it left, so that no other process holds
// its output open.
func (t *contained) reap() error {
	look(t.id())
	t.mu.Lock()
	t.ended = true
	t.mu.Unlock()
	t.kill()
	err := t.cmd.Wait()
	_ = t.cgroup.remove() // the next build's sweep tries again
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil // result says it
	}
	return err
}

// cldKilled is the kernel's CLD_KILLED: a signal ended the process.
const cldKilled = 2

// look returns when a child has ended and returns how, a CLD code. It does not
// reap: until that is done the child's number is no other's.
func look(pid int) (code int32) {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, syscall.EINTR) {
			return info.Code
		}
	}
}

func (t *contained) result() (Result, error) {
	if t.abandoned {
		return Result{Code: -1}, errors.New("it does not end, though it was killed")
	}
	return exit(t.cmd.ProcessState), nil
}

func (t *contained) signal(sig syscall.Signal) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return errors.New("the program has ended")
	}
	return syscall.Kill(-t.id(), sig)
}

func (t *contained) freeze() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return errors.New("the program has ended")
	}
	return t.cgroup.freeze(true)
}

func (t *contained) thaw() error { return t.cgroup.freeze(false) }

// kill is called while the cgroup exists, or harmlessly after.
func (t *contained) kill() { _ = t.cgroup.kill() }

func (t *contained) abandon() { t.givingUp.Do(func() { close(t.gaveUp) }) }
