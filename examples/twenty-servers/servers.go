package main

import (
	"net/http"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/limiter"
)

const (
	quota    = 100              // requests a minute for each user
	patience = 10 * time.Second // with Redis: a slow machine is no outage
)

// server serves both designs side by side.
func server(rdb *redis.Client, _ func(string)) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/flawed", flawed())
	mux.Handle("/mended", mended(rdb))
	return mux
}

// [flawed]

// flawed is the server of the design: a map in its own memory, and 403 for
// whoever is over the limit. The timer that empties the map once a minute is
// left out, since the run is over before it would strike.
func flawed() http.Handler {
	var mu sync.Mutex
	counts := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user := r.FormValue("user")
		mu.Lock()
		counts[user]++
		over := counts[user] > quota
		mu.Unlock()
		if over {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		w.Write([]byte("welcome\n"))
	})
}

// [/flawed]

// [mended]

// perUser is the limit that all servers share. A sliding log has no boundary at
// which a count begins again, so that the run cannot meet one.
var perUser = limiter.Limit{Name: "calls", Algorithm: limiter.SlidingLog, Quota: quota, Window: time.Minute}

// mended is the same server with its counts in Redis. Over the limit it answers
// 429 and says when to come back.
func mended(rdb *redis.Client) http.Handler {
	l, err := limiter.New(rdb, limiter.Options{Timeout: patience})
	if err != nil {
		return broken(err)
	}
	protect, err := l.Middleware(limiter.MiddlewareOptions{Default: limiter.Policy{
		Fallback: limiter.FailClosed,
		Charges: func(r *http.Request) []limiter.Charge {
			return []limiter.Charge{{Subject: []string{"user", r.FormValue("user")}, Limit: perUser, Cost: 1}}
		},
	}})
	if err != nil {
		return broken(err)
	}
	return protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("welcome\n"))
	}))
}

// [/mended]

// broken answers every request with why the server could not be made.
func broken(err error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	})
}
