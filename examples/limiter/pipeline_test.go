package limiter

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// Many callers share round trips; few do not.
func TestSharing(t *testing.T) {
	rdb := sharedClient(t)
	n := &trips{}
	rdb.AddHook(n)
	l := newLimiter(t, rdb, Options{})
	c := charge(long(SlidingCounter, 1_000_000))
	for range 100 {
		take(t, l, c)
	}
	if n.pipelines.Load() != 0 {
		t.Errorf("one caller made %d pipelines", n.pipelines.Load())
	}
	n.commands.Store(0)
	var wg sync.WaitGroup
	var wrong atomic.Int64
	for i := range 64 {
		wg.Go(func() {
			own := c
			own.Subject = []string{fmt.Sprint(i)}
			for j := range 100 {
				d, err := l.Take(bg, own)
				if err != nil || d.Results[0].Used != int64(j+1) {
					wrong.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if wrong.Load() != 0 {
		t.Errorf("%d callers got another's answer, or none", wrong.Load())
	}
	if trips := n.commands.Load() + n.pipelines.Load(); trips > 6400/2 {
		t.Errorf("64 callers made %d round trips for 6400 calls", trips)
	}
	if n := l.store.nodes.single.wire.inFlight.Load(); n != 0 {
		t.Errorf("%d calls are in flight for ever", n)
	}
}

// A caller that leaves before its call is sent is not charged, and knows it.
func TestAbandoned(t *testing.T) {
	s := newServer(t)
	l := newLimiter(t, s.client(t), Options{Failures: 1000})
	l.store.nodes.single.wire.above = 0
	c := charge(long(FixedWindow, 100))
	take(t, l, c)
	onTheirWay := func(n int) {
		waitFor(t, "calls are on their way", func() bool {
			l.store.nodes.single.wire.mu.Lock()
			defer l.store.nodes.single.wire.mu.Unlock()
			return l.store.nodes.single.wire.senders == n && len(l.store.nodes.single.wire.queue) == 0
		})
	}
	onTheirWay(0)
	s.pause()
	var wg sync.WaitGroup
	for i := range maxSenders { // each occupies a sender
		wg.Go(func() { take(t, l, c) })
		onTheirWay(i + 1)
	}
	ctx, leave := context.WithCancel(bg)
	go func() {
		defer leave()
		waitFor(t, "the call waits", func() bool {
			l.store.nodes.single.wire.mu.Lock()
			defer l.store.nodes.single.wire.mu.Unlock()
			return len(l.store.nodes.single.wire.queue) == 1
		})
	}()
	_, err := l.Take(ctx, c)
	s.resume()
	if down := mustBeDown(t, err); down.Unknown {
		t.Errorf("a call that was never sent: %v", err)
	}
	wg.Wait()
	if n := used(t, l, c); n != 1+maxSenders {
		t.Errorf("used %d, want %d", n, 1+maxSenders)
	}
}
