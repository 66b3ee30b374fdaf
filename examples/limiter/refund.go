package limiter

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// TakeOnce is Take for a request that has an id of its own. Where the same
// request was admitted before, within Options.OnceFor, and was not refunded since,
// it returns that decision again, with its ID, and charges nothing: so a charge
// whose answer was lost may be repeated.
//
// An id belongs to the subjects of the charges: two subjects may use the same one.
// The same id on a subject with other charges, that is other limits, costs or
// further subjects, is an *InvalidError that names the id. The order of the charges
// does not matter.
func (l *Limiter) TakeOnce(ctx context.Context, request string, charges ...Charge) (Decision, error) {
	if request == "" {
		return Decision{}, invalid("a request without an id")
	}
	charges = withCosts(charges)
	places, err := l.places(charges)
	if err != nil {
		return Decision{}, err
	}
	if l.split {
		if n := len(l.parts(places, charges)); n > 1 {
			return Decision{}, invalid("a request with an id whose charges live in %d slots: its answer cannot be remembered in one", n)
		}
	}
	begin := time.Now()
	d, err := l.askOnce(ctx, request, places, charges)
	if err != nil {
		return Decision{}, l.failed(err)
	}
	l.metrics.Decided("take", d, time.Since(begin))
	return d, nil
}

// askOnce sends the charges in one order, whichever way they came, because the
// answer is kept as numbers.
func (l *Limiter) askOnce(ctx context.Context, request string, places []place, charges []Charge) (Decision, error) {
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(places[a].key, places[b].key), cmp.Compare(places[a].tag, places[b].tag))
	})
	sent, asked := make([]place, len(places)), make([]Charge, len(charges))
	for to, from := range order {
		sent[to], asked[to] = places[from], charges[from]
	}
	name := requestName(request)
	once := fmt.Sprint(l.once.Milliseconds(), " ", rand.Uint64()>>12, " ", chargesDigest(sent, asked))
	args := l.words(sent, asked, requestMarkers(sent, name), "take", once)
	d, err := l.run(ctx, "take", takeScript.form(setOf(sent, asked)), args, sent, asked)
	if err != nil {
		if redis.HasErrorPrefix(cause(err), "CONFLICT") {
			err = invalid("request %q was made before, with other charges: an id stands for one request", request)
		}
		return Decision{}, err
	}
	results := make([]Result, len(places))
	for to, from := range order {
		results[from] = d.Results[to]
	}
	d.Results, d.places, d.request = results, places, name
	return d, nil
}

// cause is the reply within an *UnavailableError.
func cause(err error) error {
	if down, ok := err.(*UnavailableError); ok {
		return down.Err
	}
	return err
}

// chargesDigest identifies a set of charges. The quota is not part of it:
// a plan may change between two attempts of one request.
func chargesDigest(places []place, charges []Charge) string {
	h := sha256.New()
	for i, c := range charges {
		fmt.Fprintf(h, "%d:%s%s,%d,%t;", len(places[i].key), places[i].key, places[i].tag, c.Cost, c.AtMost)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Refund returns what a decision of Take or TakeOnce took, by its ID and for
// its charges, in any order. It returns at most each charge's Cost, which is 1
// where none was given, at most what was taken, and only what still counts: nothing
// once the window is over or the bucket has drained. Each charge of a decision
// comes back at most once, so what remains never rises above the limit; a charge
// that is left out returns nothing. Granted of each Result is what came back.
//
// In a bucket, units drain from the moment they were taken, whoever else took units
// before, and what has drained does not come back. Nothing comes back that was
// taken before the clock of Redis went back by more than a window, or before a plan
// change that Limit.OnChange names. Refund nothing that was taken before a Reset:
// in windows, it would return what was taken since.
//
// The id of a request is deleted when it is refunded, in part or whole: when it
// comes again, it is charged anew. It is refunded with all of its charges.
//
// What a fallback admitted was not taken from Redis: Refund of its ID returns a
// decision that is marked Degraded and returns nothing.
func (l *Limiter) Refund(ctx context.Context, id string, charges ...Charge) (Decision, error) {
	if id == degradedID {
		return Decision{Outcome: Allowed, Degraded: true}, nil
	}
	r, err := parseID(id)
	if err != nil {
		return Decision{}, err
	}
	charges = slices.Clone(withCosts(charges))
	places, err := l.places(charges)
	if err != nil {
		return Decision{}, err
	}
	if r.request != "" && len(charges) != len(r.entries) {
		return Decision{}, invalid("decision %s made %d charges for a request with an id: refund all of them, not %d", id, len(r.entries), len(charges))
	}
	used, entries := make([]bool, len(r.entries)), make([]entry, len(charges))
	for i := range charges {
		e, ok := r.find(places[i], used)
		if !ok {
			return Decision{}, invalid("decision %s did not charge limit %q of this subject", id, charges[i].Limit.Name)
		}
		charges[i].Cost = min(charges[i].Cost, e.granted)
		entries[i] = e
	}
	parts := l.parts(places, charges)
	err = each(parts, func(p *part) (Decision, error) {
		taken := r.Decision
		taken.at = entries[p.index[0]].at
		var life int64 = 1000
		for _, c := range p.charges {
			life = max(life, c.Limit.memory())
		}
		return l.giveBack(ctx, taken, life, p.places, p.charges)
	})
	if err != nil {
		return Decision{}, l.failed(err)
	}
	return joined(parts, charges, false), nil
}

// giveBack refunds charges whose keys live in one slot, of what was taken at
// taken.at. Marks by the name of the take, which live so many milliseconds, hold
// that each comes back once.
func (l *Limiter) giveBack(ctx context.Context, taken Decision, life int64, places []place, charges []Charge) (Decision, error) {
	var markers []string
	for _, p := range places {
		markers = append(markers, p.marker("refund", taken.take()+"-"+p.digest()))
	}
	if taken.request != "" {
		markers = append(markers, requestMarkers(places, taken.request)...)
	}
	args := l.words(places, charges, markers, taken.at, fmt.Sprint(life, " ", taken.nonce))
	return l.run(ctx, "refund", refundScript.form(setOf(places, charges)), args, places, charges)
}

// memory is for how many milliseconds a unit can count: two windows, or until a
// full bucket has drained, at most some 285 years.
func (l Limit) memory() int64 {
	windows := 2.0
	if l.Quota > 0 {
		windows = max(windows, float64(l.capacity())/float64(l.Quota))
	}
	return int64(min(9e12, math.Ceil(windows*float64(l.Window)/float64(time.Millisecond))))
}
