package limiter

import (
	"slices"
	"time"
)

// A ledger is what one limit has admitted and what came back, by what the calls
// answered. It knows nothing of how the scripts count.
type ledger struct {
	limit  Limit // as the last call had it that charged or refunded
	units  []lot
	latest time.Time // at which units were admitted last
	seen   time.Time // the latest call since the clock went back far
	begin  int       // buckets: lots before were forgiven
	rates  []rate    // buckets: the quota from each time on
}

// A lot is the units of one decision that did not come back.
type lot struct {
	at   time.Time
	left float64 // a scaled plan makes fractions
}

type rate struct {
	from  time.Time
	quota int64
}

// see notes the plan and the clock of a call.
func (g *ledger) see(l Limit, now time.Time) {
	window := l.Window
	if index(g.seen, window)-index(now, window) > 1 && (l.Algorithm == FixedWindow || l.Algorithm == SlidingCounter) ||
		g.seen.Sub(now) > window && l.Algorithm != FixedWindow && l.Algorithm != SlidingCounter {
		g.back(l, now)
	}
	g.seen = later(g.seen, now)
	old := g.limit
	g.limit = l
	if old.Name == "" {
		g.rates = []rate{{now, l.Quota}}
		return
	}
	if old.Quota == l.Quota && old.Burst == l.Burst {
		return
	}
	g.rates = append(g.rates, rate{later(now, g.latest), l.Quota})
	switch {
	case old.Quota != l.Quota && l.OnChange == Reset:
		// The state begins anew at this time, also if the clock stepped back.
		g.units, g.latest, g.rates = nil, now, []rate{{now, l.Quota}}
	case old.Quota != l.Quota && l.OnChange == Scale && l.Algorithm != TokenBucket && l.Algorithm != LeakyBucket:
		for i := range g.units {
			g.units[i].left *= float64(l.Quota) / float64(old.Quota)
		}
	case l.Quota < old.Quota || l.capacity() < old.capacity():
		g.begin = len(g.units)
	}
	g.begin = min(g.begin, len(g.units))
}

// back notes that the clock went back by more than a window: what is in use then
// counts from now on, and that of a counter as in the window before.
func (g *ledger) back(l Limit, now time.Time) {
	at := now
	if l.Algorithm == SlidingCounter {
		at = now.Add(-l.Window)
	}
	var kept []lot
	for _, u := range g.units {
		if counts(l, u.at, g.seen) {
			kept = append(kept, lot{at, u.left})
		}
	}
	g.units, g.latest, g.seen, g.begin, g.rates = kept, now, now, 0, []rate{{now, l.Quota}}
	if l.Algorithm == TokenBucket || l.Algorithm == LeakyBucket {
		g.units = nil // their level is not known here
	}
}

func index(t time.Time, window time.Duration) int64 {
	return t.UnixMicro() / window.Microseconds()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// counts reports whether units may still count in the state that was written last.
func counts(l Limit, at, latest time.Time) bool {
	switch l.Algorithm {
	case FixedWindow:
		return index(at, l.Window) == index(latest, l.Window)
	case SlidingCounter:
		return index(latest, l.Window)-index(at, l.Window) <= 1
	}
	return at.After(latest.Add(-l.Window))
}

func (g *ledger) admit(now time.Time, n int64) {
	g.latest = later(now, g.latest)
	g.units = append(g.units, lot{g.latest, float64(n)})
	if len(g.units) > 300 {
		g.units, g.begin = slices.Clone(g.units[100:]), max(0, g.begin-100)
	}
}

// excess returns by how many units what is outstanding exceeds what the limit
// allows, right after units were admitted.
func (g *ledger) excess(now time.Time) float64 {
	at, l := later(now, g.latest), g.limit
	var sum, before float64
	for _, u := range g.units {
		switch d := index(at, l.Window) - index(u.at, l.Window); {
		case l.Algorithm == SlidingLog && u.at.After(g.seen.Add(-l.Window)), l.Algorithm != SlidingLog && d == 0:
			sum += u.left
		case d == 1:
			before += u.left
		}
	}
	switch l.Algorithm {
	case TokenBucket, LeakyBucket:
		return g.overflow(at)
	case SlidingCounter:
		into := float64(at.UnixMicro()%l.Window.Microseconds()) / float64(l.Window.Microseconds())
		sum += before * (1 - into)
	}
	return sum - float64(l.Quota) - 1e-6
}

// overflow is the excess of a bucket: over no span may more be outstanding than
// its capacity and what drains in the span.
func (g *ledger) overflow(now time.Time) float64 {
	most, sum := -1.0, 0.0
	for i := len(g.units) - 1; i >= g.begin; i-- {
		sum += g.units[i].left
		most = max(most, sum-float64(g.limit.capacity())-g.drained(g.units[i].at, now)-1e-3)
	}
	return most
}

func (g *ledger) drained(from, to time.Time) float64 {
	n := 0.0
	for i, r := range g.rates {
		end := to
		if i+1 < len(g.rates) {
			end = g.rates[i+1].from
		}
		if span := end.Sub(later(r.from, from)); span > 0 {
			n += float64(r.quota) * float64(span) / float64(g.limit.Window)
		}
	}
	return n
}

// giveBack takes units off a lot of that time.
func (g *ledger) giveBack(at time.Time, n int64) {
	left := float64(n)
	for i := range g.units {
		if u := &g.units[i]; u.at.Equal(at) && left > 0 {
			given := min(left, u.left)
			u.left -= given
			left -= given
		}
	}
}
