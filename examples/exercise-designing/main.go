// Command exercise-designing runs the solutions of those exercises of the lesson
// "Designing a rate limiter" that can run: the bucket, the fail modes and the
// three limits at once.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

func main() { lab.Main(story) }

func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	bucket()
	if err := threeLimits(ctx, l); err != nil {
		return err
	}
	return failModes(ctx, l)
}

// noon is where every story begins; no real clock is asked.
var noon = time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC)

// bucket tries "burst of 50, sustained 10 a second": 80 requests at once, then
// 64 a second for ten seconds: a 64th of a second adds a number of tokens that a
// float64 holds exactly.
func bucket() {
	b := NewTokenBucket(50, 10, noon)
	burst, steady := 0, 0
	for range 80 {
		if b.Allow(noon, 1) {
			burst++
		}
	}
	const tries = 640
	for n := range tries {
		if b.Allow(noon.Add(time.Duration(n+1)*time.Second/64), 1) {
			steady++
		}
	}
	fmt.Printf("bucket: of 80 at once %d pass · of %d in the next 10 s %d\n", burst, tries, steady)
}

// failModes sends a search and a payment with Redis, without it and with it
// again.
func failModes(ctx context.Context, l *lab.Lab) error {
	lim, err := limiter.New(l.Redis(), limiter.Options{
		Timeout: 10 * time.Second, // this machine may be busy, and that is no outage
		Clock:   func() time.Time { return noon },
	})
	if err != nil {
		return err
	}
	site, err := shop(lim)
	if err != nil {
		return err
	}
	visit := func(when string) {
		fmt.Printf("%s: search %s · payment %s\n", when,
			answer(ctx, site, http.MethodGet, "/search"), answer(ctx, site, http.MethodPost, "/payments/charge"))
	}
	visit("Redis up")
	if err := l.Stop(ctx); err != nil {
		return err
	}
	visit("Redis away")
	if err := l.Start(ctx); err != nil {
		return err
	}
	visit("Redis back")
	return nil
}

// [policies]
// shop is a site on which everything fails closed, unless its
// line says otherwise.
func shop(lim *limiter.Limiter) (http.Handler, error) {
	open := limiter.Policy{Charges: one, Fallback: limiter.FailOpen}
	closed := limiter.Policy{Charges: one, Fallback: limiter.FailClosed}

	limited, err := lim.Middleware(limiter.MiddlewareOptions{
		Routes: map[string]limiter.Policy{
			"GET /search":           open,
			"POST /payments/charge": closed,
		},
		Default: closed,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /search", limited(ok))
	mux.Handle("POST /payments/charge", limited(ok))
	return mux, nil
}

var perMinute = limiter.Limit{
	Name:      "calls",
	Algorithm: limiter.TokenBucket,
	Quota:     100, // the capacity, too, unless Burst is set
	Window:    time.Minute,
}

// one is what a request costs, and whom: its API key, by route.
func one(r *http.Request) []limiter.Charge {
	subject := []string{"key", r.Header.Get("X-API-Key"), "route", r.Pattern}
	return []limiter.Charge{{Subject: subject, Limit: perMinute, Cost: 1}}
}

// [/policies]

var ok = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}) // 200

// answer is what a client sees: the status, and whether it may and should come
// back.
func answer(ctx context.Context, site http.Handler, method, path string) string {
	r := httptest.NewRequestWithContext(ctx, method, path, nil)
	r.Header.Set("X-API-Key", "k1")
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	says := fmt.Sprint(w.Code)
	if w.Header().Get("X-RateLimit-Degraded") != "" {
		says += " (uncounted)"
	}
	if w.Header().Get("Retry-After") != "" {
		says += " + Retry-After"
	}
	return says
}
