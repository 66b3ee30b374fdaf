//go:build !unix

package proc

import (
	"errors"
	"os/exec"
	"syscall"
)

var errSystem = errors.New("running programs needs Linux or macOS: on Windows, use WSL")

// tree has no meaning here: nothing can be started.
type tree struct{ pid int }

// Supervise must be the first call of main, and of TestMain where a test starts
// programs. Here nothing can be started and it returns at once.
func Supervise() {}

func startTree(*exec.Cmd) (*tree, error) { return nil, errSystem }

func (t *tree) wait() error                 { return errSystem }
func (t *tree) result() (Result, error)     { return Result{}, errSystem }
func (t *tree) signal(syscall.Signal) error { return errSystem }
func (t *tree) freeze() error               { return errSystem }
func (t *tree) thaw() error                 { return errSystem }
func (t *tree) kill()                       {}
func (t *tree) abandon()                    {}

func killGroup(int) {}
