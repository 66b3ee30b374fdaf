package limiter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Outcome is what was decided. The zero Outcome is no decision.
type Outcome uint8

const (
	// Allowed: every charge was admitted.
	Allowed Outcome = iota + 1
	// Limited: at least one limit has too little left now; nothing was charged.
	Limited
	// Impossible: at least one charge is more than its limit ever has, so
	// waiting cannot help; nothing was charged.
	Impossible
)

// String is "allowed", "limited", "impossible" or "undecided".
func (o Outcome) String() string {
	return [...]string{"undecided", "allowed", "limited", "impossible"}[min(o, 3)]
}

// A Decision answers one call.
type Decision struct {
	// Outcome holds for all charges together: all were charged, or none.
	Outcome Outcome
	// Results has one entry for each charge, in their order.
	Results []Result
	// Violated names the limits that refused, sorted. Shadow limits never do.
	Violated []string
	// Shadowed names the shadow limits that would have refused, sorted.
	Shadowed []string
	// Granted is what was granted: the least of all charges with a cost, shadow
	// limits apart.
	Granted int64
	// Remaining is the least that any of the limits has left, shadow limits
	// apart.
	Remaining int64
	// RetryAfter is how long to wait: until every limit that refused would
	// admit the same charge, or, after the last unit was taken, until there is
	// one again. 0 when there is nothing to wait for, or waiting cannot help.
	RetryAfter time.Duration
	// Delay is when an admitted call of a LeakyBucket may start; 0 is now.
	Delay time.Duration
	// Degraded is true where Redis gave no answer and the route's fallback
	// decided.
	Degraded bool
	// Version is the newest version of the Plans that the charges were made by;
	// 0 without plans.
	Version int64

	at      int64   // microseconds, on the clock that decided
	times   []int64 // the same for each charge, where several clocks did
	nonce   uint64  // tells calls of one microsecond apart
	places  []place // of the charges, where they can be refunded
	request string  // what stands for the request's id, "" where it has none
}

// A Result is what became of one charge.
type Result struct {
	Limit Limit
	// Outcome of this charge alone. A charge can be Allowed in a call that was
	// refused for another's sake: then Granted is 0.
	Outcome Outcome
	// Granted is how many units were charged; after a Refund, given back; after
	// a Peek, would have been charged.
	Granted int64
	// Used and Remaining are the limit's units after this call. After a quota
	// was lowered Used can be above it; Remaining is never below 0.
	Used, Remaining int64
	// RetryAfter is how long until this charge would be admitted, or, where the
	// last unit is gone, until there is one again.
	RetryAfter time.Duration
	// ResetAfter is how long until nothing is in use any more.
	ResetAfter time.Duration
	// Delay is when an admitted charge of a LeakyBucket may start.
	Delay time.Duration
}

// degradedID is the ID of what a fallback admitted.
const degradedID = "degraded"

// ID names this decision for Refund. It says when, how much and of which keys was
// taken, so that no more comes back. It is made of letters, digits, dots and
// hyphens, and empty for a Peek or a Refund, which take nothing. It is no secret
// and not signed: never accept one from a client, who could make up another.
func (d Decision) ID() string {
	if d.Degraded {
		return degradedID
	}
	if len(d.places) == 0 {
		return ""
	}
	entries := make([]string, len(d.Results))
	for i, r := range d.Results {
		e := strconv.FormatInt(r.Granted, 36) + "." + d.places[i].digest()
		if d.times != nil {
			e += "." + strconv.FormatInt(d.at-d.times[i], 36)
		}
		entries[i] = e
	}
	slices.Sort(entries) // whichever way the charges came
	words := []string{d.take()}
	if d.request != "" {
		words = append(words, "r"+d.request)
	}
	return strings.Join(append(words, entries...), "-")
}

// take returns the part of the ID that is different for every take: time and nonce.
func (d Decision) take() string {
	return strconv.FormatInt(d.at, 36) + "-" + strconv.FormatUint(d.nonce, 36)
}

// An entry is what an ID says of one charge.
type entry struct {
	at, granted int64
	digest      string
}

// A receipt is what an ID says.
type receipt struct {
	Decision         // at, nonce and request
	entries  []entry // one for each charge
}

// parseID reads WHEN-NONCE, -rREQUEST where there is one, and then
// -GRANTED.DIGEST or -GRANTED.DIGEST.EARLIER for each charge.
func parseID(id string) (receipt, error) {
	bad := invalid("%q is not the id of a decision that took anything", id)
	words := strings.Split(id, "-")
	if len(words) < 3 {
		return receipt{}, bad
	}
	var r receipt
	var ok bool
	var err error
	r.at, ok = parseAmount(words[0])
	if r.nonce, err = strconv.ParseUint(words[1], 36, 64); err != nil || !ok {
		return receipt{}, bad
	}
	words = words[2:]
	if name, found := strings.CutPrefix(words[0], "r"); found && len(name) == 32 {
		r.request, words = name, words[1:]
	}
	if len(words) == 0 || len(words) > MaxCharges {
		return receipt{}, bad
	}
	for _, word := range words {
		e, ok := parseEntry(word, r.at)
		if !ok {
			return receipt{}, bad
		}
		r.entries = append(r.entries, e)
	}
	return r, nil
}

func parseEntry(word string, at int64) (entry, bool) {
	fields := strings.Split(word, ".")
	if len(fields) < 2 || len(fields) > 3 || fields[1] == "" {
		return entry{}, false
	}
	granted, ok := parseAmount(fields[0])
	var earlier int64
	if ok && len(fields) == 3 {
		earlier, ok = parseAmount(fields[2])
	}
	return entry{at: at - earlier, granted: granted, digest: fields[1]}, ok && earlier <= at
}

