//go:build unix && !linux

package proc

import (
	"errors"
	"os/exec"
	"syscall"
)

// tree is a program and its process group.
type tree struct {
	cmd *exec.Cmd
	pid int
}

// Supervise must be the first call of main, and of TestMain where a test starts
// programs. Here the process group does its work and it returns at once.
func Supervise() {}

func startTree(cmd *exec.Cmd) (*tree, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{cmd: cmd, pid: cmd.Process.Pid}, nil
}

func (t *tree) wait() error {
	err := t.cmd.Wait()
	t.kill() // what the program left in its group
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

func (t *tree) result() (Result, error) {
	status, ok := t.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Result{Code: -1, Signal: status.Signal()}, nil
	}
	return Result{Code: t.cmd.ProcessState.ExitCode()}, nil
}

func (t *tree) signal(sig syscall.Signal) error { return syscall.Kill(-t.pid, sig) }
func (t *tree) freeze() error                   { return t.signal(syscall.SIGSTOP) }
func (t *tree) thaw() error                     { return t.signal(syscall.SIGCONT) }
func (t *tree) kill()                           { _ = t.signal(syscall.SIGKILL) } // it may be gone
func (t *tree) abandon()                        { t.kill() }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // it may be gone
