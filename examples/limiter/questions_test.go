package limiter

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// What the lessons ask of limiters that are not this one, computed. The commands
// of testdata/scenarios/questions.txt:
//
//	key NAME COUNT                          what a crash after INCR leaves
//	incr NAME QUOTA/WINDOW new|nx [xN]      INCR, then EXPIRE for a new key alone
//	                                        or for any without one; refused above
//	                                        the quota

// slow is how much slower the expiries of plain keys run than the model clock,
// so that no pause of a busy machine lets one pass.
const slow = 1000

const incrNew = `local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return n`

const incrNX = `local n = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[1], 'NX')
return n`

// plainKey is where the scenario keeps a plain key.
func (s *scenario) plainKey(name string) string {
	key := s.l.keys.prefix + name
	s.plain[name] = key
	return key
}

func (s *scenario) leak(name, count string) error {
	return s.l.rdb.Set(bg, s.plainKey(name), count, 0).Err()
}

// age lets time pass for the expiries of plain keys.
func (s *scenario) age(d time.Duration) error {
	for _, key := range s.plain {
		left, err := s.l.rdb.PTTL(bg, key).Result()
		if err != nil {
			return err
		}
		if left <= 0 { // gone, or without an expiry
			continue
		}
		if err := s.l.rdb.PExpire(bg, key, left-slow*d).Err(); err != nil {
			return err
		}
	}
	return nil
}

func (s *scenario) incr(words []string, times int) (string, error) {
	var quota, seconds int64
	if _, err := fmt.Sscanf(words[1], "%d/%ds", &quota, &seconds); err != nil {
		return "", err
	}
	script := incrNew
	if words[2] == "nx" {
		script = incrNX
	}
	key, refused := s.plainKey(words[0]), 0
	for range times {
		n, err := s.l.rdb.Eval(bg, script, []string{key}, seconds*slow).Int64()
		if err != nil {
			return "", err
		}
		if n > quota {
			refused++
		}
	}
	s.refused += refused
	return fmt.Sprintf("%d allowed, %d refused", times-refused, refused), nil
}

// chain takes each charge in a call of its own and stops at the first refusal:
// what was taken by then stays taken.
func (s *scenario) chain(charges []Charge, times int) (string, error) {
	admitted := 0
	for range times {
		all := true
		for _, c := range charges {
			d, err := s.l.Take(bg, c)
			if err != nil {
				return "", err
			}
			if d.Outcome != Allowed {
				all = false
				break
			}
		}
		if all {
			admitted++
		}
	}
	s.refused += times - admitted
	return fmt.Sprintf("%d allowed, %d refused", admitted, times-admitted), nil
}

// down returns a limiter whose Redis refuses connections.
func down(t *testing.T, o Options) *Limiter {
	t.Helper()
	rdb, _ := redirected(t, &redisServer{addr: nobody(t)})
	return newLimiter(t, rdb, o)
}

// The second question: a middleware that catches the limiter's error, but
// answers 429 for closed, and has no policy for every other route. The
// package's own says 503, and cannot be made without the default.
func TestQuestion2(t *testing.T) {
	l := down(t, Options{})
	limit := long(FixedWindow, 5)
	open := map[string]bool{"/sign-in": false, "/seats": true}
	theirs := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d, err := l.Take(r.Context(), by(limit)(r)...)
		admitted := d.Outcome == Allowed
		if err != nil {
			policy, ok := open[r.URL.Path]
			if !ok {
				w.WriteHeader(http.StatusInternalServerError) // their default error handler
				return
			}
			admitted = policy
		}
		if !admitted {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	ours := newSite(t, l, MiddlewareOptions{
		Route:   RoutePattern,
		Routes:  map[string]Policy{"/sign-in": {by(limit), FailClosed}, "/seats": {by(limit), FailOpen}},
		Default: Policy{by(limit), FailClosed},
	})
	for _, row := range []struct {
		path         string
		theirs, ours int
	}{{"/sign-in", 429, 503}, {"/seats", 200, 200}, {"/checkout", 500, 503}} {
		w := httptest.NewRecorder()
		theirs.ServeHTTP(w, httptest.NewRequest("GET", row.path, nil))
		if got := ours.get(row.path).StatusCode; w.Code != row.theirs || got != row.ours {
			t.Errorf("%s: %d and %d, want %d and %d", row.path, w.Code, got, row.theirs, row.ours)
		}
	}
}

// The fourth question: a route fails open while Redis cannot be reached; what it
// served then is not counted, and what was counted before still is.
func TestQuestion4(t *testing.T) {
	clock := newModelClock()
	s := newServer(t)
	rdb, to := redirected(t, s)
	near, away := s.addr, nobody(t)
	to.addr.Store(&away)
	l := newLimiter(t, rdb, Options{Clock: clock.Now, Failures: 1, Pause: time.Millisecond})
	c := charge(Limit{Name: "seats", Algorithm: FixedWindow, Quota: 5, Window: time.Minute, CountRefused: true})
	key, err := l.Key(c)
	if err != nil {
		t.Fatal(err)
	}
	s.client(t).Set(bg, key, 4, time.Hour)
	web := newSite(t, l, MiddlewareOptions{Default: Policy{
		Charges: func(*http.Request) []Charge { return []Charge{c} }, Fallback: FailOpen,
	}})
	statuses := func(times int) (text string) {
		for range times {
			text += fmt.Sprint(" ", web.get("/seats").StatusCode)
		}
		return text
	}
	clock.advance(5 * time.Second)
	if got := statuses(8); got != strings.Repeat(" 200", 8) {
		t.Errorf("without Redis:%s", got)
	}
	to.addr.Store(&near)
	waitFor(t, "Redis is there again", func() bool { _, err := l.Peek(bg, c); return err == nil })
	clock.advance(30 * time.Second)
	if got := statuses(4); got != " 200 429 429 429" { // 3 of 12 refused
		t.Errorf("with Redis again:%s", got)
	}
}

// The sixth question: four servers without their Redis admit a quarter each, so
// that it matters how clients are spread over them.
func TestQuestion6(t *testing.T) {
	limit := Limit{Name: "messages", Algorithm: FixedWindow, Quota: 40, Window: time.Hour}
	var servers []*Limiter
	for range 4 {
		servers = append(servers, down(t, Options{Servers: 4}))
	}
	send := func(workspace string, perServer ...int) (admitted int) {
		for i, n := range perServer {
			for range n {
				d, err := servers[i].Decide(bg, FailLocal, Charge{Subject: []string{workspace}, Limit: limit, Cost: 1})
				if err != nil {
					t.Fatal(err)
				}
				if d.Outcome == Allowed {
					admitted++
				}
			}
		}
		return admitted
	}
	if acme, beta := send("acme", 200), send("beta", 12, 4, 4, 4); acme != 10 || beta != 22 {
		t.Errorf("acme %d and beta %d, want 10 and 22", acme, beta)
	}
}
