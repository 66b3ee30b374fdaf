package limiter

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// site serves a limited handler that answers 200, and asks it.
type site struct {
	t       *testing.T
	handler http.Handler
	served  atomic.Int64
}

func newSite(t *testing.T, l *Limiter, o MiddlewareOptions) *site {
	t.Helper()
	o.Route = func(r *http.Request) string { return r.URL.Path }
	wrap, err := l.Middleware(o)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t}
	s.handler = wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.served.Add(1)
		if d, ok := DecisionOf(r.Context()); !ok || d.Outcome != Allowed {
			t.Errorf("a handler without its decision: %v", d)
		}
	}))
	return s
}

func (s *site) get(path string) *http.Response {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr = "203.0.113.9:4000"
	s.handler.ServeHTTP(w, r)
	return w.Result()
}

// by charges one unit of each limit on behalf of the address.
func by(limits ...Limit) func(*http.Request) []Charge {
	return func(r *http.Request) []Charge {
		var charges []Charge
		for _, l := range limits {
			charges = append(charges, Charge{Subject: ByIP()(r), Limit: l, Cost: 1})
		}
		return charges
	}
}

func TestTooManyRequests(t *testing.T) {
	clock := newModelClock()
	l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now})
	address := Limit{Name: "address", Algorithm: TokenBucket, Quota: 10, Window: time.Second}
	key := Limit{Name: "key", Algorithm: FixedWindow, Quota: 1000, Window: time.Hour}
	user := Limit{Name: "user", Algorithm: FixedWindow, Quota: 2, Window: time.Minute}
	s := newSite(t, l, MiddlewareOptions{
		Default:      Policy{Charges: by(address, key, user), Fallback: FailClosed},
		DraftHeaders: true, LegacyHeaders: true,
	})
	clock.advance(800 * time.Millisecond)
	s.get("/")
	ok := s.get("/")
	wantHeaders(t, ok, map[string]string{
		"RateLimit-Policy":      `"address";q=10;w=1, "key";q=1000;w=3600, "user";q=2;w=60`,
		"RateLimit":             `"user";r=0;t=60`,
		"X-RateLimit-Limit":     "2",
		"X-RateLimit-Remaining": "0",
		"X-RateLimit-Reset":     "60",
		"Retry-After":           "",
	})
	no := s.get("/")
	if no.StatusCode != 429 || s.served.Load() != 2 {
		t.Errorf("status %d, %d served", no.StatusCode, s.served.Load())
	}
	wantHeaders(t, no, map[string]string{
		"RateLimit":            `"user";r=0;t=60`,
		"Retry-After":          "60", // 59.2 s
		"Content-Type":         "application/problem+json",
		"Cache-Control":        "no-store",
		"X-RateLimit-Degraded": "",
	})
	var p problem
	if err := json.NewDecoder(no.Body).Decode(&p); err != nil || p.Status != 429 || p.Title == "" || p.Type != problemQuota || !slices.Equal(p.Violated, []string{"user"}) {
		t.Errorf("body %+v, %v", p, err)
	}
	wait, _ := strconv.Atoi(no.Header.Get("Retry-After"))
	clock.advance(time.Duration(wait) * time.Second)
	if again := s.get("/"); again.StatusCode != 200 {
		t.Errorf("after its Retry-After: %d", again.StatusCode)
	}
}

func wantHeaders(t *testing.T, r *http.Response, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got := r.Header.Get(name); got != value {
			t.Errorf("%s: %q, want %q", name, got, value)
		}
	}
}

func TestImpossibleHasNoRetry(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	s := newSite(t, l, MiddlewareOptions{Default: Policy{
		Charges:  by(Limit{Name: "none", Algorithm: FixedWindow, Quota: 0, Window: time.Minute}),
		Fallback: FailOpen,
	}})
	r := s.get("/")
	if r.StatusCode != 429 || r.Header.Get("Retry-After") != "" {
		t.Errorf("%d, Retry-After %q", r.StatusCode, r.Header.Get("Retry-After"))
	}
}

func TestShadow(t *testing.T) {
	hear := newHeard()
	l := newLimiter(t, sharedClient(t), Options{Metrics: hear})
	limit := Limit{Name: "new", Algorithm: FixedWindow, Quota: 1, Window: time.Hour, Shadow: true}
	s := newSite(t, l, MiddlewareOptions{Default: Policy{Charges: by(limit), Fallback: FailOpen}, DraftHeaders: true})
	for range 3 {
		if r := s.get("/"); r.StatusCode != 200 || !strings.HasPrefix(r.Header.Get("RateLimit"), `"new";r=0;`) {
			t.Errorf("%d, RateLimit %q", r.StatusCode, r.Header.Get("RateLimit"))
		}
	}
	if hear.decided[Allowed] != 3 {
		t.Errorf("decided %v", hear.decided)
	}
}

func TestLeakyBucketWaits(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	queue := Limit{Name: "queue", Algorithm: LeakyBucket, Quota: 10, Window: time.Second}
	s := newSite(t, l, MiddlewareOptions{Default: Policy{Charges: by(queue), Fallback: FailOpen}})
	begin := time.Now()
	for range 3 {
		s.get("/")
	}
	if took := time.Since(begin); took < 190*time.Millisecond || s.served.Load() != 3 {
		t.Errorf("3 starts, 100 ms apart, took %v", took)
	}
}

