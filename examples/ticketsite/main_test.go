package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"verbatim/examples/lab"
)

// The line that the lesson shows. A change here is a change of the lesson.
const want = `4.2 Redis up: sign-in 200, seat map 200 · Redis down: sign-in 503 (closed), seat map 200 (open) · limiter errors caught 2
`

// envPlay makes the test binary play the example.
const envPlay = "TICKETSITE_TEST_PLAY"

func TestMain(m *testing.M) {
	if os.Getenv(envPlay) != "" {
		main()
	}
	os.Exit(m.Run())
}

func needsRedis(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), "redis") {
		t.Fatal("VERBATIM_REQUIRE names redis, but redis-server is not on PATH")
	}
	t.Skip("needs redis-server on PATH")
}

func TestLine(t *testing.T) {
	needsRedis(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envPlay+"=1", "REDIS_URL=")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	if err != nil || string(got) != want {
		t.Errorf("%v, printed\n%swant\n%sstandard error\n%s", err, got, want, &stderr)
	}
}

// A client that is over its limit hears 429; an outage of the limiter is 503
// or 200, never 429.
func TestMiddleware(t *testing.T) {
	needsRedis(t)
	t.Setenv("REDIS_URL", "")
	ctx := t.Context()
	l, err := lab.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, test := range []struct {
		name   string
		used   int
		stop   bool
		policy policy
		code   int
	}{
		{name: "within the limit", used: 99, policy: closed, code: http.StatusOK},
		{name: "over the limit", used: 100, policy: closed, code: http.StatusTooManyRequests},
		{name: "over the limit of an open route", used: 100, policy: open, code: http.StatusTooManyRequests},
		{name: "closed in an outage", stop: true, policy: closed, code: http.StatusServiceUnavailable},
		{name: "open in an outage", stop: true, policy: open, code: http.StatusOK},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.stop {
				if err := l.Stop(ctx); err != nil {
					t.Fatal(err)
				}
			} else if err := l.Redis().Set(ctx, "rl:"+test.name, test.used, 0).Err(); err != nil {
				t.Fatal(err)
			}
			m := &middleware{limiter: &limiter{l.Redis()}}
			page := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
			w := httptest.NewRecorder()
			m.protect(route{test.name, "/", test.policy}, page).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
			if w.Code != test.code {
				t.Errorf("answered %d, want %d", w.Code, test.code)
			}
			if caught := m.caught.Load() == 1; caught != test.stop {
				t.Errorf("caught an error: %t, want %t", caught, test.stop)
			}
		})
	}
}
