package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"verbatim/examples/lab/labtest"
)

// Every way out of the middleware: within the limit, above it, and with Redis
// stopped on a route that fails open and one that fails closed.
func TestLimited(t *testing.T) {
	l := labtest.Open(t)
	site := (&shop{l.Redis()}).routes()
	send := func(method, path, key string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest(method, path, nil), httptest.NewRecorder()
		r.Header.Set("X-API-Key", key)
		site.ServeHTTP(w, r)
		return w
	}
	// 100 tokens, and at most a few new ones while the test runs.
	var last *httptest.ResponseRecorder
	passed := 0
	for last == nil || last.Code == http.StatusOK {
		last = send("GET", "/search", "k1")
		passed++
		if passed > 1000 {
			t.Fatal("no limit")
		}
	}
	if passed <= 100 || last.Code != http.StatusTooManyRequests || last.Header().Get("Retry-After") != "1" {
		t.Errorf("request %d was answered %d, Retry-After %q", passed, last.Code, last.Header().Get("Retry-After"))
	}
	for _, row := range []struct {
		method, path, key string
	}{{"GET", "/search", "k2"}, {"POST", "/payments/charge", "k1"}} {
		if w := send(row.method, row.path, row.key); w.Code != http.StatusOK {
			t.Errorf("%v shares the bucket: %d", row, w.Code)
		}
	}
	if err := l.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if w := send("GET", "/search", "k1"); w.Code != http.StatusOK {
		t.Errorf("the open route answered %d", w.Code)
	}
	w := send("POST", "/payments/charge", "k1")
	if seconds, _ := strconv.Atoi(w.Header().Get("Retry-After")); w.Code != http.StatusServiceUnavailable || seconds < 1 || seconds > 5 {
		t.Errorf("the closed route answered %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
}
