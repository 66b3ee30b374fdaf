package main

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

// limit is how many requests a minute an address may send to one route.
const limit = 100

var count = redis.NewScript(`
	local n = redis.call('INCR', KEYS[1])
	redis.call('EXPIRE', KEYS[1], 60, 'NX')
	return n`)

// site is a web server whose routes are behind one limiter.
type site struct {
	rdb    *redis.Client
	caught atomic.Int64 // errors of the limiter
}

// allow counts one request under key and reports whether it is
// within the limit. The bool is valid only if the error is nil.
func (s *site) allow(ctx context.Context, key string) (bool, error) {
	n, err := count.Run(ctx, s.rdb, []string{key}).Int()
	return n <= limit, err
}

// [middleware]
var policy = map[string]string{
	"/sign-in": "closed", // guessing passwords must stay slow
	"/seats":   "open",   // seeing the free seats is harmless
} // all other routes are closed

// limited asks the limiter before it calls next.
func (s *site) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := r.URL.Path
		key := "rl:" + route + ":" + address(r)
		allowed, err := s.allow(r.Context(), key)
		switch {
		case err == nil && allowed:
			next.ServeHTTP(w, r)
		case err == nil:
			w.Header().Set("Retry-After", "60")
			http.Error(w, "slow down", http.StatusTooManyRequests)
		case cmp.Or(policy[route], "closed") == "open":
			s.caught.Add(1)
			next.ServeHTTP(w, r)
		default:
			s.caught.Add(1)
			w.Header().Set("Retry-After", "2")
			http.Error(w, "try later", http.StatusServiceUnavailable)
		}
	})
}

// [/middleware]

// address returns the client's address without its port.
func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