// While Redis is away each route does what its policy says, and nothing is 500
// or 429 for want of a Redis.
func TestOutage(t *testing.T) {
	s, hear := newServer(t), newHeard()
	near := newProxy(t, s.addr)
	rdb, to := redirected(t, &redisServer{addr: near.addr})
	l := newLimiter(t, rdb, Options{Servers: 4, Failures: 1, Pause: 50 * time.Millisecond, Metrics: hear})
	limit := long(FixedWindow, 40)
	web := newSite(t, l, MiddlewareOptions{
		Route: RoutePattern,
		Routes: map[string]Policy{
			"/seats":   {by(limit), FailOpen},
			"/sign-in": {by(limit), FailClosed},
			"/search":  {by(limit), FailLocal},
		},
		Default: Policy{by(limit), FailClosed},
	})
	for _, path := range []string{"/seats", "/sign-in", "/search"} {
		eventually(t, l, Charge{Subject: []string{"warm"}, Limit: limit, Cost: 1})
		if r := web.get(path); r.StatusCode != 200 || r.Header.Get("X-RateLimit-Degraded") != "" {
			t.Errorf("%s: %d with Redis", path, r.StatusCode)
		}
	}
	away := nobody(t)
	to.addr.Store(&away)
	near.cut()
	for path, want := range map[string]int{"/seats": 200, "/sign-in": 503, "/constructor": 503, "/": 503} {
		r := web.get(path)
		if r.StatusCode != want {
			t.Errorf("%s: %d without Redis, want %d", path, r.StatusCode, want)
		}
		if want != 503 {
			continue
		}
		body, _ := io.ReadAll(r.Body)
		after, err := strconv.Atoi(r.Header.Get("Retry-After"))
		if err != nil || after < 1 || r.Header.Get("Cache-Control") != "no-store" || !strings.Contains(string(body), problemCapacity) {
			t.Errorf("%s: Retry-After %q, body %s", path, r.Header.Get("Retry-After"), body)
		}
	}
	wantLocalShare(t, web)
	to.addr.Store(&near.addr)
	eventually(t, l, Charge{Subject: []string{"warm"}, Limit: limit, Cost: 1})
	for range 20 {
		if r := web.get("/search"); r.StatusCode != 200 || r.Header.Get("X-RateLimit-Degraded") != "" {
			t.Errorf("after the outage: %d, degraded %q", r.StatusCode, r.Header.Get("X-RateLimit-Degraded"))
		}
	}
	if hear.decided[Limited] != 0 || hear.fallbacks[FailOpen] != 1 || hear.fallbacks[FailClosed] != 3 || hear.fallbacks[FailLocal] != 40 {
		t.Errorf("decided %v, fallbacks %v", hear.decided, hear.fallbacks)
	}
}

// wantLocalShare asks forty times: a quarter of the quota is this server's.
func wantLocalShare(t *testing.T, s *site) {
	t.Helper()
	statuses := map[int]int{}
	for range 40 {
		r := s.get("/search")
		statuses[r.StatusCode]++
		if r.Header.Get("X-RateLimit-Degraded") != "true" {
			t.Errorf("%d does not say that it is degraded", r.StatusCode)
		}
	}
	if statuses[200] != 10 || statuses[429] != 30 {
		t.Errorf("local share: %v, want 10 and 30", statuses)
	}
}

func TestPoliciesMustBeWhole(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	whole := Policy{by(long(FixedWindow, 1)), FailOpen}
	for i, o := range []MiddlewareOptions{
		{},
		{Default: Policy{Charges: whole.Charges}},
		{Default: Policy{Fallback: FailOpen}},
		{Default: whole, Route: RoutePattern, Routes: map[string]Policy{"/": {Charges: whole.Charges}}},
	} {
		if _, err := l.Middleware(o); err == nil {
			t.Errorf("%d: accepted", i)
		}
	}
}

func TestMuxRoute(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /seats/{id}", func(http.ResponseWriter, *http.Request) {})
	route := MuxRoute(mux)
	for path, want := range map[string]string{"/seats/7": "GET /seats/{id}", "/other": ""} {
		if got := route(httptest.NewRequest("GET", path, nil)); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// Clients beyond the fallback's number of counters share one counter: too few are
// admitted, never too many.
func TestLocalOverflow(t *testing.T) {
	n := newLocal(1, 3)
	k := &keyspace{prefix: DefaultPrefix}
	admitted := 0
	for i := range 100 {
		c := charge(long(FixedWindow, 5))
		c.Subject = []string{fmt.Sprint(i)}
		if n.take(k, []Charge{c}).Outcome == Allowed {
			admitted++
		}
	}
	if admitted != 3+5 {
		t.Errorf("%d admitted, want one for each of 3 and 5 for all others", admitted)
	}
}

func TestLocalAllOrNothing(t *testing.T) {
	n := newLocal(2, 100)
	k := &keyspace{prefix: DefaultPrefix}
	wide, tight := charge(long(FixedWindow, 20)), charge(long(FixedWindow, 2))
	wide.Limit.Name = "wide"
	wide.Cost, wide.AtMost = 30, true
	if d := n.take(k, []Charge{wide, tight}); d.Outcome != Allowed || d.Results[0].Granted != 10 || d.Results[1].Granted != 1 {
		t.Errorf("%+v", d)
	}
	d := n.take(k, []Charge{wide, tight})
	if d.Outcome != Limited || !slices.Equal(d.Violated, []string{"calls", "wide"}) || d.Results[0].Used != 10 || d.RetryAfter <= 0 {
		t.Errorf("%+v", d)
	}
	tight.Limit.Quota, tight.Cost = 0, 1
	if d := n.take(k, []Charge{tight}); d.Outcome != Impossible {
		t.Errorf("a share of nothing: %v", d.Outcome)
	}
}
