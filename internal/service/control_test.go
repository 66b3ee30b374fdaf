package service

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"
)

// request sends one request and gives its status and text.
func request(t *testing.T, method, target, host string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, target, nil)
	must(t, err)
	req.Host = host
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(t, err)
	if got := res.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("%s %s allows origin %q", method, target, got)
	}
	return res.StatusCode, string(body)
}

func TestControl(t *testing.T) {
	s := open(t, options(t, "embedded"))
	r := start(t, s)
	control, end, err := Control(t.Context(), r)
	must(t, err)
	defer end()
	if u, err := url.Parse(control); err != nil || u.Hostname() != "127.0.0.1" || len(strings.Trim(u.Path, "/")) != 32 {
		t.Fatalf("unexpected URL %s", control)
	}
	root := control[:strings.LastIndexByte(control, '/')]
	up := func() bool { c, err := dial(t, r.URL()); return err == nil && c.Close() == nil }
	tests := []struct {
		method, target, host string
		status               int
		up                   bool
	}{
		{"POST", control + "/stop", "", 204, false},
		{"POST", control + "/stop", "", 204, false},
		{"POST", control + "/pause", "", 500, false},
		{"POST", control + "/start", "", 204, true},
		{"POST", control + "/start", "", 204, true},
		{"POST", control + "/partition?mode=refuse", "", 204, false},
		{"POST", control + "/start", "", 500, false},
		{"POST", control + "/heal", "", 204, true},
		{"POST", control + "/partition?mode=x", "", 400, true},
		{"POST", control + "/pause", "", 204, false},
		{"POST", control + "/resume", "", 204, true},
		{"POST", control + "/slow?ms=5", "", 204, true},
		{"POST", control + "/slow?ms=-5", "", 400, true},
		{"POST", control + "/slow?ms=99999", "", 400, true},
		{"POST", control + "/slow", "", 400, true},
		{"POST", control + "/stop", "localhost:1234", 204, false},
		{"POST", control + "/start", "[::1]:1234", 204, true},

		{"GET", control + "/stop", "", 405, true},
		{"OPTIONS", control + "/stop", "", 405, true},
		{"POST", control + "/stop", "evil.example", 403, true},
		{"POST", control + "/stop", "localhost.evil.example", 403, true},
		{"POST", control + "/explode", "", 404, true},
		{"POST", control + "/", "", 404, true},
		{"POST", control, "", 404, true},
		{"POST", root + "/stop", "", 404, true},
		{"POST", root + "/0123456789abcdef0123456789abcdef/stop", "", 404, true},
	}
	for _, test := range tests {
		status, text := request(t, test.method, test.target, test.host)
		if status != test.status || up() != test.up {
			t.Errorf("%s %s: %d %q, want %d and up %t", test.method, test.target, status, text, test.status, test.up)
		}
		if (text == "") != (status == 204) || strings.Count(text, "\n") > 1 {
			t.Errorf("%s %s: text %q", test.method, test.target, text)
		}
	}
}

// The URL is dead after close and after the end of the context.
func TestControlEnds(t *testing.T) {
	r := start(t, open(t, options(t, "embedded")))
	ctx, cancel := context.WithCancel(t.Context())
	closed, end, err := Control(t.Context(), r)
	must(t, err)
	canceled, _, err := Control(ctx, r)
	must(t, err)
	end()
	end()
	cancel()
	for _, control := range []string{closed, canceled} {
		for {
			res, err := http.Post(control+"/heal", "", nil)
			if errors.Is(err, syscall.ECONNREFUSED) {
				break
			}
			if err == nil {
				res.Body.Close()
			}
			if err == nil && control == closed {
				t.Fatalf("after close: %s", res.Status)
			}
			time.Sleep(time.Millisecond) // the system and the context see the end a little later
		}
	}
}
