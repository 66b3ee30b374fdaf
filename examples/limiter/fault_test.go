package limiter

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

var bg = context.Background()

// long is a limit whose window no test outlives, not by chance either.
func long(a Algorithm, quota int64) Limit {
	return Limit{Name: "calls", Algorithm: a, Quota: quota, Window: 300 * 24 * time.Hour}
}

func charge(l Limit) Charge { return Charge{Subject: []string{"ada"}, Limit: l, Cost: 1} }

// mustBeDown fails unless err says that Redis gave no decision.
func mustBeDown(t *testing.T, err error) *UnavailableError {
	t.Helper()
	var down *UnavailableError
	if !errors.As(err, &down) {
		t.Fatalf("got %v, want an UnavailableError", err)
	}
	return down
}

// used is how many units of a charge's limit count.
func used(t *testing.T, l *Limiter, c Charge) int64 {
	t.Helper()
	d, err := l.Peek(bg, c)
	if err != nil {
		t.Fatal(err)
	}
	return d.Results[0].Used
}

// trips counts what a client sends.
type trips struct{ commands, pipelines atomic.Int64 }

func (*trips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (n *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		n.commands.Add(1)
		return next(ctx, cmd)
	}
}

func (n *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		n.pipelines.Add(1)
		return next(ctx, cmds)
	}
}

func TestOneKeyManyCallers(t *testing.T) {
	for _, a := range all {
		t.Run(a.String(), func(t *testing.T) {
			prefix := "many:" + rand.Text() + ":"
			var admitted, failed atomic.Int64
			var wg sync.WaitGroup
			for range 4 {
				l := newLimiter(t, sharedClient(t), Options{Prefix: prefix})
				for range 16 {
					wg.Go(func() {
						for range 200 {
							d, err := l.Take(bg, charge(long(a, 1000)))
							switch {
							case err != nil:
								failed.Add(1)
							case d.Outcome == Allowed:
								admitted.Add(1)
							}
						}
					})
				}
			}
			wg.Wait()
			if admitted.Load() != 1000 || failed.Load() != 0 {
				t.Errorf("admitted %d of 1000 with %d errors", admitted.Load(), failed.Load())
			}
		})
	}
}

func TestOneRoundTrip(t *testing.T) {
	rdb := sharedClient(t)
	n := &trips{}
	rdb.AddHook(n)
	l := newLimiter(t, rdb, Options{})
	c := []Charge{charge(long(FixedWindow, 5)), charge(long(TokenBucket, 5)), charge(long(SlidingLog, 5))}
	take(t, l, c...) // loads the script, perhaps
	n.commands.Store(0)
	take(t, l, c...)
	if got := n.commands.Load(); got != 1 {
		t.Errorf("three limits took %d commands", got)
	}
	if err := rdb.ScriptFlush(bg).Err(); err != nil {
		t.Fatal(err)
	}
	rdb.FunctionFlush(bg)
	n.commands.Store(0)
	d := take(t, l, c...)
	if got := n.commands.Load(); got != 2 || d.Results[0].Used != 3 {
		t.Errorf("after SCRIPT FLUSH: %d commands, %d used; want 2 and 3", got, d.Results[0].Used)
	}
}

// The clock is the server's, wherever the program runs.
func TestServerClock(t *testing.T) {
	rdb := sharedClient(t)
	l := newLimiter(t, rdb, Options{})
	before, err := rdb.Time(bg).Result()
	if err != nil {
		t.Fatal(err)
	}
	d := take(t, l, charge(long(FixedWindow, 5)))
	after, err := rdb.Time(bg).Result()
	if err != nil {
		t.Fatal(err)
	}
	if at := time.UnixMicro(d.at); at.Before(before) || at.After(after) {
		t.Errorf("decided at %v, not from %v to %v on the server's clock", at, before, after)
	}
}

