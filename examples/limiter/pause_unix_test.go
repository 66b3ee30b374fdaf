//go:build unix

package limiter

import (
	"os/exec"
	"syscall"
)

// pause makes the server stand still with its connections open, as a machine
// does that swaps; resume lets it go on.
func (s *redisServer) pause()  { s.signal(syscall.SIGSTOP, "pause") }
func (s *redisServer) resume() { s.signal(syscall.SIGCONT, "unpause") }

func (s *redisServer) signal(to syscall.Signal, verb string) {
	if image() == "" {
		syscall.Kill(s.pid, to)
		return
	}
	exec.Command("docker", verb, s.name).Run()
}
