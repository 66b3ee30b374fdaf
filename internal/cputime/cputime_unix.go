//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Used returns the processor time that this process has used, in user and system mode.
func Used() time.Duration { return used(syscall.RUSAGE_SELF) }

// UsedByChildren returns the processor time of the child processes that ended and that
// this process waited for.
func UsedByChildren() time.Duration { return used(syscall.RUSAGE_CHILDREN) }

func used(who int) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(who, &r); err != nil {
		return 0 // cannot happen: both arguments are valid
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
