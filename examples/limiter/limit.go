package limiter

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// An Algorithm says how the use of a limit is counted.
type Algorithm uint8

// The five algorithms. They differ in what a client may do in the worst case;
// the figures are for 100 per minute after a quiet time, with the client
// calling as fast as it can.
const (
	// FixedWindow counts in windows that are aligned to the clock (whole
	// minutes for a minute). Cheapest; two windows that meet let twice the
	// quota through: 200 in two seconds.
	FixedWindow Algorithm = iota + 1
	// SlidingLog stores the time of every admitted unit. The only one that
	// holds the quota in every window wherever it begins, and the only one
	// whose memory grows with the quota: four bytes for each unit.
	SlidingLog
	// SlidingCounter weighs the count of the window before by what is left of
	// it. 103 in any two seconds, but up to 199 in an unlucky minute.
	SlidingCounter
	// TokenBucket admits a burst and then the quota's steady rate. Like the
	// sliding counter: 103 in two seconds, 199 in an unlucky minute.
	TokenBucket
	// LeakyBucket is a queue that is served at the quota's steady rate: Decision.Delay
	// is when an admitted call may start. 4 starts in two
	// seconds, 100 in a minute.
	LeakyBucket
)

// An algorithm holds what an Algorithm is called by people and by the scripts,
// and which of scriptParts it needs.
type algorithm struct {
	name, kind string
	part       int
}

var algorithms = [...]algorithm{
	FixedWindow:    {"fixed window", "f", 0},
	SlidingLog:     {"sliding log", "l", 1},
	SlidingCounter: {"sliding counter", "c", 2},
	TokenBucket:    {"token bucket", "b", 3},
	LeakyBucket:    {"leaky bucket", "q", 3},
}

func (a Algorithm) known() bool { return a >= FixedWindow && a <= LeakyBucket }

// String names the algorithm in words, "fixed window".
func (a Algorithm) String() string {
	if !a.known() {
		return "algorithm " + strconv.Itoa(int(a))
	}
	return algorithms[a].name
}

const (
	// MaxQuota is the most that the quota of a FixedWindow may be, or the cost of
	// a charge: bytes and cents fit.
	MaxQuota = 1_000_000_000_000
	// MaxRateQuota is the most that the quota or burst of a SlidingCounter, a
	// TokenBucket or a LeakyBucket may be, and the cost of a charge on one. Their
	// scripts count millionths of a unit, which doubles hold exactly up to there.
	MaxRateQuota = 999_999_999
	// MaxLogQuota is the most that the quota of a SlidingLog may be: such a log
	// is 400 kB, read and written by every call.
	MaxLogQuota = 100_000
	// MaxWindow is the longest window.
	MaxWindow = 366 * 24 * time.Hour
	// MaxCharges is the most charges that one call may carry.
	MaxCharges = 32
)

// A PlanChange says what becomes of what is in use when the quota of a limit
// changes. Whatever is chosen, no client then waits longer than the new limit takes
// to refill: what is above the capacity of a bucket is forgiven.
type PlanChange uint8

const (
	// Keep counts the same units against the new quota: who has used 100 of 100
	// has 400 left of 500. It is the default. A bucket drains at the old quota up
	// to the first call under the new one.
	Keep PlanChange = iota
	// Scale changes what is in use in proportion, rounded up: who has used 50 of
	// 100 has used 250 of 500. A SlidingLog, which holds the time of each unit,
	// cannot.
	Scale
	// Reset begins a new count.
	Reset
)

// String is "keep", "scale" or "reset".
func (p PlanChange) String() string {
	return [...]string{"keep", "scale", "reset", "unknown"}[min(p, 3)]
}

// A Limit is a rule: so many units in so long a time. A changed Quota or Burst
// holds from the next call on, and OnChange says what becomes of what was used
// before. A changed Name, Algorithm or Window begins a new count.
type Limit struct {
	// Name identifies a limit of a subject, in keys, headers and metrics.
	// It is configuration, never something that a client sent.
	Name string
	// Algorithm says how use is counted.
	Algorithm Algorithm
	// Quota is how many units are admitted per Window; 0 admits none.
	Quota int64
	// Window is a whole number of microseconds, at least a millisecond.
	Window time.Duration
	// Burst is the size of a bucket: the units that a TokenBucket admits at
	// once, or the length of a LeakyBucket's queue. 0 means Quota. The other
	// algorithms have none.
	Burst int64
	// Shadow limits are counted and reported and refuse nobody: a way to see
	// what a limit would do before it does.
	Shadow bool
	// OnChange says what a change of the Quota does to what is in use; Keep by
	// default. Scale and Reset cost 14 bytes more for each key, except for
	// buckets. Units that were taken before such a change, or before the quota
	// of a bucket was lowered, cannot be refunded: they cannot be told from
	// later ones any more.
	OnChange PlanChange
	// CountRefused counts the units of refused calls too, as a plain INCR does:
	// a client that never pauses is then never served again. Off by default:
	// only what was admitted counts. Windows that are counted by a number have
	// it, FixedWindow and SlidingCounter.
	CountRefused bool
}

