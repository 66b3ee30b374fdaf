package limiter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// refund fails the test unless so much comes back.
func refund(t *testing.T, l *Limiter, id string, want int64, charges ...Charge) {
	t.Helper()
	d, err := l.Refund(bg, id, charges...)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range d.Results {
		if r.Granted != want {
			t.Errorf("charge %d: %d came back, want %d", i, r.Granted, want)
		}
	}
}

func mustBeInvalid(t *testing.T, err error, say string) {
	t.Helper()
	var invalid *InvalidError
	if !errors.As(err, &invalid) || !strings.Contains(err.Error(), say) {
		t.Errorf("got %v, want an InvalidError with %q", err, say)
	}
}

// A charge without a cost costs 1, whatever the algorithm and the way it goes.
func TestZeroCost(t *testing.T) {
	for _, a := range all {
		for _, o := range []Options{{}, {ShareAbove: -1}, {Packed: true}} {
			l := newLimiter(t, sharedClient(t), o)
			c := charge(long(a, 3))
			c.Cost = 0
			admitted := 0
			for range 10 {
				if take(t, l, c).Outcome == Allowed {
					admitted++
				}
			}
			if admitted != 3 {
				t.Errorf("%v: %d of 3 admitted", a, admitted)
			}
			d, err := l.Peek(bg, c)
			if err != nil || d.Outcome != Allowed || d.Results[0].Used != 3 || d.ID() != "" {
				t.Errorf("%v: a peek of none: %+v, %v", a, d, err)
			}
			c.Subject = []string{"bob"}
			d = take(t, l, c)
			refund(t, l, d.ID(), 1, c)
			refund(t, l, d.ID(), 0, c)
			for range 2 {
				if d, err := l.TakeOnce(bg, "r", c); err != nil || d.Results[0].Used != 1 {
					t.Errorf("%v: once: %+v, %v", a, d, err)
				}
			}
		}
	}
}

// A bucket that drains longer than two windows: the mark of its refund lives as
// long as what was refunded could count.
func TestRefundMarkLives(t *testing.T) {
	rdb := sharedClient(t)
	l := newLimiter(t, rdb, Options{})
	c := charge(Limit{Name: "slow", Algorithm: TokenBucket, Quota: 1, Window: 100 * time.Millisecond, Burst: 1000})
	c.Cost = 500
	first, second := take(t, l, c), take(t, l, c)
	if second.Outcome != Allowed {
		t.Fatal(second.Outcome)
	}
	d, err := l.Refund(bg, first.ID(), c)
	if err != nil || d.Granted < 450 {
		t.Fatalf("%+v, %v", d, err)
	}
	for range 3 {
		time.Sleep(150 * time.Millisecond) // twice: more than two windows
		refund(t, l, first.ID(), 0, c)
	}
	keys, err := rdb.Keys(bg, l.keys.prefix+"*refund*").Result()
	if err != nil || len(keys) != 1 || rdb.PTTL(bg, keys[0]).Val() < 95*time.Second {
		t.Errorf("marks %q live %v, want some 100 s; %v", keys, rdb.PTTL(bg, keys[0]).Val(), err)
	}
}

// The client repeats a request, both attempts fail later on, both refund.
func TestRefundOfReplay(t *testing.T) {
	for _, a := range all {
		l := newLimiter(t, sharedClient(t), Options{})
		c, other := charge(long(a, 10)), charge(long(a, 10))
		c.Cost, other.Cost = 5, 5
		first, err1 := l.TakeOnce(bg, "req", c)
		again, err2 := l.TakeOnce(bg, "req", c)
		if err1 != nil || err2 != nil || first.ID() != again.ID() {
			t.Fatalf("%v, %v; ids %s and %s", err1, err2, first.ID(), again.ID())
		}
		take(t, l, other)
		refund(t, l, first.ID(), 5, c)
		refund(t, l, again.ID(), 0, c)
		if n := used(t, l, c); n != 5 {
			t.Errorf("%v: used %d, want the other's 5", a, n)
		}
		// Refunded, the request is charged anew, and can be refunded anew.
		third, err := l.TakeOnce(bg, "req", c)
		if err != nil || third.ID() == first.ID() || third.Results[0].Used != 10 {
			t.Errorf("%v: after the refund %+v, %v", a, third, err)
		}
		refund(t, l, again.ID(), 0, c)
		if d, err := l.TakeOnce(bg, "req", c); err != nil || d.ID() != third.ID() {
			t.Errorf("%v: a late refund of the first charge made the request forgotten: %v", a, err)
		}
		refund(t, l, third.ID(), 5, c)
		take(t, l, other)
		if d, err := l.TakeOnce(bg, "req", c); err != nil || d.Outcome != Limited {
			t.Errorf("%v: refunded, and all is used: %v, %v", a, d.Outcome, err)
		}
	}
}

