package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"verbatim/examples/lab"
)

// fleet sends 600 requests of one client to 5 servers in turn, each with a
// counter of 100 a minute in its own memory. After 300 of them one server
// restarts. How many pass?
func fleet(context.Context, *lab.Lab) (string, error) {
	servers := make([]localCounter, 5)
	passed := 0
	for n := range 600 {
		if n == 300 {
			servers[2] = localCounter{}
		}
		if servers[n%len(servers)].allow(100) {
			passed++
		}
	}
	return fmt.Sprint(passed), nil
}

// localCounter is a count in the memory of one server.
type localCounter struct{ n int }

func (c *localCounter) allow(limit int) bool {
	if c.n >= limit {
		return false
	}
	c.n++
	return true
}

// halfMended sends 1,000 requests of one client to 8 servers in turn, each with
// a counter of 100 a minute in its own memory. The status of a refusal is
// right, the counters are not. How many pass, and what do the others read?
func halfMended(ctx context.Context, _ *lab.Lab) (string, error) {
	servers := make([]http.HandlerFunc, 8)
	for i := range servers {
		counter := &localCounter{}
		servers[i] = func(w http.ResponseWriter, _ *http.Request) {
			if counter.allow(100) {
				return // 200
			}
			w.Header().Set("Retry-After", "60")
			w.WriteHeader(http.StatusTooManyRequests) // was StatusForbidden
		}
	}
	passed, refusal := 0, 0
	for n := range 1000 {
		w := httptest.NewRecorder()
		servers[n%len(servers)](w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
		code := w.Code
		switch {
		case code == http.StatusOK:
			passed++
		case refusal == 0 || refusal == code:
			refusal = code
		default:
			return "", fmt.Errorf("some are refused with %d, some with %d", refusal, code)
		}
	}
	return fmt.Sprintf("%d pass, the others read %d", passed, refusal), nil
}
