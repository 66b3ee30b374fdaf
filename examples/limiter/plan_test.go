package limiter

import (
	"testing"
	"time"
)

// A plan change keeps, scales or resets what is in use, by the limit's choice, and
// what was taken before it does not come back where it cannot be told apart.
func TestPlanChanges(t *testing.T) {
	for _, row := range []struct {
		a        Algorithm
		p        PlanChange
		from, to int64
		used     int64 // of 50 that were taken from the first
	}{
		{FixedWindow, Keep, 100, 500, 50}, {FixedWindow, Scale, 100, 500, 250}, {FixedWindow, Reset, 100, 500, 0},
		{FixedWindow, Keep, 100, 10, 50}, {FixedWindow, Scale, 100, 10, 5}, {FixedWindow, Scale, 100, 3, 2}, {FixedWindow, Reset, 100, 10, 0},
		{SlidingLog, Keep, 100, 10, 50}, {SlidingLog, Reset, 100, 10, 0},
		{SlidingCounter, Keep, 100, 10, 50}, {SlidingCounter, Scale, 100, 200, 100}, {SlidingCounter, Reset, 100, 10, 0},
		{TokenBucket, Keep, 100, 500, 50}, {TokenBucket, Keep, 100, 10, 10}, {TokenBucket, Scale, 100, 500, 250}, {TokenBucket, Scale, 100, 10, 5},
		{TokenBucket, Reset, 100, 10, 0}, {LeakyBucket, Scale, 100, 500, 250}, {FixedWindow, Scale, 100, 0, 0}, {TokenBucket, Scale, 100, 0, 0},
	} {
		for _, packed := range []bool{false, true} {
			l := newLimiter(t, sharedClient(t), Options{Packed: packed, Clock: newModelClock().Now})
			limit := Limit{Name: "plan", Algorithm: row.a, Quota: row.from, Window: time.Hour, OnChange: row.p}
			c := Charge{Subject: []string{"ada"}, Limit: limit, Cost: 50}
			first := take(t, l, c)
			c.Limit.Quota, c.Cost = row.to, 1
			if n := used(t, l, c); n != row.used {
				t.Errorf("%+v, packed=%t: used %d", row, packed, n)
			}
			d := take(t, l, c)
			want := row.used
			if d.Outcome == Allowed {
				want++
			}
			if n := d.Results[0].Used; n != want || (d.Outcome == Allowed) != (row.used < row.to) {
				t.Errorf("%+v, packed=%t: %v, used %d", row, packed, d.Outcome, n)
			}
			if window := row.p == Keep && row.a != TokenBucket || row.p == Keep && row.to > row.from; window {
				continue
			}
			c.Cost = 50
			refund(t, l, first.ID(), 0, c)
		}
	}
}

// No change of plan makes a client wait longer than the new limit takes to refill.
func TestPlanChangeNeverLocksOut(t *testing.T) {
	for _, a := range all {
		for _, p := range []PlanChange{Keep, Scale, Reset} {
			for _, to := range []int64{1, 10, 90, 500} {
				limit := Limit{Name: "plan", Algorithm: a, Quota: 100, Window: time.Hour, OnChange: p}
				if limit.Validate() != nil {
					continue
				}
				clock := newModelClock()
				clock.advance(13 * time.Minute)
				l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now})
				c := Charge{Subject: []string{"ada"}, Limit: limit, Cost: 100}
				take(t, l, c)
				full := take(t, l, c).Results[0].ResetAfter
				clock.advance(time.Minute)
				c.Limit.Quota, c.Cost = to, 1
				for step := 0; ; step++ {
					d := take(t, l, c)
					if d.Outcome == Allowed {
						break
					}
					if d.RetryAfter > full || step > 1 {
						t.Errorf("%v, %v, from 100 to %d: after %d waits %v more, a full refill takes %v", a, p, to, step, d.RetryAfter, full)
						break
					}
					clock.advance(d.RetryAfter)
				}
			}
		}
	}
}

// A bucket drains at the old rate up to the change, at the new one after it.
func TestBucketDrainsAtTheRateOfItsPlan(t *testing.T) {
	clock := newModelClock()
	l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now})
	c := Charge{Subject: []string{"ada"}, Limit: Limit{Name: "plan", Algorithm: TokenBucket, Quota: 100, Window: time.Hour}, Cost: 100}
	take(t, l, c)
	clock.advance(30 * time.Minute)
	c.Limit.Quota, c.Cost = 500, 1
	if d := take(t, l, c); d.Remaining != 449 {
		t.Errorf("remaining %d of 500, want 449: 50 of 100 drained in half an hour", d.Remaining)
	}
	clock.advance(time.Minute)
	if n := used(t, l, c); n != 43 { // 51 less 8.3
		t.Errorf("used %d a minute later", n)
	}
}

