package main

import "time"

// [bucket]
// A TokenBucket limits the callers of one process.
type TokenBucket struct {
	capacity float64   // the most it holds: the largest burst
	refill   float64   // tokens a second: the sustained rate
	tokens   float64   // what it held at the time last
	last     time.Time // of the last call
}

// NewTokenBucket makes a full bucket.
func NewTokenBucket(capacity, refill float64, now time.Time) *TokenBucket {
	return &TokenBucket{capacity, refill, capacity, now}
}

// Allow takes cost tokens, if there are as many, and tells
// whether there were. Calls of several goroutines need a lock.
func (b *TokenBucket) Allow(now time.Time, cost float64) bool {
	elapsed := now.Sub(b.last).Seconds()
	if elapsed > 0 { // clocks can go back, too
		b.tokens = min(b.capacity, b.tokens+elapsed*b.refill)
		b.last = now
	}
	if b.tokens < cost {
		return false
	}
	b.tokens -= cost
	return true
}

// [/bucket]