// One id, other charges: nothing is charged, and the error names the id.
func TestRequestConflicts(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	c := charge(long(FixedWindow, 10))
	two := charge(Limit{Name: "other", Algorithm: TokenBucket, Quota: 10, Window: time.Hour})
	if _, err := l.TakeOnce(bg, "req-1", c); err != nil {
		t.Fatal(err)
	}
	dear, greedy := c, c
	dear.Cost = 100
	greedy.AtMost = true
	elsewhere := charge(two.Limit)
	elsewhere.Subject = []string{"aaa"} // before ada in every order
	eight := []Charge{c}
	for i := range 7 {
		eight = append(eight, Charge{Subject: c.Subject, Limit: Limit{Name: fmt.Sprint("l", i), Algorithm: FixedWindow, Quota: 10, Window: time.Hour}})
	}
	for _, charges := range [][]Charge{{dear}, {greedy}, {two}, {c, two}, {two, c}, {elsewhere, c}, {c, elsewhere}, eight} {
		_, err := l.TakeOnce(bg, "req-1", charges...)
		mustBeInvalid(t, err, `"req-1"`)
	}
	if n, m := used(t, l, c), used(t, l, elsewhere); n != 1 || m != 0 {
		t.Errorf("used %d and %d, want 1 and 0", n, m)
	}
	// Another subject may use the same id; another quota is the same charge.
	if d, err := l.TakeOnce(bg, "req-1", elsewhere); err != nil || d.Results[0].Used != 1 {
		t.Errorf("another subject: %+v, %v", d, err)
	}
	c.Limit.Quota = 20
	if d, err := l.TakeOnce(bg, "req-1", c); err != nil || d.Results[0].Used != 1 {
		t.Errorf("another plan: %+v, %v", d, err)
	}
}

// The order of the charges matters to no mark; what an id did not charge, a peek's
// id, a refund's and a made-up one give nothing back.
func TestRefundOfOther(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	a, b := charge(long(FixedWindow, 10)), charge(Limit{Name: "b", Algorithm: SlidingLog, Quota: 10, Window: time.Hour})
	b.Subject = []string{"bob"}
	a.Cost, b.Cost = 5, 5
	d := take(t, l, a, b)
	take(t, l, a, b)
	refund(t, l, d.ID(), 5, b)
	refund(t, l, d.ID(), 0, b)
	back, err := l.Refund(bg, d.ID(), b, a)
	if err != nil || back.Results[0].Granted != 0 || back.Results[1].Granted != 5 {
		t.Errorf("%+v, %v", back, err)
	}
	refund(t, l, d.ID(), 0, a, b)
	peeked, err := l.Peek(bg, a)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{peeked.ID(), back.ID(), "", "-", "a-b-c", "1-1-5", "1-1-rff-5.a"} {
		_, err := l.Refund(bg, id, a)
		mustBeInvalid(t, err, "is not the id of a decision")
	}
	_, err = l.Refund(bg, d.ID(), charge(long(TokenBucket, 10)))
	mustBeInvalid(t, err, "did not charge")
	once, err := l.TakeOnce(bg, "both", a, b)
	if err != nil || once.Outcome != Allowed {
		t.Fatalf("%v, %v", once.Outcome, err)
	}
	_, err = l.Refund(bg, once.ID(), a)
	mustBeInvalid(t, err, "refund all of them")
	if n, m := used(t, l, a), used(t, l, b); n != 10 || m != 10 {
		t.Errorf("used %d and %d, want 10 and 10", n, m)
	}
}

// Refunds of a bucket give back what has not drained, never what others took.
func TestBucketRefundNeverTakesFromOthers(t *testing.T) {
	clock := newModelClock()
	for _, a := range []Algorithm{TokenBucket, LeakyBucket} {
		l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now})
		limit := Limit{Name: "b", Algorithm: a, Quota: 100, Window: 100 * time.Second}
		c := func(n int64) Charge { return Charge{Subject: []string{"ada"}, Limit: limit, Cost: n} }
		first := take(t, l, c(50))
		clock.advance(40 * time.Second)
		if d := take(t, l, c(60)); d.Outcome != Allowed || d.Remaining != 30 {
			t.Fatalf("%+v", d)
		}
		refund(t, l, first.ID(), 10, c(50)) // 40 have drained
		if n := used(t, l, c(1)); n != 60 {
			t.Errorf("%v: used %d, want the 60 of the other", a, n)
		}
	}
}

// What a fallback admitted can be passed to Refund like any decision.
func TestRefundOfDegraded(t *testing.T) {
	l := down(t, Options{})
	for _, f := range []Fallback{FailOpen, FailLocal, FailOpenAlways} {
		c := charge(long(FixedWindow, 5))
		d, err := l.Decide(bg, f, c)
		if err != nil || !d.Degraded {
			t.Fatal(err)
		}
		if back, err := l.Refund(bg, d.ID(), c); err != nil || !back.Degraded || back.Granted != 0 {
			t.Errorf("%v: %+v, %v", f, back, err)
		}
	}
}

// A quick look at the ids: no two takes share one, whatever the order.
func TestIDs(t *testing.T) {
	clock := newModelClock()
	l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now})
	var ids []string
	for range 100 {
		id := take(t, l, charge(long(FixedWindow, 1000))).ID()
		if slices.Contains(ids, id) {
			t.Fatalf("%s twice", id)
		}
		ids = append(ids, id)
	}
}
