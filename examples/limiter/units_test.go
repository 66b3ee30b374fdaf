package limiter

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
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
		g.units = nil
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

// A walker is one subject with its limits, and everything that it ever took.
type walker struct {
	t       *testing.T
	l       *Limiter
	clock   *modelClock
	dice    *rand.Rand
	name    string
	limits  []Limit
	ledgers map[string]*ledger
	taken   []*taking
	once    map[string]*taking
	steps   map[string]int
}

// A taking is a decision that charged.
type taking struct {
	id      string
	request string
	charges []Charge
	back    []int64 // what came back of each
	granted []int64
	lots    []time.Time
}

func newWalker(t *testing.T, l *Limiter, clock *modelClock, seed, n uint64) *walker {
	w := &walker{t: t, l: l, clock: clock, dice: rand.New(rand.NewPCG(seed, n)), name: fmt.Sprint("walker", n),
		ledgers: map[string]*ledger{}, once: map[string]*taking{}, steps: map[string]int{}}
	for i := range 4 {
		limit := Limit{Name: fmt.Sprint("limit", i), Algorithm: all[w.dice.IntN(len(all))], Quota: 20, Window: 7 * time.Second}
		if limit.Algorithm == TokenBucket && w.dice.IntN(2) == 0 {
			limit.Burst = 100 // drains in more than two windows
		}
		limit.OnChange = PlanChange(w.dice.IntN(3))
		if limit.Algorithm == SlidingLog && limit.OnChange == Scale {
			limit.OnChange = Keep
		}
		w.limits = append(w.limits, limit)
		w.ledgers[limit.Name] = &ledger{}
	}
	return w
}

// some charges of up to three of the limits.
func (w *walker) some() []Charge {
	var charges []Charge
	for _, i := range w.dice.Perm(len(w.limits))[:1+w.dice.IntN(3)] {
		charges = append(charges, Charge{Subject: []string{w.name}, Limit: w.limits[i], Cost: w.dice.Int64N(8), AtMost: w.dice.IntN(5) == 0})
	}
	return charges
}

func (w *walker) step() {
	switch n := w.dice.IntN(100); {
	case n < 40:
		w.take("", w.some())
	case n < 55:
		w.takeOnce()
	case n < 62:
		d, err := w.l.Peek(bg, w.some()...)
		if err != nil || d.ID() != "" {
			w.t.Fatalf("peek: id %q, %v", d.ID(), err)
		}
		w.steps["peek"]++
	case n < 97:
		w.refund()
	default:
		w.replan()
	}
}

func (w *walker) replan() {
	l := &w.limits[w.dice.IntN(len(w.limits))]
	l.Quota = []int64{5, 20, 40}[w.dice.IntN(3)]
	if l.Burst > 0 {
		l.Burst = []int64{50, 100}[w.dice.IntN(2)]
	}
	w.steps["plan"]++
}

func (w *walker) takeOnce() {
	request := fmt.Sprint("request", w.dice.IntN(30))
	before := w.once[request]
	if before == nil || w.dice.IntN(8) == 0 {
		w.take(request, w.some())
		return
	}
	// The same request: the same charges, under the plans of now, in any order.
	charges := slices.Clone(before.charges)
	for i, c := range charges {
		charges[i].Limit = w.limit(c.Limit.Name)
	}
	w.dice.Shuffle(len(charges), func(i, j int) { charges[i], charges[j] = charges[j], charges[i] })
	w.take(request, charges)
}

func (w *walker) limit(name string) Limit {
	return w.limits[slices.IndexFunc(w.limits, func(l Limit) bool { return l.Name == name })]
}

// sameCharges reports whether two calls charge the same, whatever the order and
// the plans.
func sameCharges(a, b []Charge) bool {
	say := func(charges []Charge) string {
		var lines []string
		for _, c := range withCosts(charges) {
			lines = append(lines, fmt.Sprint(c.Limit.Name, c.Cost, c.AtMost))
		}
		slices.Sort(lines)
		return strings.Join(lines, ",")
	}
	return say(a) == say(b)
}