// The clock of Redis goes forward by an hour and back: within a window everybody
// is served again.
func TestClockStepsHeal(t *testing.T) {
	for _, a := range all {
		for _, window := range []time.Duration{time.Second, 10 * time.Second, time.Minute, 20 * time.Minute} {
			for _, packed := range []bool{false, true} {
				clock := newModelClock()
				clock.advance(time.Hour + window/3)
				l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now, Packed: packed})
				c := Charge{Subject: []string{"ada"}, Limit: Limit{Name: "l", Algorithm: a, Quota: 10, Window: window}, Cost: 10}
				first := take(t, l, c)
				clock.advance(-time.Hour)
				c.Cost = 1
				if d := take(t, l, c); a != SlidingCounter && d.Outcome != Limited {
					t.Errorf("%v, %v: the step forgave all at once", a, window)
				}
				refund(t, l, first.ID(), 0, c)
				clock.advance(window)
				if d := take(t, l, c); d.Outcome != Allowed {
					t.Errorf("%v, %v: a window later %v, retry after %v", a, window, d.Outcome, d.RetryAfter)
				}
				clock.advance(time.Hour) // the clock comes by the first call again
				clock.advance(-window)
				refund(t, l, first.ID(), 0, c)
			}
		}
	}
}

// Limits of bytes and cents; what cannot be counted exactly is refused.
func TestLargeQuotas(t *testing.T) {
	clock := newModelClock()
	for _, packed := range []bool{false, true} {
		l := newLimiter(t, sharedClient(t), Options{Packed: packed, Clock: clock.Now})
		c := Charge{Subject: []string{"ada"}, Limit: Limit{Name: "bytes", Algorithm: FixedWindow, Quota: MaxQuota, Window: time.Hour}}
		var sum int64
		for _, n := range []int64{1, 4 << 30, 9_007_199, 9_000_001, MaxQuota / 2, 1} {
			c.Cost = n
			sum += n
			if d := take(t, l, c); d.Outcome != Allowed || d.Results[0].Used != sum || d.Remaining != MaxQuota-sum {
				t.Errorf("packed=%t, %d more: %+v", packed, n, d)
			}
		}
		c.Cost = MaxQuota - sum + 1
		if d := take(t, l, c); d.Outcome != Limited {
			t.Errorf("%v", d.Outcome)
		}
		c.Cost--
		d := take(t, l, c)
		if d.Outcome != Allowed || d.Remaining != 0 {
			t.Errorf("%+v", d)
		}
		refund(t, l, d.ID(), c.Cost, c)
	}
	for _, a := range all {
		most := map[Algorithm]int64{FixedWindow: MaxQuota, SlidingLog: MaxLogQuota}[a]
		if most == 0 {
			most = MaxRateQuota
		}
		good := Limit{Name: "l", Algorithm: a, Quota: most, Window: time.Second}
		bad := good
		bad.Quota++
		if err := good.Validate(); err != nil {
			t.Error(err)
		}
		mustBeInvalid(t, bad.Validate(), "quota")
	}
}

// Products beyond 2^53 are divided exactly: a counter and a bucket of the largest
// quota and window lose nothing and win nothing.
func TestLargeProductsAreExact(t *testing.T) {
	for _, a := range []Algorithm{SlidingCounter, TokenBucket, LeakyBucket} {
		limit := Limit{Name: "exact", Algorithm: a, Quota: MaxRateQuota, Window: MaxWindow}
		clock := newModelClock()
		l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now})
		m := newModel(limit)
		m.units = make([]int64, 0)
		c := Charge{Subject: []string{"ada"}, Limit: limit, Cost: 987_654_321}
		d := take(t, l, c)
		for _, step := range []time.Duration{time.Microsecond, 31_623 * time.Microsecond, time.Hour, 77777 * time.Second, 100 * 24 * time.Hour} {
			clock.advance(step)
			at, now := d.at, clock.Now().UnixMicro()
			var want int64
			if a == SlidingCounter {
				want = counterUsed(c.Cost, at, now, limit.Window.Microseconds())
			} else {
				m.level.SetInt64(c.Cost)
				m.level.Mul(m.level, bigMillion)
				m.at = at
				want = m.used(now)
			}
			if got := used(t, l, c); got != want {
				t.Errorf("%v after %v: used %d, want %d", a, step, got, want)
			}
		}
	}
}
