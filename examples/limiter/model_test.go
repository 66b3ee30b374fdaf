package limiter

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// A model is a limit in plain memory: what happened is kept whole, and every
// question is answered from it the slow and obvious way.
type model struct {
	limit Limit
	units []int64 // when each admitted unit was taken, microseconds, in order

	level   *big.Int // buckets: millionths in use at the time at
	at      int64
	quota   int64 // at which they drain
	changed int64 // up to when nothing that was taken comes back
}

func newModel(l Limit) *model { return &model{limit: l, level: new(big.Int), quota: l.Quota} }

func (m *model) bucket() bool {
	return m.limit.Algorithm == TokenBucket || m.limit.Algorithm == LeakyBucket
}

// replanned is the model after a call that sees the plan: a bucket has drained at
// the old quota up to now, and what is above its capacity is forgiven.
func (m *model) replanned(now int64) *model {
	c := *m
	if !m.bucket() {
		return &c
	}
	full := big.NewInt(m.limit.capacity() * 1_000_000)
	c.level, c.at = m.levelAt(now), now
	if c.level.Cmp(full) > 0 || m.quota > m.limit.Quota && c.level.Sign() > 0 {
		c.changed = now
	}
	if c.level.Cmp(full) > 0 {
		c.level = full
	}
	if c.level.Sign() == 0 {
		c.changed = max(c.changed, now-1)
	}
	c.quota = m.limit.Quota
	return &c
}

// sees makes the model that of a call at that time, where the plan has changed.
func (m *model) sees(now int64) {
	if r := m.replanned(now); m.quota != m.limit.Quota || r.level.Cmp(m.levelAt(now)) != 0 {
		*m = *r
	}
}

func (m *model) window() int64 { return m.limit.Window.Microseconds() }

// count is the number of units taken from begin to end, end excluded.
func (m *model) count(begin, end int64) int64 {
	var n int64
	for _, at := range m.units {
		if at >= begin && at < end {
			n++
		}
	}
	return n
}

func floorTo(now, window int64) int64 { return now / window * window }

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// drained is what a bucket loses in so many microseconds, rounded down.
func (m *model) drained(elapsed int64) *big.Int {
	n := big.NewInt(elapsed)
	n.Mul(n, big.NewInt(m.quota*1_000_000))
	return n.Div(n, big.NewInt(m.window()))
}

// levelAt is what is in a bucket at a time.
func (m *model) levelAt(now int64) *big.Int {
	n := new(big.Int).Sub(m.level, m.drained(now-m.at))
	if n.Sign() < 0 {
		n.SetInt64(0)
	}
	return n
}

// used is how many units count at a time, rounded up.
func (m *model) used(now int64) int64 {
	begin := floorTo(now, m.window())
	switch m.limit.Algorithm {
	case FixedWindow:
		return m.count(begin, begin+m.window())
	case SlidingLog:
		return m.count(now-m.window()+1, now+1)
	case SlidingCounter:
		older := m.count(begin-m.window(), begin)
		return ceilDiv(older*(m.window()-(now-begin)), m.window()) + m.count(begin, begin+m.window())
	}
	n := m.levelAt(now)
	n.Add(n, big.NewInt(999_999))
	return n.Div(n, big.NewInt(1_000_000)).Int64()
}

func (m *model) free(now int64) int64 {
	if m.limit.Quota == 0 {
		return 0
	}
	return m.limit.capacity() - m.used(now)
}

