//go:build unix

package limiter

import "syscall"

// pause makes the server stand still with its connections open, as a machine
// does that swaps; resume lets it go on.
func (s *redisServer) pause()  { syscall.Kill(s.pid, syscall.SIGSTOP) }
func (s *redisServer) resume() { syscall.Kill(s.pid, syscall.SIGCONT) }
