package limiter

import (
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

	at    int64   // microseconds, on the clock that decided
	times []int64 // the same for each charge, where several clocks did
	nonce uint64  // tells calls of one microsecond apart
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

// ID names this decision for Refund. It says when and how much was taken, so
// that no more comes back. It is made of letters, digits, dots and hyphens.
func (d Decision) ID() string {
	var b strings.Builder
	b.WriteString(strconv.FormatInt(d.at, 36))
	b.WriteByte('-')
	b.WriteString(strconv.FormatUint(d.nonce, 36))
	for i, r := range d.Results {
		b.WriteByte('-')
		b.WriteString(strconv.FormatInt(r.Granted, 36))
		if d.times != nil {
			b.WriteByte('.')
			b.WriteString(strconv.FormatInt(d.at-d.times[i], 36))
		}
	}
	return b.String()
}

// taken is what an ID says of one charge.
type taken struct{ at, granted int64 }

// parseID reads WHEN-NONCE and then -GRANTED or -GRANTED.EARLIER for each charge.
func parseID(id string) ([]taken, error) {
	bad := invalid("%q is no decision's id", id)
	words := strings.Split(id, "-")
	if len(words) < 3 || len(words) > 2+MaxCharges {
		return nil, bad
	}
	at, ok := parseAmount(words[0])
	if _, err := strconv.ParseUint(words[1], 36, 64); err != nil || !ok {
		return nil, bad
	}
	all := make([]taken, len(words)-2)
	for i, word := range words[2:] {
		word, before, split := strings.Cut(word, ".")
		granted, ok := parseAmount(word)
		var earlier int64
		if ok && split {
			earlier, ok = parseAmount(before)
		}
		if !ok || earlier > at {
			return nil, bad
		}
		all[i] = taken{at - earlier, granted}
	}
	return all, nil
}

func parseAmount(word string) (int64, bool) {
	n, err := strconv.ParseInt(word, 36, 64)
	return n, err == nil && n >= 0 && n < 1<<53
}

// The reply of every script: the time and whether the call was refused, then
// seven numbers for each charge. The quick way's is shorter.
const replyHead, replyCharge = 2, 7

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// decide reads a script's reply to these charges.
func decide(reply []int64, charges []Charge) (Decision, error) {
	if len(reply) == quickLength(charges) {
		return quickDecision(reply, charges), nil
	}
	if len(reply) != replyHead+replyCharge*len(charges) {
		return Decision{}, invalid("a reply of %d numbers to %d charges: is another program's script under this name?", len(reply), len(charges))
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