// A counter that some other program left without an expiry gets one from the
// first call, admitted or refused, and a window later its client is free.
func TestHealsBareCount(t *testing.T) {
	rdb := sharedClient(t)
	clock := newModelClock()
	l := newLimiter(t, rdb, Options{Clock: clock.Now})
	c := charge(Limit{Name: "sign-in", Algorithm: FixedWindow, Quota: 3, Window: time.Minute})
	key, err := l.Key(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{1, 3, 7} {
		rdb.Set(bg, key, count, 0) // INCR, and the crash before EXPIRE
		d := take(t, l, c)
		if want := count < 3; (d.Outcome == Allowed) != want {
			t.Errorf("count %d: %v", count, d.Outcome)
		}
		if ttl := rdb.PTTL(bg, key).Val(); ttl <= 0 {
			t.Errorf("count %d: expiry %v after a call", count, ttl)
		}
		clock.advance(time.Minute)
		if d := take(t, l, c); d.Outcome != Allowed || d.Results[0].Used != 1 {
			t.Errorf("count %d: a window later %v, used %d", count, d.Outcome, d.Results[0].Used)
		}
	}
}

func TestHealsLeakedKeys(t *testing.T) {
	rdb := sharedClient(t)
	for _, packed := range []bool{false, true} {
		l := newLimiter(t, rdb, Options{Packed: packed})
		for _, a := range all {
			c := charge(long(a, 2))
			key, err := l.Key(c)
			if err != nil {
				t.Fatal(err)
			}
			c.Cost = 2
			take(t, l, c)
			c.Cost = 1
			rdb.Persist(bg, key)
			if d, err := l.Peek(bg, c); err != nil || d.Outcome != Limited || rdb.PTTL(bg, key).Val() != -1 {
				t.Errorf("%v: peek gave %v, %v and wrote", a, d.Outcome, err)
			}
			if d := take(t, l, c); d.Outcome != Limited || rdb.PTTL(bg, key).Val() <= 0 {
				t.Errorf("%v, packed=%t: %v, expiry %v", a, packed, d.Outcome, rdb.PTTL(bg, key).Val())
			}
		}
	}
}

// A window of less than a second keeps its key until it is over.
func TestShortWindow(t *testing.T) {
	rdb := sharedClient(t)
	l := newLimiter(t, rdb, Options{})
	for _, a := range all {
		c := charge(Limit{Name: "short", Algorithm: a, Quota: 1, Window: 500 * time.Millisecond})
		key, err := l.Key(c)
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		take(t, l, c)
		ttl := rdb.PTTL(bg, key).Val() // negative: gone by now
		if life := max(ttl, 0) + time.Since(begin); ttl == -1 || life < 500*time.Millisecond {
			t.Errorf("%v: expiry %v, a life of %v", a, ttl, life)
		}
	}
}

func TestWrongTypeChargesNothing(t *testing.T) {
	rdb := sharedClient(t)
	for _, a := range all {
		l := newLimiter(t, rdb, Options{Failures: 1})
		good, bad := charge(long(a, 5)), charge(long(a, 5))
		bad.Subject = []string{"bob"}
		key, err := l.Key(bad)
		if err != nil {
			t.Fatal(err)
		}
		for _, spoil := range []func(){
			func() { rdb.LPush(bg, key, "x") },
			func() { rdb.Del(bg, key); rdb.Set(bg, key, "no counter of ours", 0) },
		} {
			spoil()
			_, err := l.Take(bg, good, bad)
			if down := mustBeDown(t, err); down.Unknown {
				t.Errorf("%v: a reply of error is no doubt: %v", a, err)
			}
			if n := used(t, l, good); n != 0 { // the breaker is closed, too: Redis answered
				t.Errorf("%v: half of a failed call was charged", a)
			}
		}
	}
}

func TestOutOfMemory(t *testing.T) {
	s := newServer(t, "maxmemory-policy noeviction")
	rdb := s.client(t)
	l := newLimiter(t, rdb, Options{})
	take(t, l, charge(long(FixedWindow, 5)))
	if err := rdb.ConfigSet(bg, "maxmemory", "100kb").Err(); err != nil { // less than it has
		t.Fatal(err)
	}
	_, err := l.Take(bg, charge(long(FixedWindow, 5)))
	if down := mustBeDown(t, err); down.Unknown || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("got %v", err)
	}
	if n := used(t, l, charge(long(FixedWindow, 5))); n != 1 {
		t.Errorf("used %d after a failed charge, want 1", n)
	}
}

func TestEviction(t *testing.T) {
	s := newServer(t, "maxmemory-policy allkeys-lru")
	rdb := s.client(t)
	l := newLimiter(t, rdb, Options{})
	warnings, err := l.Check(bg)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "allkeys-lru") {
		t.Fatalf("Check gave %q, %v", warnings, err)
	}
	c := charge(long(FixedWindow, 1))
	take(t, l, c)
	key, err := l.Key(c)
	if err != nil {
		t.Fatal(err)
	}
	room := usedMemory(t, rdb.Info(bg, "memory").Val()) + 2<<20
	if err := rdb.ConfigSet(bg, "maxmemory", strconv.FormatInt(room, 10)).Err(); err != nil {
		t.Fatal(err)
	}
	for i := 0; rdb.Exists(bg, key).Val() == 1; i++ {
		if err := rdb.Set(bg, fmt.Sprint("fill:", i), strings.Repeat("x", 10_000), 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if d := take(t, l, c); d.Outcome != Allowed {
		t.Errorf("an evicted counter begins again, but %v", d.Outcome)
	}
}

func TestRestart(t *testing.T) {
	s := newServer(t)
	rdb, to := redirected(t, s)
	l := newLimiter(t, rdb, Options{Pause: 50 * time.Millisecond, Failures: 1})
	c := charge(long(FixedWindow, 3))
	take(t, l, c)
	s.stop()
	_, err := l.Take(bg, c)
	mustBeDown(t, err)
	again := newServer(t)
	to.addr.Store(&again.addr)
	d := eventually(t, l, c)
	if d.Results[0].Used != 1 {
		t.Errorf("used %d: an empty Redis begins at 0", d.Results[0].Used)
	}
	for range 20 {
		take(t, l, c)
	}
}

// eventually takes until Redis answers again.
func eventually(t *testing.T, l *Limiter, c ...Charge) Decision {
	t.Helper()
	var d Decision
	waitFor(t, "the limiter has Redis again", func() (ok bool) {
		var err error
		d, err = l.Take(bg, c...)
		return err == nil
	})
	return d
}

// warm opens the connection of a limiter with a short timeout and loads the script,
// without a charge that might be made more than once.
func warm(t *testing.T, l *Limiter, c Charge) {
	t.Helper()
	waitFor(t, "the limiter is warm", func() bool {
		_, err := l.Peek(bg, c)
		return err == nil
	})
}
