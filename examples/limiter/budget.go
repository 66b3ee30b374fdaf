package limiter

import (
	"context"
	"sync/atomic"
	"time"
)

// epochs is how many contexts in turn are current while one budget runs: a call
// has at least all but the last of so many parts of its budget.
const epochs = 16

// A budget says how long a call may take, dialling included. A context with a
// deadline of its own for each call would cost as much as the rest of what this
// package does for it, so that calls of about the same time share one.
type budget struct {
	span    time.Duration
	current atomic.Pointer[epoch]
}

// An epoch is the end of all calls that began while it was the current one.
type epoch struct {
	last time.Time // at which it is given out
	end  time.Time
	done chan struct{} // closed at the end
}

// begin returns the end of a call that begins now.
func (b *budget) begin(now time.Time) *epoch {
	if e := b.current.Load(); e != nil && now.Before(e.last) {
		return e
	}
	e := &epoch{last: now.Add(b.span / epochs), end: now.Add(b.span), done: make(chan struct{})}
	time.AfterFunc(b.span, func() { close(e.done) })
	b.current.Store(e) // of two at once either will do
	return e
}

// bounded is the context of what is sent to Redis: with the caller's values, and
// with the end that the budget sets. Whether the caller is still there, it does
// not tell.
type bounded struct {
	context.Context
	*epoch
}

// Deadline implements context.Context.
func (b bounded) Deadline() (time.Time, bool) { return b.end, true }

// Done implements context.Context.
func (b bounded) Done() <-chan struct{} { return b.done }

// Err implements context.Context.
func (b bounded) Err() error {
	select {
	case <-b.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