func (w *walker) take(request string, charges []Charge) {
	now := w.clock.Now()
	before := w.once[request]
	var d Decision
	var err error
	if request == "" {
		d, err = w.l.Take(bg, charges...)
	} else {
		d, err = w.l.TakeOnce(bg, request, charges...)
	}
	var invalid *InvalidError
	if errors.As(err, &invalid) && before != nil && !sameCharges(before.charges, charges) && strings.Contains(err.Error(), fmt.Sprintf("%q", request)) {
		w.steps["conflict"]++
		return
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if before != nil && d.ID() == before.id {
		if w.refunded(before) {
			w.t.Fatalf("request %s was refunded and then admitted again without a charge", request)
		}
		w.steps["replay"]++
		return
	}
	w.steps["take"]++
	for _, c := range charges {
		w.ledgers[c.Limit.Name].see(c.Limit, now)
	}
	if d.Outcome != Allowed {
		return
	}
	if before != nil && !w.refunded(before) {
		w.t.Fatalf("request %s was charged a second time: %s and %s", request, before.id, d.ID())
	}
	t := &taking{id: d.ID(), request: request, charges: charges, back: make([]int64, len(charges))}
	for i, r := range d.Results {
		g := w.ledgers[r.Limit.Name]
		t.granted = append(t.granted, r.Granted)
		if r.Granted > 0 {
			g.admit(now, r.Granted)
		}
		t.lots = append(t.lots, g.latest)
		if over := g.excess(now); r.Granted > 0 && over > 0 {
			w.t.Errorf("%s at %v: %v has %.3f units outstanding too many after %d were taken: %+v", w.name, now, charges[i].Limit, over, r.Granted, g.units[max(0, len(g.units)-8):])
		}
	}
	w.taken = append(w.taken, t)
	if request != "" {
		w.once[request] = t
	}
	if len(w.taken) > 60 {
		w.taken = w.taken[1:]
	}
}

// refunded reports whether a refund of the taking was tried: then its request is
// charged anew.
func (w *walker) refunded(t *taking) bool { return w.steps["refund:"+t.id] > 0 }

func (w *walker) refund() {
	if len(w.taken) == 0 {
		return
	}
	i := w.dice.IntN(len(w.taken))
	if w.dice.IntN(2) == 0 {
		i = len(w.taken) - 1 - w.dice.IntN(min(5, len(w.taken)))
	}
	t := w.taken[i]
	charges := make([]Charge, len(t.charges))
	order := w.dice.Perm(len(charges))
	for to, from := range order {
		charges[to] = t.charges[from]
		charges[to].Limit = w.limit(charges[to].Limit.Name)
		charges[to].Cost = w.dice.Int64N(10)
	}
	if t.request == "" {
		charges = charges[:1+w.dice.IntN(len(charges))]
	}
	now := w.clock.Now()
	d, err := w.l.Refund(bg, t.id, charges...)
	if err != nil || d.ID() != "" {
		w.t.Fatalf("refund: id %q, %v", d.ID(), err)
	}
	w.steps["refund"]++
	w.steps["refund:"+t.id]++
	for i, r := range d.Results {
		from, g := order[i], w.ledgers[r.Limit.Name]
		g.see(charges[i].Limit, now)
		t.back[from] += r.Granted
		if t.back[from] > t.granted[from] {
			w.t.Errorf("%s: %d of %d units came back", w.name, t.back[from], t.granted[from])
		}
		if r.Granted > 0 {
			w.steps["back"]++
			g.giveBack(t.lots[from], r.Granted)
		}
	}
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

// Over any sequence of takes, repeated requests, peeks, refunds, changes of plan
// and steps of the clock, what is outstanding never exceeds the limit.
func TestUnitsNeverMultiply(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 45
	}
	seed := uint64(time.Now().UnixNano())
	for _, way := range []struct {
		name   string
		above  int
		packed bool
	}{{"direct", -1, false}, {"batched", 0, false}, {"packed", 0, true}} {
		t.Run(way.name, func(t *testing.T) {
			t.Logf("seed %d", seed)
			unitsWalk(t, seed, rounds, way.above, way.packed)
		})
	}
}

func unitsWalk(t *testing.T, seed uint64, rounds, above int, packed bool) {
	const walkers, perRound = 32, 4
	clock := newModelClock()
	l := newLimiter(t, sharedClient(t), Options{Clock: clock.Now, Packed: packed, OnceFor: time.Hour, ShareAbove: max(above, 1)})
	l.store.nodes.single.wire.above = int32(above)
	var all []*walker
	for i := range walkers {
		all = append(all, newWalker(t, l, clock, seed, uint64(i)))
	}
	dice := rand.New(rand.NewPCG(seed, 5350))
	for range rounds {
		switch n := dice.IntN(100); {
		case n < 80:
			clock.advance(time.Duration(dice.Int64N(1_500_000)) * time.Microsecond)
		case n < 90:
			clock.advance(time.Duration(dice.Int64N(30_000)) * time.Millisecond)
		case n < 94:
			clock.advance(-time.Duration(dice.Int64N(1000)) * time.Millisecond)
		case n == 99:
			clock.advance([]time.Duration{-time.Hour, time.Hour}[dice.IntN(2)])
		}
		var wg sync.WaitGroup
		for _, w := range all {
			wg.Go(func() {
				for range perRound {
					w.step()
				}
			})
		}
		wg.Wait()
		if t.Failed() {
			return
		}
	}
	total := map[string]int{}
	for _, w := range all {
		for what, n := range w.steps {
			if !strings.HasPrefix(what, "refund:") {
				total[what] += n
			}
		}
	}
	t.Logf("%d steps: %v", rounds*walkers*perRound, total)
	for _, what := range []string{"take", "replay", "conflict", "peek", "refund", "back", "plan"} {
		if total[what] == 0 {
			t.Errorf("no %s happened: the test holds little", what)
		}
	}
}
