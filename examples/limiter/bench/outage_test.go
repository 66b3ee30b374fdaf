package bench

import (
	"net"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/limiter"
)

// TestOutage prints how long a caller waits for an error from a Redis that accepts
// connections and never answers.
func TestOutage(t *testing.T) {
	deaf := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer deaf.Close() // the system takes connections for it, and nobody reads them
	rdb := redis.NewUniversalClient(limiter.ClientOptions(deaf.Addr().String()))
	defer rdb.Close()
	charge := limiter.Charge{Subject: []string{"ada"}, Limit: plenty("m"), Cost: 1}
	l := must(limiter.New(rdb, limiter.Options{Pause: time.Minute}))(t)
	wait := func() time.Duration {
		begin := time.Now()
		if _, err := l.Take(bg, charge); err == nil {
			t.Error("a decision without a Redis")
		}
		return time.Since(begin)
	}
	closed := wait()
	for begin := time.Now(); time.Since(begin) < time.Second; { // it opens after 200 ms of failures
		wait()
	}
	var open []time.Duration
	for range 1000 {
		open = append(open, wait())
	}
	slices.Sort(open)
	goals(t)
	t.Logf("%-68s %7s %7s %7s", "time to no decision, first call, at most", "60ms", "150ms", closed.Round(100*time.Microsecond))
	t.Logf("%-68s %7s %7s %7s", "the same, breaker open (median), at most", "100µs", "1ms", open[len(open)/2])
}
