//go:build unix

package quote

import (
	"syscall"
	"time"
)

// processorTime is what this process has used so far, in user and system mode.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
