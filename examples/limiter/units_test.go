package limiter

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

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

// unitsSeed chooses the walks of TestUnitsNeverMultiply. The same seed walks the
// same way, so that a failure comes back; other seeds are for looking further.
var unitsSeed = flag.Uint64("seed", 5350, "the seed of TestUnitsNeverMultiply, 0 for another each time")

// Over any sequence of takes, repeated requests, peeks, refunds, changes of plan
// and steps of the clock, what is outstanding never exceeds the limit.
func TestUnitsNeverMultiply(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 45
	}
	// In this walk a limit is scaled after its clock went back within a window.
	const stepBack = 1796099788474517788
	seed := *unitsSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for _, way := range []struct {
		name   string
		seed   uint64
		above  int
		packed bool
	}{{"direct", seed, -1, false}, {"batched", seed, 0, false}, {"packed", seed, 0, true}, {"step back", stepBack, -1, false}} {
		t.Run(way.name, func(t *testing.T) {
			t.Logf("seed %d", way.seed)
			unitsWalk(t, way.seed, rounds, way.above, way.packed)
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
