package proc

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startTree starts a program in a cgroup of its own, or where that does not work
// below a supervisor, which also finds out what is wrong if it is the program.
func startTree(spec Spec, path string) (tree, error) {
	if !supervising {
		return nil, errors.New("proc.Supervise was not called first in main")
	}
	startWatchdog()
	if t, err := startContained(command(spec, path), spec.SignalFilter); err == nil {
		return t, nil
	}
	t, err := startSupervised(command(spec, path))
	if err != nil {
		return nil, err
	}
	return t, nil
}

// mayExecute reports whether programs may be started from a folder's file system.
func mayExecute(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) != nil || fs.Flags&unix.ST_NOEXEC == 0
}

// supervised is a program below its supervisor. The build holds one end of two
// pipes. On the lifeline each byte is a signal for the program's process group,
// and its end is the order to kill everything. On the other the supervisor
// writes two lines: "started PID" or "failed ERRNO", later "exited CODE" or
// "signalled NUMBER".
type supervised struct {
	cmd      *exec.Cmd
	pid      int // the program's
	lifeline *os.File
	status   *os.File
	lines    *bufio.Reader
	cut      sync.Once
}

// startSupervised returns once the program runs below its supervisor.
func startSupervised(cmd *exec.Cmd) (*supervised, error) {
	watched, lifeline, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer watched.Close()
	status, reported, err := os.Pipe()
	if err != nil {
		lifeline.Close()
		return nil, err
	}
	defer reported.Close()

	cmd.Args = append([]string{supervisorName, cmd.Path}, cmd.Args...)
	cmd.Path = "/proc/self/exe" // stays right when the file was replaced or deleted meanwhile
	cmd.ExtraFiles = []*os.File{watched, reported}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	t := &supervised{cmd: cmd, lifeline: lifeline, status: status, lines: bufio.NewReader(status)}
	if err := cmd.Start(); err != nil {
		t.close()
		return nil, err
	}
	watched.Close()
	reported.Close()
	if err := t.started(); err != nil {
		t.abandon()
		_ = t.wait() // the reason is in err
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *supervised) id() int { return t.pid }

const (
	startTime = 30 * time.Second       // what a supervisor may need on a busy machine
	wakeEvery = 100 * time.Millisecond // how often a supervisor that is late is woken
)

// started reads the supervisor's first line.
func (t *supervised) started() error {
	word, number, err := t.firstLine()
	if err != nil {
		return err
	}
	if word == "failed" {
		return syscall.Errno(number)
	}
	t.pid = number
	return nil
}

// firstLine wakes a supervisor that is late: the program may have stopped it with
// a signal before it could write.
func (t *supervised) firstLine() (word string, number int, err error) {
	defer t.status.SetReadDeadline(time.Time{})
	for until := time.Now().Add(startTime); ; {
		t.status.SetReadDeadline(time.Now().Add(wakeEvery))
		word, number, err = t.line()
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Now().After(until) {
			return word, number, err
		}
		_ = t.cmd.Process.Signal(syscall.SIGCONT)
	}
}

func (t *supervised) line() (word string, number int, err error) {
	line, err := t.lines.ReadString('\n')
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "", 0, fmt.Errorf("its supervisor does not answer: %w", err)
	}
	if err != nil {
		return "", 0, errors.New("its supervisor was killed")
	}
	if _, err := fmt.Sscanf(strings.TrimSpace(line), "%s %d", &word, &number); err != nil {
		return "", 0, fmt.Errorf("its supervisor answered %q", line)
	}
	return word, number, nil
}

// wait returns when the supervisor has ended and the output is written. The
// supervisor's exit code is no error: result has the program's own.
func (t *supervised) wait() error {
	if supervisor := t.cmd.Process.Pid; look(supervisor) == cldKilled {
		killBelow(supervisor) // by the session: it led one, and keeps its number until it is reaped
	}
	err := t.cmd.Wait()
	t.kill()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// result is called once, after wait.
func (t *supervised) result() (Result, error) {
	defer t.close()
	word, number, err := t.line()
	if err != nil {
		return Result{Code: -1}, err
	}
	if word == "signalled" {
		return Result{Code: -1, Signal: syscall.Signal(number)}, nil
	}
	return Result{Code: number}, nil
}

func (t *supervised) signal(sig syscall.Signal) error {
	_, err := t.lifeline.Write([]byte{byte(sig)})
	return err
}

// freeze returns once the program has halted: the supervisor sends the signal a
// moment later.
func (t *supervised) freeze() error {
	if err := t.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(time.Millisecond) {
		s, err := readStat(t.pid)
		if err != nil || s.state == 'Z' {
			return errors.New("the program has ended")
		}
		if s.state == 'T' {
			return nil
		}
	}
	return errors.New("the program did not halt")
}

func (t *supervised) thaw() error { return t.signal(syscall.SIGCONT) }

func (t *supervised) kill() { t.cut.Do(func() { t.lifeline.Close() }) }

// abandon ends a supervisor that does not answer: the program may have stopped
// it with a signal. Its programs are ended first, while it can be found.
func (t *supervised) abandon() {
	killBelow(t.cmd.Process.Pid)
	_ = t.cmd.Process.Kill()
}

func (t *supervised) close() {
	t.kill()
	t.status.Close()
}
