package limiter

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// What a decision may allocate, of this package and go-redis together: a bound
// well above what it does, to catch what grows with the calls before it.
func TestAllocations(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	charges := []Charge{charge(long(FixedWindow, 1_000_000)), charge(long(TokenBucket, 1_000_000)), charge(long(SlidingCounter, 1_000_000))}
	cancellable, cancel := context.WithCancel(bg)
	defer cancel()
	for _, row := range []struct {
		what    string
		ctx     context.Context
		charges []Charge
		most    float64
	}{
		{"one limit", bg, charges[:1], 24},
		{"one limit, by a caller who may leave", cancellable, charges[:1], 28},
		{"three limits", bg, charges, 42},
	} {
		n := testing.AllocsPerRun(200, func() {
			if _, err := l.Take(row.ctx, row.charges...); err != nil {
				t.Error(err)
			}
		})
		t.Logf("%s: %.0f allocations", row.what, n)
		if n > row.most {
			t.Errorf("%s: %.0f allocations, the bound is %.0f", row.what, n, row.most)
		}
	}
}

// An answer is lost and the caller's client would try again: one call charges
// once. Redis reads connections in no certain order, so that the charge is
// looked for only when it has read all that came by the limiter's.
func TestNeverChargesTwice(t *testing.T) {
	s := newServer(t)
	patient := newLimiter(t, s.client(t), Options{})
	c := charge(long(FixedWindow, 1000))
	take(t, patient, c) // so that Redis knows the script
	for range 20 {
		before := used(t, patient, c)
		loseAnswer(t, s, patient.keys.prefix, c)
		waitFor(t, "one client is left", func() bool {
			return strings.Count(patient.rdb.(*redis.Client).ClientList(bg).Val(), "\n") == 1
		})
		switch n := used(t, patient, c) - before; n {
		case 0: // this process stood still for too long to send it
			continue
		case 1:
			return
		default:
			t.Fatalf("one call charged %d", n)
		}
	}
	t.Error("no call of 20 was ever sent")
}

// loseAnswer makes a call whose answer never comes, by a client that has time
// for several more.
func loseAnswer(t *testing.T, s *redisServer, prefix string, c Charge) {
	t.Helper()
	p := newProxy(t, s.addr)
	rdb := redis.NewClient(&redis.Options{Addr: p.addr, Password: password, MaxRetries: 3})
	defer p.cut()
	defer rdb.Close()
	l := newLimiter(t, rdb, Options{Prefix: prefix, Timeout: 100 * time.Millisecond, DialTimeout: 2 * time.Second, Failures: 1_000_000})
	warm(t, l, c)
	p.mute()
	_, err := l.Take(bg, c)
	if down := mustBeDown(t, err); !down.Unknown {
		t.Errorf("a charge without an answer may have been made: %v", err)
	}
}

// A charge whose answer was lost may be repeated under its request's id.
func TestTakeOnce(t *testing.T) {
	s := newServer(t)
	impatient := newLimiter(t, s.client(t), Options{Timeout: 50 * time.Millisecond, Failures: 1_000_000})
	l := newLimiter(t, s.client(t), Options{Prefix: impatient.keys.prefix})
	c := charge(long(FixedWindow, 2))
	warm(t, impatient, c)
	take(t, l, c)
	s.pause()
	_, err := impatient.TakeOnce(bg, "request-1", c)
	s.resume()
	mustBeDown(t, err)
	for range 3 {
		d, err := l.TakeOnce(bg, "request-1", c)
		if err != nil || d.Outcome != Allowed || d.Results[0].Used != 2 {
			t.Fatalf("a repeated request gave %v, used %d, %v", d.Outcome, d.Results[0].Used, err)
		}
	}
	if d, err := l.TakeOnce(bg, "request-2", c); err != nil || d.Outcome != Limited {
		t.Errorf("another request gave %v, %v", d.Outcome, err)
	}
}

// A call returns as soon as its context ends, on every path, and its result is not
// Limited.
func TestContext(t *testing.T) {
	s := newServer(t)
	for name, above := range map[string]int{"direct": 1000, "shared": DefaultShareAbove} {
		t.Run(name, func(t *testing.T) {
			hear := newHeard()
			l := newLimiter(t, s.client(t), Options{Timeout: time.Hour, Metrics: hear, ShareAbove: above})
			if name == "shared" {
				l.store.nodes.single.wire.above = 0
			}
			c := charge(long(FixedWindow, 5))
			take(t, l, c)
			gone, cancel := context.WithCancel(bg)
			cancel()
			if _, err := l.Take(gone, c); !errors.Is(err, context.Canceled) {
				t.Errorf("a context that had ended gave %v", err)
			}
			s.pause()
			defer s.resume()
			ctx, leave := context.WithCancel(bg)
			go func() {
				defer leave()
				waitFor(t, "the call is in flight", func() bool { return l.store.nodes.single.wire.inFlight.Load() == 1 })
			}()
			_, err := l.Take(ctx, c) // would take an hour
			mustBeDown(t, err)
			if !errors.Is(err, context.Canceled) || hear.decided[Limited] != 0 || hear.down != 1 || len(hear.breaker) != 0 {
				t.Errorf("%v; decided %v, %d without a decision, breaker %v", err, hear.decided, hear.down, hear.breaker)
			}
			short, cancel := context.WithTimeout(bg, 20*time.Millisecond)
			defer cancel()
			if _, err := l.Take(short, c); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("after 20 ms: %v", err)
			}
		})
	}
}
