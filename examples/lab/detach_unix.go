//go:build unix

package lab

import (
	"os/exec"
	"syscall"
)

// detach puts a child into a process group of its own, so that ^C reaches this
// program alone, which then ends its children in order.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
