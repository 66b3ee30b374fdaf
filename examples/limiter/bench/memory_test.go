package bench

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/limiter"
)

// filled is how many subjects the memory is measured with.
const filled = 100_000

// TestMemory prints the bytes that each limit of a subject takes, key, expiry and
// Redis' own tables included.
func TestMemory(t *testing.T) {
	hour := func(a limiter.Algorithm, names ...string) []limiter.Limit {
		var all []limiter.Limit
		for _, name := range names {
			all = append(all, limiter.Limit{Name: name, Algorithm: a, Quota: 1000, Window: time.Hour})
		}
		return all
	}
	goals(t)
	for _, row := range []struct {
		what          string
		target, bound string
		packed        bool
		limits        []limiter.Limit
		cost          int64 // a bucket's lasts until all have been filled
	}{
		{"bytes of a fixed window in a key of its own, at most", "133", "140", false, hour(limiter.FixedWindow, "m"), 1},
		{"bytes of each of three fixed windows in one key, at most", "55", "60", true, hour(limiter.FixedWindow, "s", "m", "h"), 1},
		{"bytes of a sliding counter", "", "", false, hour(limiter.SlidingCounter, "m"), 1},
		{"bytes of a token bucket", "", "", false, hour(limiter.TokenBucket, "m"), 500},
		{"bytes of a sliding log of one unit", "", "", false, hour(limiter.SlidingLog, "m"), 1},
	} {
		if testing.Short() && row.bound == "" {
			continue
		}
		t.Logf("%-68s %7s %7s %7.0f", row.what, row.target, row.bound, bytesEach(t, row.packed, row.limits, row.cost))
	}
}

// bytesEach fills a Redis of its own.
func bytesEach(t *testing.T, packed bool, limits []limiter.Limit, cost int64) float64 {
	t.Helper()
	rdb := redis.NewClient(start(t))
	defer rdb.Close()
	l := must(limiter.New(rdb, limiter.Options{Packed: packed, Timeout: 10 * time.Second}))(t)
	var failed atomic.Int64
	take := func(subject string) {
		charges := make([]limiter.Charge, len(limits))
		for i, limit := range limits {
			charges[i] = limiter.Charge{Subject: []string{subject}, Limit: limit, Cost: cost}
		}
		if _, err := l.Take(bg, charges...); err != nil {
			failed.Add(1)
		}
	}
	take("warm")
	before := data(t, rdb)
	var wg sync.WaitGroup
	for n := range callers {
		wg.Go(func() {
			for i := n; i < filled; i += callers {
				take(fmt.Sprintf("u%06d", i))
			}
		})
	}
	wg.Wait()
	if failed.Load() > 0 {
		t.Logf("%d calls failed", failed.Load())
	}
	return (data(t, rdb) - before) / filled / float64(len(limits))
}

// data is the memory of Redis without the buffers of its clients.
func data(t *testing.T, rdb *redis.Client) float64 {
	t.Helper()
	return info(t, rdb, "memory", "used_memory") - info(t, rdb, "memory", "mem_clients_normal")
}