// capacity is the most units that can be in use at once.
func (l Limit) capacity() int64 {
	if l.Burst > 0 {
		return l.Burst
	}
	return l.Quota
}

// maxQuota is the most that a quota, a burst or a cost may be.
func (a Algorithm) maxQuota() int64 {
	if a == FixedWindow {
		return MaxQuota
	}
	return MaxRateQuota
}

// Validate returns nil, or an *InvalidError that says which field cannot be.
func (l Limit) Validate() error {
	bucket := l.Algorithm == TokenBucket || l.Algorithm == LeakyBucket
	most := l.Algorithm.maxQuota()
	switch {
	case l.Name == "":
		return invalid("limit without a name")
	case !l.Algorithm.known():
		return invalid("limit %q: %v is none of the five", l.Name, l.Algorithm)
	case l.Quota > most && l.Quota <= MaxQuota:
		return invalid("limit %q: quota %d is above %d, beyond which a %v cannot count exactly; take a fixed window, or coarser units", l.Name, l.Quota, most, l.Algorithm)
	case l.Quota < 0 || l.Quota > most:
		return invalid("limit %q: quota %d is not from 0 to %d", l.Name, l.Quota, most)
	case l.Algorithm == SlidingLog && l.Quota > MaxLogQuota:
		return invalid("limit %q: quota %d is above %d, too many for a log; take a sliding counter", l.Name, l.Quota, MaxLogQuota)
	case l.Window < time.Millisecond || l.Window > MaxWindow || l.Window%time.Microsecond != 0:
		return invalid("limit %q: window %v is not from 1ms to %v in whole microseconds", l.Name, l.Window, MaxWindow)
	case l.Burst < 0 || l.Burst > most:
		return invalid("limit %q: burst %d is not from 0 to %d", l.Name, l.Burst, most)
	case l.Burst > 0 && !bucket:
		return invalid("limit %q: a %v has no burst", l.Name, l.Algorithm)
	case l.OnChange > Reset:
		return invalid("limit %q: OnChange is none of Keep, Scale and Reset", l.Name)
	case l.OnChange == Scale && l.Algorithm == SlidingLog:
		return invalid("limit %q: a sliding log holds the time of each unit and cannot scale; choose Keep or Reset", l.Name)
	case l.CountRefused && l.Algorithm != FixedWindow && l.Algorithm != SlidingCounter:
		return invalid("limit %q: a %v cannot count refused calls; a fixed window or a sliding counter can", l.Name, l.Algorithm)
	}
	return nil
}

// A Charge asks for units of one limit on behalf of one subject.
type Charge struct {
	// Subject says who is charged, from the general to the particular, such as
	// {"tenant", "7", "user", "ada"}. Parts may hold any bytes; {"a_b", "c"}
	// and {"a", "b_c"} are two subjects.
	Subject []string
	// Limit is the rule.
	Limit Limit
	// Cost is how many units; 0 is 1, except in a Peek, where it asks for none.
	Cost int64
	// AtMost takes what is there, up to Cost, and is refused only where not
	// one whole unit is left. Several such charges in one call are granted the
	// same number: the least that any of them has.
	AtMost bool
	// Version is that of the Plans which the limit comes from; it is only
	// reported. Plans.Charge sets it.
	Version int64
}

func (c Charge) validate() error {
	if err := c.Limit.Validate(); err != nil {
		return err
	}
	if len(c.Subject) == 0 {
		return invalid("limit %q: a charge without a subject", c.Limit.Name)
	}
	if most := c.Limit.Algorithm.maxQuota(); c.Cost < 0 || c.Cost > most {
		return invalid("limit %q: cost %d is not from 0 to %d", c.Limit.Name, c.Cost, most)
	}
	return nil
}

// withCosts returns the charges with a cost of 1 where none was given.
func withCosts(charges []Charge) []Charge {
	some := func(c Charge) bool { return c.Cost == 0 }
	if !slices.ContainsFunc(charges, some) {
		return charges
	}
	charges = slices.Clone(charges)
	for i := range charges {
		charges[i].Cost = cmp.Or(charges[i].Cost, 1)
	}
	return charges
}

// mode is the charge's options in the scripts; see lua/base.lua.
func (c Charge) mode() string {
	var b []byte
	if c.AtMost {
		b = append(b, 'a')
	}
	if c.Limit.CountRefused {
		b = append(b, 'r')
	}
	if c.Limit.Shadow {
		b = append(b, 's')
	}
	switch c.Limit.OnChange {
	case Scale:
		b = append(b, 'p')
	case Reset:
		b = append(b, 'z')
	}
	return string(b)
}

func invalid(format string, args ...any) error {
	return &InvalidError{Reason: fmt.Sprintf(format, args...)}
}
