package limiter

import (
	"fmt"
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
	// SlidingLog remembers the time of every admitted unit. The only one that
	// holds the quota in every window wherever it begins, and the only one
	// whose memory grows with the quota: four bytes for each unit.
	SlidingLog
	// SlidingCounter weighs the count of the window before by what is left of
	// it. 103 in any two seconds, but up to 199 in an unlucky minute.
	SlidingCounter
	// TokenBucket admits a burst and then the quota's steady rate. Like the
	// sliding counter: 103 in two seconds, 199 in an unlucky minute.
	TokenBucket
	// LeakyBucket is a queue that is served at the quota's steady rate: what is
	// admitted is told in Decision.Delay when to start. 4 starts in two
	// seconds, 100 in a minute.
	LeakyBucket
)

// algorithms holds what each Algorithm is called by people and by the scripts,
// and which of scriptParts it needs.
var algorithms = [...]struct {
	name, kind string
	part       int
}{
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
	// MaxQuota is the most that a quota, a burst or a cost may be. Below it the
	// scripts' arithmetic is exact.
	MaxQuota = 999_999_999
	// MaxLogQuota is the most that the quota of a SlidingLog may be: such a log
	// is 400 kB, read and written by every call.
	MaxLogQuota = 100_000
	// MaxWindow is the longest window.
	MaxWindow = 366 * 24 * time.Hour
	// MaxCharges is the most charges that one call may carry.
	MaxCharges = 32
)

// A Limit is a rule: so many units in so long a time. A changed Quota or Burst
// holds from the next call on, with what was used before still counted. A
// changed Name, Algorithm or Window begins a new count.
type Limit struct {
	// Name tells limits of one subject apart, in keys, headers and metrics.
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

// Validate gives nil, or an *InvalidError that says which field cannot be.
func (l Limit) Validate() error {
	bucket := l.Algorithm == TokenBucket || l.Algorithm == LeakyBucket
	switch {
	case l.Name == "":
		return invalid("limit without a name")
	case !l.Algorithm.known():
		return invalid("limit %q: %v is none of the five", l.Name, l.Algorithm)
	case l.Quota < 0 || l.Quota > MaxQuota:
		return invalid("limit %q: quota %d is not from 0 to %d", l.Name, l.Quota, MaxQuota)
	case l.Algorithm == SlidingLog && l.Quota > MaxLogQuota:
		return invalid("limit %q: quota %d is above %d, too many for a log; take a sliding counter", l.Name, l.Quota, MaxLogQuota)
	case l.Window < time.Millisecond || l.Window > MaxWindow || l.Window%time.Microsecond != 0:
		return invalid("limit %q: window %v is not from 1ms to %v in whole microseconds", l.Name, l.Window, MaxWindow)
	case l.Burst < 0 || l.Burst > MaxQuota:
		return invalid("limit %q: burst %d is not from 0 to %d", l.Name, l.Burst, MaxQuota)
	case l.Burst > 0 && !bucket:
		return invalid("limit %q: a %v has no burst", l.Name, l.Algorithm)
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
	// Cost is how many units. 0 asks for none: it reads and writes nothing.
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
	if c.Cost < 0 || c.Cost > MaxQuota {
		return invalid("limit %q: cost %d is not from 0 to %d", c.Limit.Name, c.Cost, MaxQuota)
	}
	return nil
}

// mode is the charge's options in the scripts: a for at most, r for a limit that
// counts refused calls, s for shadow.
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
	return string(b)
}

func invalid(format string, args ...any) error {
	return &InvalidError{Reason: fmt.Sprintf(format, args...)}
}
