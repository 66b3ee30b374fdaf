package limiter

import (
	"bytes"
	"errors"
	"expvar"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
)

// heard collects what a limiter reports to its metrics.
type heard struct {
	mu        sync.Mutex
	decided   map[Outcome]int
	down      int
	fallbacks map[Fallback]int
	breaker   []bool
}

func newHeard() *heard {
	return &heard{decided: map[Outcome]int{}, fallbacks: map[Fallback]int{}}
}

func (h *heard) Decided(_ string, d Decision, _ time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.decided[d.Outcome]++
}

func (h *heard) Unavailable(*UnavailableError) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down++
}

func (h *heard) Fallback(f Fallback, _ Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fallbacks[f]++
}

func (h *heard) Breaker(open bool, _ error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.breaker = append(h.breaker, open)
}

// Nothing listens: the breaker opens after its failures, not before 200 ms of
// them, and from then on one call in each pause dials.
func TestConnectionRefused(t *testing.T) {
	nowhere := nobody(t)
	o := ClientOptions(nowhere).Simple()
	to := &failover{}
	to.addr.Store(&nowhere)
	o.Dialer = to.dial
	rdb := redis.NewClient(o)
	t.Cleanup(func() { rdb.Close() })
	hear := newHeard()
	const pause = time.Hour // no probe while the test runs
	lim := newLimiter(t, rdb, Options{Failures: 5, Pause: pause, Metrics: hear})
	fail := func() *UnavailableError {
		_, err := lim.Take(bg, charge(long(FixedWindow, 5)))
		down := mustBeDown(t, err)
		if down.Unknown {
			t.Fatalf("nothing was sent, yet %v", err)
		}
		return down
	}
	begin, calls := time.Now(), 0
	for ; fail().Kind == KindDial; calls++ {
		time.Sleep(time.Millisecond)
	}
	if open := time.Since(begin); open < breakerPatience {
		t.Errorf("open after %v", open)
	}
	dials := to.dials.Load()
	for range 10_000 {
		if k := fail().Kind; k != KindOpen {
			t.Fatalf("kind %q while the breaker is open", k)
		}
	}
	if n := to.dials.Load(); n != dials || dials < 5 {
		t.Errorf("%d dials before the breaker opened, %d after", dials, n-dials)
	}
	if hear.down != 10_001+calls || len(hear.breaker) != 1 || hear.decided[Limited] != 0 {
		t.Errorf("heard %d failures, breaker %v, decided %v", hear.down, hear.breaker, hear.decided)
	}
}

// Half open: one probe in each pause, by whichever caller comes first.
func TestProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var changes []bool
		b := &breaker{most: 2, pause: 20 * time.Millisecond, changed: func(open bool, _ error) { changes = append(changes, open) }}
		down := errors.New("no answer")
		b.record(down)
		if _, ok := b.allow(); !ok {
			t.Fatal("open after one failure of two")
		}
		b.record(nil)
		for range 1000 {
			b.record(down)
		}
		if _, ok := b.allow(); !ok {
			t.Fatal("open after a thousand failures in no time")
		}
		time.Sleep(breakerPatience - 1)
		b.record(nil)
		b.record(down)
		time.Sleep(breakerPatience)
		b.record(down)
		var pauses []time.Duration
		for wait, ok := b.allow(); !ok && len(pauses) < 6; wait, ok = b.allow() {
			pauses = append(pauses, wait)
			time.Sleep(wait)
			if _, ok := b.allow(); !ok {
				t.Fatal("no probe after the pause")
			}
			b.record(down)
		}
		for i, want := range []time.Duration{1250 * time.Microsecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 20 * time.Millisecond} {
			if i >= len(pauses) || pauses[i] < want*8/10 || pauses[i] > want*12/10 {
				t.Fatalf("pauses %v, the %d. is not %v or so", pauses, i+1, want)
			}
		}
		for range 3 {
			time.Sleep(24 * time.Millisecond)
			var probes atomic.Int64
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() {
					if _, ok := b.allow(); ok {
						probes.Add(1)
					}
				})
			}
			wg.Wait()
			if n := probes.Load(); n != 1 {
				t.Errorf("%d probes in one pause", n)
			}
			b.record(down)
		}
		b.record(nil)
		if _, ok := b.allow(); !ok || len(changes) != 2 || !changes[0] || changes[1] {
			t.Errorf("closed again: %t, changes %v", ok, changes)
		}
	})
}

// A network that swallows everything: calls end in time, the breaker opens, and
// closes when the network is back.
func TestPartition(t *testing.T) {
	s := newServer(t)
	p := newProxy(t, s.addr)
	o := s.options()
	o.Addr = p.addr
	rdb := redis.NewClient(o)
	t.Cleanup(func() { rdb.Close() })
	hear := newHeard()
	var log bytes.Buffer
	counts := new(expvar.Map).Init()
	l := newLimiter(t, rdb, Options{
		Timeout: 100 * time.Millisecond, Failures: 3, Pause: 50 * time.Millisecond,
		Metrics: MetricsList{hear, NewExpvarMetrics(counts), NewSlogMetrics(slog.New(slog.NewTextHandler(&log, nil)))},
	})
	c := charge(long(FixedWindow, 1000))
	eventually(t, l, c)
	p.silent.Store(true)
	for range 40 {
		if _, err := l.Take(bg, c); err == nil {
			t.Fatal("a decision came through a dead network")
		}
		time.Sleep(time.Millisecond)
	}
	p.silent.Store(false)
	p.cut() // what was swallowed is lost: TCP would send it again or give up
	eventually(t, l, c)
	hear.mu.Lock()
	defer hear.mu.Unlock()
	if len(hear.breaker) < 2 || !hear.breaker[0] || hear.breaker[len(hear.breaker)-1] || hear.decided[Limited] != 0 {
		t.Errorf("breaker went %v, decided %v", hear.breaker, hear.decided)
	}
	if lines := strings.Count(log.String(), "has "); lines != len(hear.breaker) || strings.Count(log.String(), "gets no decision") < 1 || strings.Count(log.String(), "\n") > len(hear.breaker)+4 {
		t.Errorf("%d lines of log for %d changes:\n%s", lines, len(hear.breaker), log.String())
	}
	if n, _ := counts.Get("unavailable").(*expvar.Int); n == nil || n.Value() != int64(hear.down) {
		t.Errorf("expvar counted %v of %d failures", n, hear.down)
	}
}
