package limiter

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// breakerPatience is how long Redis must have answered nothing before the breaker
// opens: shorter stalls, such as a fork or a slow script, end by themselves.
const breakerPatience = 200 * time.Millisecond

// A breaker stops calls to a Redis that does not answer. It counts attempts, which
// are round trips of the limiter's own, however many calls share one and however
// long their callers wait. So many failed attempts in a row, over breakerPatience
// or longer, open it; then it lets one probe through in each pause, and any answer
// closes it. The pause doubles from a sixteenth of its length on, so that a short
// outage ends soon.
type breaker struct {
	most    int32
	pause   time.Duration
	changed func(open bool, cause error) // called with the mutex held, in order

	failures atomic.Int32 // attempts in a row
	open     atomic.Bool

	mu      sync.Mutex
	since   time.Time     // when the first of these failures was seen
	current time.Duration // the pause between probes now
	until   time.Time     // when the next probe may go
}

// allow reports whether a call may go, or else how long the breaker stays open.
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
	b.rest() // this call is the probe of this pause
	return 0, true
}

// record notes how an attempt ended.
func (b *breaker) record(err error) {
	if err == nil || answered(err) {
		b.succeed()
		return
	}
	b.fail(err)
}

func (b *breaker) succeed() {
	if b.failures.Load() == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures.Store(0)
	if b.open.CompareAndSwap(true, false) {
		b.changed(false, nil)
	}
}

func (b *breaker) fail(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.failures.Add(1) == 1 {
		b.since = now
	}
	if b.open.Load() || b.failures.Load() < b.most || now.Sub(b.since) < breakerPatience {
		return
	}
	b.current = b.pause / 32
	b.rest()
	b.open.Store(true)
	b.changed(true, cause)
}

// rest begins the next pause, give or take a fifth, so that many servers do not
// probe in step.
func (b *breaker) rest() {
	b.current = min(2*b.current, b.pause)
	b.until = time.Now().Add(time.Duration(float64(b.current) * (0.8 + 0.4*rand.Float64())))
}