// find returns what the receipt says of a charge, each charge once.
func (r receipt) find(p place, used []bool) (entry, bool) {
	for i, e := range r.entries {
		if !used[i] && e.digest == p.digest() {
			used[i] = true
			return e, true
		}
	}
	return entry{}, false
}

func parseAmount(word string) (int64, bool) {
	n, err := strconv.ParseInt(word, 36, 64)
	return n, err == nil && n >= 0 && n < 1<<53
}

// The reply of every script: the time and whether the call was refused, then
// seven numbers for each charge, and the nonce for a request with an id. The quick
// way's is shorter.
const replyHead, replyCharge = 2, 7

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// decide reads a script's reply to these charges.
func decide(reply []int64, charges []Charge) (Decision, error) {
	if len(reply) == quickLength(charges) {
		return quickDecision(reply, charges), nil
	}
	size := replyHead + replyCharge*len(charges)
	if len(reply) != size && len(reply) != size+1 {
		return Decision{}, &UnavailableError{Op: "take", Kind: KindScript, Unknown: true, Err: fmt.Errorf("a reply of %d numbers to %d charges: is another program's script under this name?", len(reply), len(charges))}
	}
	results := make([]Result, len(charges))
	for i, c := range charges {
		n := reply[replyHead+replyCharge*i:]
		results[i] = Result{
			Limit: c.Limit, Outcome: Allowed + Outcome(n[6]),
			Granted: n[0], Used: n[1], Remaining: n[2],
			RetryAfter: micros(n[3]), ResetAfter: micros(n[4]), Delay: micros(n[5]),
		}
	}
	d := summary(results, charges, reply[1] != 0)
	d.at = reply[0]
	if len(reply) > size {
		d.nonce = uint64(reply[size])
	}
	return d, nil
}

// quickLength is how many numbers the quick way answers to these charges.
func quickLength(charges []Charge) int {
	n := 1
	for _, c := range charges {
		n += len(quickParts[c.Limit.Algorithm].tell)
	}
	return n
}

// quickDecision reads the reply of the quick way: the time, negative where the
// charges were refused, and what quickParts tell of each.
func quickDecision(reply []int64, charges []Charge) Decision {
	at, refused := reply[0], reply[0] < 0
	if refused {
		at = -at
	}
	results := make([]Result, len(charges))
	told := reply[1:]
	for i, c := range charges {
		results[i] = quickResult(c, at, refused, told)
		told = told[len(quickParts[c.Limit.Algorithm].tell):]
	}
	d := summary(results, charges, refused)
	d.at = at
	return d
}

// quickResult is what became of one charge, by what the quick way told of it. What
// follows from the limit and the time alone it did not tell.
func quickResult(c Charge, at int64, refused bool, told []int64) Result {
	r := Result{Limit: c.Limit, Outcome: Allowed, Used: told[0]}
	capacity, window := c.Limit.capacity(), c.Limit.Window.Microseconds()
	switch {
	case !refused:
		r.Granted, r.Used = c.Cost, r.Used+c.Cost
	case c.Cost > capacity:
		r.Outcome = Impossible
	case r.Used+c.Cost > capacity:
		r.Outcome = Limited
	}
	r.Remaining = max(0, capacity-r.Used)
	switch c.Limit.Algorithm {
	case FixedWindow:
		end := micros(window - at%window)
		if r.Used > 0 {
			r.ResetAfter = end
		}
		if r.Outcome == Limited || r.Outcome == Allowed && r.Remaining == 0 {
			r.RetryAfter = end
		}
	case SlidingCounter:
		r.ResetAfter = micros(2*window - at%window)
	case TokenBucket:
		r.ResetAfter = micros(told[1])
	case LeakyBucket:
		r.ResetAfter, r.Delay = micros(told[1]), micros(told[2])
	}
	return r
}

// summary is the decision that the charges' results make together.
func summary(results []Result, charges []Charge, refused bool) Decision {
	d := Decision{Outcome: Allowed, Results: results, Granted: -1, Remaining: -1}
	for i, r := range results {
		d.Version = max(d.Version, charges[i].Version)
		switch {
		case r.Limit.Shadow && r.Outcome != Allowed:
			d.Shadowed = append(d.Shadowed, r.Limit.Name)
			continue
		case r.Limit.Shadow:
			continue
		case r.Outcome != Allowed:
			d.Violated = append(d.Violated, r.Limit.Name)
			d.Outcome = max(d.Outcome, r.Outcome)
		}
		d.Remaining = least(d.Remaining, r.Remaining)
		if charges[i].Cost > 0 {
			d.Granted = least(d.Granted, r.Granted)
		}
		if refused == (r.Outcome != Allowed) {
			d.RetryAfter = max(d.RetryAfter, r.RetryAfter)
		}
		if !refused {
			d.Delay = max(d.Delay, r.Delay)
		}
	}
	d.Granted, d.Remaining = max(d.Granted, 0), max(d.Remaining, 0)
	if d.Outcome == Impossible {
		d.RetryAfter = 0
	}
	slices.Sort(d.Violated)
	slices.Sort(d.Shadowed)
	return d
}

// least is the lesser of two amounts, of which a may be unset (-1).
func least(a, b int64) int64 {
	if a < 0 {
		return b
	}
	return min(a, b)
}
