//go:build unix && !linux

package proc

import (
	"errors"
	"os/exec"
	"syscall"
)

// grouped is a program and its process group.
type grouped struct {
	cmd *exec.Cmd
	pid int
}

// Supervise must be the first call of main, and of TestMain where a test starts
// programs. Here the process group does its work and it returns at once.
func Supervise(func(engine, owner string)) {}

// RegisterContainers does nothing on this system: the next build removes the
// containers of a killed one.
func RegisterContainers(string) (unregister func()) { return func() {} }

// KilledByFilter returns false: there is no signal filter on this system.
func (r Result) KilledByFilter() bool { return false }

func startTree(spec Spec, path string) (tree, error) {
	cmd := command(spec, path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &grouped{cmd: cmd, pid: cmd.Process.Pid}, nil
}

func (t *grouped) wait() error {
	err := t.cmd.Wait()
	t.kill() // what the program left in its group
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

func (t *grouped) result() (Result, error) { return exit(t.cmd.ProcessState), nil }

func (t *grouped) id() int                         { return t.pid }
func (t *grouped) signal(sig syscall.Signal) error { return syscall.Kill(-t.pid, sig) }
func (t *grouped) freeze() error                   { return t.signal(syscall.SIGSTOP) }
func (t *grouped) thaw() error                     { return t.signal(syscall.SIGCONT) }
func (t *grouped) kill()                           { _ = t.signal(syscall.SIGKILL) } // it may be gone
func (t *grouped) abandon()                        { t.kill() }

func sweepCgroups() error { return nil }

func mayExecute(string) bool { return true }
