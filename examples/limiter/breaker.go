package limiter

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// A breaker stops calls to a Redis that does not answer. After so many failures
// in a row it is open and lets nothing through but one probe in each pause;
// any answer closes it.
type breaker struct {
	most    int32
	pause   time.Duration
	changed func(open bool, cause error) // called with the mutex held, in order

	failures atomic.Int32 // in a row
	open     atomic.Bool

	mu    sync.Mutex
	until time.Time // when the next probe may go
}

// allow says whether a call may go, or else how long the breaker stays open.
func (b *breaker) allow() (time.Duration, bool) {
	if !b.open.Load() {
		return 0, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open.Load() {
		return 0, true
	}
	wait := time.Until(b.until)
	if wait > 0 {
		return wait, false
	}
	b.until = time.Now().Add(b.spread()) // this call is the probe of this pause
	return 0, true
}

// record hears how a call that was allowed ended.
func (b *breaker) record(err error) {
	switch {
	case err == nil || answered(err):
		b.succeed()
	case givenUp(err): // by its caller: it says nothing about Redis
	default:
		b.fail(err)
	}
}

func (b *breaker) succeed() {
	if b.failures.Load() != 0 {
		b.failures.Store(0)
	}
	if !b.open.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open.CompareAndSwap(true, false) {
		b.changed(false, nil)
	}
}

func (b *breaker) fail(cause error) {
	if b.failures.Add(1) < b.most || b.open.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until = time.Now().Add(b.spread())
	if b.open.CompareAndSwap(false, true) {
		b.changed(true, cause)
	}
}

// spread is the pause, give or take a fifth, so that many servers do not probe
// in step.
func (b *breaker) spread() time.Duration {
	return time.Duration(float64(b.pause) * (0.8 + 0.4*rand.Float64()))
}
