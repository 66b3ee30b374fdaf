package proc

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

var machine = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	id, _ := unix.Sysctl("kern.uuid")
	return digest(id, host)
})

var boot = sync.OnceValue(func() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return digest(id)
})

// zombie is SZOMB of <sys/proc.h>.
const zombie = 5

// life returns a process's start time and whether it lives. A zombie does not.
func life(pid int) (start string, is state) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err == nil {
		at := info.Proc.P_starttime
		start = fmt.Sprintf("%d-%d", at.Sec, at.Usec)
		if info.Proc.P_stat == zombie {
			return start, ended
		}
		return start, alive
	}
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return "", ended
	}
	return "", unknown
}
