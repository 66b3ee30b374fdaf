package tokenbucket

import "time"

// [local]

// Local is a token bucket for the callers of one process.
type Local struct {
	Capacity float64   // the largest burst
	Refill   float64   // tokens a second
	tokens   float64   // tokens in the bucket at the time last
	last     time.Time // the last call; zero before the first
}

// Allow takes cost tokens if the bucket holds that many, and
// reports whether it did. If goroutines share a Local, lock it.
func (b *Local) Allow(now time.Time, cost float64) bool {
	if b.last.IsZero() {
		b.tokens, b.last = b.Capacity, now // a new bucket is full
	}
	elapsed := now.Sub(b.last).Seconds()
	if elapsed > 0 { // a clock can be set back
		b.tokens = min(b.Capacity, b.tokens+elapsed*b.Refill)
		b.last = now
	}
	if b.tokens < cost {
		return false
	}
	b.tokens -= cost
	return true
}

// [/local]
