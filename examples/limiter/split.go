package limiter

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
)

// A part is the charges of a call whose keys live in one slot.
type part struct {
	places  []place
	charges []Charge
	index   []int // of each charge in the call

	decision Decision
	err      error
}

// parts groups the charges of a call by slot, in order of their first charge.
// Without Options.Split everything is one part.
func (l *Limiter) parts(places []place, charges []Charge) []*part {
	var parts []*part
	bySlot := map[string]*part{}
	for i, p := range places {
		slot := ""
		if l.split {
			slot = p.key[:p.slot]
		}
		one, ok := bySlot[slot]
		if !ok {
			one = &part{}
			bySlot[slot] = one
			parts = append(parts, one)
		}
		one.places = append(one.places, p)
		one.charges = append(one.charges, charges[i])
		one.index = append(one.index, i)
	}
	return parts
}

// each calls f with all parts at once and returns the error of the first part that
// failed.
func each(parts []*part, f func(*part) (Decision, error)) error {
	var wg sync.WaitGroup
	for _, p := range parts[1:] {
		wg.Go(func() { p.decision, p.err = f(p) })
	}
	parts[0].decision, parts[0].err = f(parts[0])
	wg.Wait()
	for _, p := range parts {
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

// joined is the decision of the whole call. Each slot has a clock of its own.
func joined(parts []*part, charges []Charge, refused bool) Decision {
	results := make([]Result, len(charges))
	times := make([]int64, len(charges))
	for _, p := range parts {
		for i, r := range p.decision.Results {
			results[p.index[i]], times[p.index[i]] = r, p.decision.at
		}
	}
	d := summary(results, charges, refused)
	d.at, d.times = slices.Max(times), times
	return d
}

// askParts takes in every slot at once. Where one refuses or gives no answer,
// what the others took is refunded; if they granted different amounts of
// charges at most, what is above the least. No slot ever admits more than its
// limits, so neither do all together; until the others are refunded they may
// refuse other calls too early.
func (l *Limiter) askParts(ctx context.Context, op string, parts []*part, charges []Charge) (Decision, error) {
	err := each(parts, func(p *part) (Decision, error) {
		return l.ask(ctx, op, p.places, p.charges)
	})
	refused := err != nil
	least := int64(MaxQuota)
	for _, p := range parts {
		refused = refused || (p.err == nil && p.decision.Outcome != Allowed)
		for i, c := range p.charges {
			if p.err == nil && c.AtMost && c.Cost > 0 && !c.Limit.Shadow {
				least = min(least, p.decision.Results[i].Granted)
			}
		}
	}
	if op == "take" {
		l.equalize(ctx, parts, refused, least)
	}
	if err != nil {
		return Decision{}, err
	}
	return joined(parts, charges, refused), nil
}

// equalize refunds what a call took too much. It does not refund a part without an
// answer, because it is unknown whether that was charged.
func (l *Limiter) equalize(ctx context.Context, parts []*part, refused bool, least int64) {
	var owners, excess []*part
	for _, p := range parts {
		if p.err != nil {
			continue
		}
		if e := p.excess(refused, least); e != nil {
			owners, excess = append(owners, p), append(excess, e)
		}
	}
	if len(excess) == 0 {
		return
	}
	// The caller may be gone by now, but what it took must come back.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.store.budget.span)
	defer cancel()
	err := each(excess, func(p *part) (Decision, error) {
		undo := Decision{at: p.decision.at, nonce: rand.Uint64()}
		return l.giveBack(ctx, undo, 1000, p.places, p.charges)
	})
	if err != nil {
		l.failed(err) // the units stay charged: too few are admitted, not too many
	}
	for i, p := range owners {
		p.adopt(excess[i])
	}
}

// excess is what the part took beyond what the whole call keeps, nil for
// nothing: everything in a refused call, and in charges at most what is above
// the least.
func (p *part) excess(refused bool, least int64) *part {
	e := &part{places: p.places, charges: slices.Clone(p.charges), decision: Decision{at: p.decision.at}}
	some := false
	for i := range e.charges {
		r, c := &p.decision.Results[i], &e.charges[i]
		keep := r.Granted
		switch {
		case refused && c.Limit.CountRefused:
			c.Cost, r.Granted = 0, 0 // it stays counted
			continue
		case refused:
			keep = 0
		case c.AtMost:
			keep = min(keep, least)
		}
		c.Cost, r.Granted = r.Granted-keep, keep
		some = some || c.Cost > 0
	}
	if !some {
		return nil
	}
	return e
}

// adopt puts the numbers after a refund in place of those before it.
func (p *part) adopt(refund *part) {
	if refund.err != nil {
		return
	}
	for i, r := range refund.decision.Results {
		own := &p.decision.Results[i]
		own.Used, own.Remaining, own.ResetAfter = r.Used, r.Remaining, r.ResetAfter
	}
}
