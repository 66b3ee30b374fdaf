package proc

import (
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
)

// machine also takes in the host name and the process namespace: containers of
// one image share a machine id, and their pids mean nothing to each other.
var machine = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	namespace, _ := os.Readlink("/proc/self/ns/pid")
	return digest(firstLine("/etc/machine-id", "/var/lib/dbus/machine-id"), host, namespace)
})

var boot = sync.OnceValue(func() string {
	return digest(firstLine("/proc/sys/kernel/random/boot_id"))
})

// firstLine is the text of the first of the files that can be read.
func firstLine(files ...string) string {
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			return strings.TrimSpace(string(text))
		}
	}
	return ""
}

// life returns a process's start time and whether it lives. A zombie does not.
func life(pid int) (start string, is state) {
	if s, err := readStat(pid); err == nil {
		if s.state == 'Z' || s.state == 'X' {
			return s.start, ended
		}
		return s.start, alive
	}
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return "", ended
	}
	return "", unknown // another user's, and /proc hides it
}
