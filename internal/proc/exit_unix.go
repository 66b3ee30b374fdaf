//go:build unix

package proc

import (
	"os"
	"syscall"
)

// exit says how a program ended that has been waited for.
func exit(state *os.ProcessState) Result {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Result{Code: -1, Signal: status.Signal()}
	}
	return Result{Code: state.ExitCode()}
}

// isOurs reports whether a file belongs to this user.
func isOurs(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Getuid()
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) } // it may be gone
