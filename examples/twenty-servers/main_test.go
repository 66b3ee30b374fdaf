package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"verbatim/examples/lab/labtest"
)

// Both designs hold the limit as long as there is one server. They differ in
// what they answer above it.
func TestOneServer(t *testing.T) {
	l := labtest.Open(t)
	site := server(l.Redis(), nil)
	for _, test := range []struct {
		design     string
		status     int
		retryAfter bool
	}{
		{"flawed", http.StatusForbidden, false},
		{"mended", http.StatusTooManyRequests, true},
	} {
		t.Run(test.design, func(t *testing.T) {
			for n := range quota + 1 {
				w := httptest.NewRecorder()
				site.ServeHTTP(w, httptest.NewRequest("GET", "/"+test.design+"?user=ada", nil))
				want := http.StatusOK
				if n == quota {
					want = test.status
				}
				if w.Code != want {
					t.Fatalf("request %d answered %d, want %d", n+1, w.Code, want)
				}
				seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
				if told := err == nil && 1 <= seconds && seconds <= 60; n == quota && told != test.retryAfter {
					t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
				}
			}
			w := httptest.NewRecorder()
			site.ServeHTTP(w, httptest.NewRequest("GET", "/"+test.design+"?user=bob", nil))
			if w.Code != http.StatusOK {
				t.Errorf("another user is answered %d", w.Code)
			}
		})
	}
}

// A Redis that is away is neither an admission nor a refusal.
func TestOutageIsNoRefusal(t *testing.T) {
	l := labtest.Open(t)
	site := server(l.Redis(), nil)
	if err := l.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequest("GET", "/mended?user=ada", nil))
	var sum tally
	if err := sum.count(answer{status: w.Code}); err == nil || sum.admitted+sum.refused > 0 {
		t.Errorf("answered %d, which counts as %+v, %v", w.Code, sum, err)
	}
}
