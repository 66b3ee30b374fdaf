package main

import (
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/tokenbucket"
)

// shop is a site with two routes behind one limiter.
type shop struct{ rdb *redis.Client }

func (s *shop) routes() http.Handler {
	mux := http.NewServeMux()
	page := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}) // 200
	mux.Handle("GET /search", s.limited(page))
	mux.Handle("POST /payments/charge", s.limited(page))
	return mux
}

// [middleware]
// failsOpen holds the routes that fail open; all others fail closed.
var failsOpen = map[string]bool{"GET /search": true}

// limited lets an API key send 100 requests at once to each route,
// and 100 a minute on average.
func (s *shop) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := r.Pattern // such as "GET /search"
		key := "rl:" + r.Header.Get("X-API-Key") + ":" + route
		wait, err := tokenbucket.Take(r.Context(), s.rdb,
			key, 100, 100.0/60, 1) // capacity, refill, cost
		switch {
		case err == nil && wait == 0:
			next.ServeHTTP(w, r)
		case err == nil:
			w.Header().Set("Retry-After", strconv.Itoa(wait))
			http.Error(w, "slow down", http.StatusTooManyRequests)
		case failsOpen[route]:
			next.ServeHTTP(w, r)
		default:
			soon := 1 + rand.IntN(5) // jitter
			w.Header().Set("Retry-After", strconv.Itoa(soon))
			http.Error(w, "try later", http.StatusServiceUnavailable)
		}
	})
}

// [/middleware]
