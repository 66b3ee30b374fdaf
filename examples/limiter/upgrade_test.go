package limiter

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// plansOf is a snapshot of one limit, with a quota for each tier.
func plansOf(version int, a Algorithm, basic, pro int) []byte {
	tier := `[{"name": "calls", "algorithm": "%v", "quota": %d, "window": "1h"}]`
	return fmt.Appendf(nil, `{"version": %d, "tiers": {"basic": `+tier+`, "pro": `+tier+`}}`, version, a, basic, a, pro)
}

// Basic's 100 are used up; the plans then give basic 500, in the middle of the
// window: 400 of the next 450 pass, by every algorithm, the headers say 500 from
// the first answer on, and the decisions which plans they were made by.
func TestCase43Upgrade(t *testing.T) {
	for _, a := range all {
		t.Run(a.String(), func(t *testing.T) {
			clock := newModelClock()
			clock.advance(20 * time.Minute)
			plans, err := NewPlans(plansOf(1, a, 100, 500))
			if err != nil {
				t.Fatal(err)
			}
			l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now})
			send := func(times int) (admitted int, last http.Header) {
				for range times {
					d, h := planned(t, l, plans)
					last = h
					if d.Outcome == Allowed {
						admitted++
					}
					if d.Version != plans.Version() {
						t.Fatalf("decided by version %d of %d", d.Version, plans.Version())
					}
				}
				return admitted, last
			}
			if n, h := send(130); n != 100 || h.Get("X-RateLimit-Limit") != "100" {
				t.Errorf("basic: %d admitted, limit %s", n, h.Get("X-RateLimit-Limit"))
			}
			if err := plans.Load(plansOf(2, a, 500, 900)); err != nil {
				t.Fatal(err)
			}
			n, h := send(1)
			if n != 1 || h.Get("RateLimit-Policy") != `"calls";q=500;w=3600` || h.Get("X-RateLimit-Limit") != "500" || h.Get("X-RateLimit-Remaining") != "399" {
				t.Errorf("the first call of the new plan: %d, %v", n, h)
			}
			if n, _ := send(449); n != 399 {
				t.Errorf("of 450 calls %d were admitted, want 400", n+1)
			}
		})
	}
}

// planned is a call by the basic plan, and the headers that tell of it.
func planned(t *testing.T, l *Limiter, plans *Plans) (Decision, http.Header) {
	t.Helper()
	c, ok := plans.Charge("basic", "calls", 1, "ada")
	if !ok {
		t.Fatal("basic has no calls")
	}
	d, h := take(t, l, c), http.Header{}
	writeHeaders(h, MiddlewareOptions{DraftHeaders: true, LegacyHeaders: true}, d)
	return d, h
}

// A push with a mistake in one tier is rejected whole. Then pushes are lost for
// ten minutes: the last good plans stay, calls are decided by them, and the age
// grows.
func TestCase45BadPushAndLostPushes(t *testing.T) {
	s := newServer(t)
	near := newProxy(t, s.addr)
	config, to := redirected(t, &redisServer{addr: near.addr})
	l := newLimiter(t, sharedClient(t), Options{})
	name := "plans:" + rand.Text()
	plans, err := NewPlans(plansOf(1, FixedWindow, 100, 500))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(bg)
	done := make(chan error)
	go func() { done <- plans.Follow(ctx, config, name) }()
	waitFor(t, "it listens", func() bool { return s.client(t).PubSubNumSub(bg, name).Val()[name] == 1 })

	bad := plansOf(2, FixedWindow, 200, -5)
	if err := Publish(bg, config, name, bad); err == nil {
		t.Error("a bad tier was published")
	}
	config.Publish(bg, name, bad) // by someone who does not ask us
	waitFor(t, "it is rejected", func() bool { n, err := plans.Rejected(); return n == 1 && err != nil })
	if c, _ := plans.Charge("basic", "calls", 1, "ada"); c.Limit.Quota != 100 {
		t.Errorf("half of a bad push was taken: %d", c.Limit.Quota)
	}

	away := nobody(t)
	to.addr.Store(&away)
	near.cut()
	if err := Publish(bg, s.client(t), name, plansOf(2, FixedWindow, 200, 500)); err != nil { // nobody hears it
		t.Fatal(err)
	}
	plans.current.Load().seen.Add(-int64(10 * time.Minute))
	d, _ := planned(t, l, plans)
	if d.Outcome != Allowed || d.Version != 1 || plans.Age() < 10*time.Minute {
		t.Errorf("%v by version %d, age %v", d.Outcome, d.Version, plans.Age())
	}
	var seen struct {
		Version  int64
		Age      int64 `json:"age_seconds"`
		Rejected int64
	}
	if err := json.Unmarshal([]byte(plans.Var().String()), &seen); err != nil || seen.Version != 1 || seen.Age < 600 || seen.Rejected != 1 {
		t.Errorf("the metric is %v, %v", plans.Var(), err)
	}
	to.addr.Store(&near.addr)
	plans.fetch(bg, config, name) // as every 15 s
	if plans.Version() != 2 || plans.Age() > time.Minute {
		t.Errorf("after the outage: version %d, age %v", plans.Version(), plans.Age())
	}
	cancel()
	<-done
}

// Publishing old plans over new ones is an error and changes nothing.
func TestPublishNeverGoesBack(t *testing.T) {
	for _, rdb := range []redis.UniversalClient{sharedClient(t), clusterClient(t)} {
		name := "plans:" + rand.Text()
		for _, row := range []struct {
			version, basic int
			want           string
		}{{2, 100, ""}, {1, 50, "came after"}, {2, 100, ""}, {2, 101, "came twice"}, {3, 100, ""}} {
			err := Publish(bg, rdb, name, plansOf(row.version, FixedWindow, row.basic, 500))
			if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
				t.Errorf("%T, version %d with %d: %v, want %q", rdb, row.version, row.basic, err, row.want)
			}
		}
		if text := rdb.Get(bg, name).Val(); text != string(plansOf(3, FixedWindow, 100, 500)) {
			t.Errorf("%T stored %s", rdb, text)
		}
	}
}
