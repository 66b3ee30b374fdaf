// Command exercise-designing runs the solutions of two exercises of the lesson
// "Designing a rate limiter": the fail modes, and three limits at once.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"verbatim/examples/lab"
)

func main() { lab.Main(story) }

func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	if err := threeLimits(ctx, l); err != nil {
		return err
	}
	return failModes(ctx, l)
}

// noon is when the three limits begin; no real clock is read.
var noon = time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC)

// failModes sends a search and a payment with Redis up, stopped, and up again.
func failModes(ctx context.Context, l *lab.Lab) error {
	site := (&shop{l.Redis()}).routes()
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

// answer returns what a client sees: the status, and whether there is a
// Retry-After.
func answer(ctx context.Context, site http.Handler, method, path string) string {
	r := httptest.NewRequestWithContext(ctx, method, path, nil)
	r.Header.Set("X-API-Key", "k1")
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	says := fmt.Sprint(w.Code)
	if w.Header().Get("Retry-After") != "" {
		says += " + Retry-After"
	}
	return says
}