// first is the least wait after which ok holds; ok never turns false again.
func first(ok func(wait int64) bool) int64 {
	if ok(0) {
		return 0
	}
	low, high := int64(0), int64(1)
	for !ok(high) {
		low, high = high, high*2
	}
	for low+1 < high {
		if middle := (low + high) / 2; ok(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

func (m *model) take(now, n int64) {
	if m.bucket() && m.levelAt(now).Sign() == 0 {
		m.changed = max(m.changed, now-1)
	}
	for range n {
		m.units = append(m.units, now)
	}
	m.level = m.levelAt(now)
	m.level.Add(m.level, big.NewInt(n*1_000_000))
	m.at = now
}

// give takes back at most n units of one time, as far as they still count.
func (m *model) give(now, at, n int64) int64 {
	if m.bucket() {
		left := big.NewInt(n * 1_000_000)
		left.Sub(left, m.drained(now-at))
		if level := m.levelAt(now); level.Cmp(left) < 0 {
			left = level
		}
		if left.Sign() <= 0 || at <= m.changed {
			return 0
		}
		m.level, m.at = m.levelAt(now), now
		m.level.Sub(m.level, left)
		left.Add(left, big.NewInt(999_999))
		return left.Div(left, big.NewInt(1_000_000)).Int64()
	}
	var given int64
	m.units = slices.DeleteFunc(m.units, func(unit int64) bool {
		if given < n && m.same(unit, at) && m.counts(now, at) {
			given++
			return true
		}
		return false
	})
	return given
}

// same says whether a unit cannot be told from one that was taken at that time.
func (m *model) same(unit, at int64) bool {
	if m.limit.Algorithm == SlidingLog {
		return unit == at
	}
	return floorTo(unit, m.window()) == floorTo(at, m.window())
}

// counts says whether what was taken at that time still counts.
func (m *model) counts(now, at int64) bool {
	switch m.limit.Algorithm {
	case FixedWindow:
		return floorTo(now, m.window()) == floorTo(at, m.window())
	case SlidingLog:
		return at > now-m.window()
	}
	return floorTo(now, m.window())-floorTo(at, m.window()) <= m.window()
}

// result is what a call must answer; peek charges nothing.
func (m *model) result(now int64, c Charge, peek bool) Result {
	m.sees(now)
	r := Result{Limit: c.Limit, Outcome: Allowed}
	least := c.Cost
	if c.AtMost {
		least = min(1, c.Cost)
	}
	free := m.free(now)
	if m.limit.Algorithm == LeakyBucket {
		r.Delay = micros(m.reset(now))
	}
	switch {
	case least <= free && c.AtMost:
		r.Granted = min(c.Cost, free)
	case least <= free:
		r.Granted = c.Cost
	case c.Cost == 0:
	case m.limit.Quota == 0 || least > m.limit.capacity():
		r.Outcome = Impossible
	default:
		r.Outcome = Limited
	}
	if r.Outcome != Allowed && m.limit.CountRefused && !peek {
		m.take(now, least)
	}
	if r.Outcome == Limited {
		r.RetryAfter = micros(first(func(w int64) bool { return m.free(now+w) >= least }))
	}
	if r.Granted > 0 && !peek {
		m.take(now, r.Granted)
	}
	r.Used, r.Remaining = m.used(now), max(0, m.free(now))
	if r.Outcome == Allowed && c.Cost > 0 && r.Remaining == 0 {
		r.RetryAfter = micros(first(func(w int64) bool { return m.free(now+w) >= 1 }))
	}
	r.ResetAfter = micros(m.reset(now))
	return r
}

func (m *model) reset(now int64) int64 {
	if m.bucket() && m.limit.Quota == 0 && m.levelAt(now).Sign() > 0 {
		return m.at + m.window() - now
	}
	return first(func(w int64) bool {
		switch m.limit.Algorithm {
		case TokenBucket, LeakyBucket:
			return m.levelAt(now+w).Sign() == 0
		case SlidingCounter: // until its last trace is gone, not only rounded to 0
			begin := floorTo(now+w, m.window())
			return m.count(begin-m.window(), begin+m.window()) == 0
		}
		return m.used(now+w) == 0
	})
}

// forget drops state that no answer can depend on, so that the model stays fast.
func (m *model) forget(now int64) {
	m.units = slices.DeleteFunc(m.units, func(at int64) bool { return at < now-3*m.window() })
}

// Ten thousand random steps of every algorithm have the results of the model, and so
// have a thousand without the quick path.
func TestModel(t *testing.T) {
	for _, packed := range []bool{false, true} {
		for _, a := range all {
			if packed && a == SlidingLog {
				continue // has a key of its own in either case
			}
			steps := 10_000
			if packed || testing.Short() {
				steps = 1_000
			}
			t.Run(fmt.Sprintf("%v,packed=%t", a, packed), func(t *testing.T) {
				t.Parallel()
				walk(t, Limit{Algorithm: a}, packed, false, steps)
			})
			if !packed {
				t.Run(fmt.Sprintf("%v,long", a), func(t *testing.T) {
					t.Parallel()
					walk(t, Limit{Algorithm: a}, packed, true, 1_000)
				})
			}
			if a == FixedWindow || a == SlidingCounter {
				t.Run(fmt.Sprintf("%v,packed=%t,counting", a, packed), func(t *testing.T) {
					t.Parallel()
					walk(t, Limit{Algorithm: a, CountRefused: true}, packed, false, steps)
				})
			}
		}
	}
}

func walk(t *testing.T, limit Limit, packed, long bool, steps int) {
	a := limit.Algorithm
	clock := newModelClock()
	l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now, Packed: packed})
	l.store.long = long
	dice := rand.New(rand.NewPCG(uint64(a), 5350))
	limit.Name, limit.Quota, limit.Window = "model", 20, 7*time.Second
	m := newModel(limit)
	var ids []Decision
	for step := range steps {
		clock.advance(time.Duration(dice.Int64N(700_000)) * time.Microsecond)
		c := Charge{Subject: []string{"one"}, Limit: m.limit, Cost: dice.Int64N(6), AtMost: dice.IntN(4) == 0}
		what := "take"
		switch n := dice.IntN(100); {
		case n < 10:
			what = "peek"
		case n < 20 && len(ids) > 0:
			what = "refund"
		case n < 21:
			what = "reset"
		case n < 24: // another plan
			c.Limit.Quota = []int64{0, 5, 20, 40}[dice.IntN(4)]
			if a == TokenBucket || a == LeakyBucket {
				c.Limit.Burst = dice.Int64N(50)
			}
			m.limit = c.Limit
		case n < 30:
			clock.advance(time.Duration(dice.Int64N(30)) * time.Second)
		case n < 40: // to the microsecond at which a refused charge passes
			if d, err := l.Peek(context.Background(), c); err == nil {
				clock.advance(d.RetryAfter - time.Duration(dice.IntN(2))*time.Microsecond)
			}
		}
		now := clock.Now().UnixMicro()
		m.forget(now)
		got, want := oneStep(t, l, m, what, now, c, &ids, dice)
		if got != want {
			t.Fatalf("step %d, %s of %d at %d of %+v:\n got %+v\nwant %+v", step, what, c.Cost, now, c.Limit, got, want)
		}
	}
}

// oneStep does one step with both and returns both answers.
func oneStep(t *testing.T, l *Limiter, m *model, what string, now int64, c Charge, ids *[]Decision, dice *rand.Rand) (got, want Result) {
	t.Helper()
	ctx := context.Background()
	var d Decision
	var err error
	switch what {
	case "peek":
		seen := *m
		want = seen.result(now, c, true)
		d, err = l.Peek(ctx, c)
	case "refund":
		i := dice.IntN(len(*ids))
		taken := (*ids)[i]
		*ids = slices.Delete(*ids, i, i+1)
		c.Cost = min(c.Cost+1, taken.Granted)
		c.Cost = max(c.Cost, 1)
		m.sees(now)
		given := m.give(now, taken.at, c.Cost)
		want = Result{Limit: c.Limit, Outcome: Allowed, Granted: given, Used: m.used(now), Remaining: max(0, m.free(now)), ResetAfter: micros(m.reset(now))}
		d, err = l.Refund(ctx, taken.ID(), c)
	case "reset":
		m.units, m.level, m.quota = nil, new(big.Int), m.limit.Quota
		*ids = nil // nothing from before a Reset may be refunded
		err = l.Reset(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		return Result{}, Result{}
	default:
		sent := c
		c.Cost = max(c.Cost, 1)
		want = m.result(now, c, false)
		c = sent
		d, err = l.Take(ctx, c)
		if err == nil && d.Granted > 0 {
			*ids = append(*ids, d)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if len(*ids) > 20 {
		*ids = (*ids)[1:]
	}
	return d.Results[0], want
}

var bigMillion = big.NewInt(1_000_000)

// counterUsed is what a sliding counter of one call counts, in whole numbers of any
// size.
func counterUsed(count, at, now, window int64) int64 {
	d := now/window - at/window
	if d == 0 {
		return count
	}
	if d > 1 {
		return 0
	}
	n := new(big.Int).Mul(big.NewInt(count), big.NewInt(window-now%window))
	n.Add(n, big.NewInt(window-1))
	return n.Div(n, big.NewInt(window)).Int64()
}
