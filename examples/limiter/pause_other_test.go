//go:build !unix

package limiter

// Where there are no such signals there is no redis-server either, and no test
// comes here.
func (s *redisServer) pause()  { panic("cannot pause a process") }
func (s *redisServer) resume() {}
