package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"verbatim/examples/lab/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m, main) }

// Alone, the program prints what it printed in the build: the lines that the
// lesson shows.
func TestAlone(t *testing.T) { labtest.Recorded(t) }

// Every way out of the middleware: within the limit, above it, and with Redis
// down on an open route, a closed one and one that is in no table.
func TestMiddleware(t *testing.T) {
	l := labtest.Open(t)
	s := &site{rdb: l.Redis()}
	reached := 0
	page := s.limited(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	get := func(path, address string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest("GET", path, nil), httptest.NewRecorder()
		r.RemoteAddr = address
		page.ServeHTTP(w, r)
		return w
	}
	for n := range limit {
		if w := get("/seats", "203.0.113.9:1024"); w.Code != http.StatusOK {
			t.Fatalf("request %d was answered %d", n+1, w.Code)
		}
	}
	for _, test := range []struct {
		path, address      string
		status, retryAfter int
		passes             bool
	}{
		{"/seats", "203.0.113.9:1025", 429, 60, false}, // another port of the same address
		{"/seats", "203.0.113.8:1024", 200, 0, true},
		{"/sign-in", "203.0.113.9:1024", 200, 0, true},
		{"", "", 0, 0, false}, // Redis stops here
		{"/seats", "203.0.113.9:1024", 200, 0, true},
		{"/sign-in", "203.0.113.9:1024", 503, 2, false},
		{"/checkout", "203.0.113.9:1024", 503, 2, false},
		{"/", "203.0.113.9:1024", 503, 2, false},
	} {
		if test.path == "" {
			if err := l.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			continue
		}
		reached = 0
		w := get(test.path, test.address)
		after, _ := strconv.Atoi(w.Header().Get("Retry-After"))
		if w.Code != test.status || after != test.retryAfter || (reached == 1) != test.passes {
			t.Errorf("%s from %s: %d, Retry-After %d, reached the page %d times; want %+v", test.path, test.address, w.Code, after, reached, test)
		}
	}
	if got := s.caught.Load(); got != 4 {
		t.Errorf("%d errors caught, want 4", got)
	}
}
