package tokenbucket

import (
	"sync"
	"testing"
	"time"

	"verbatim/examples/lab/labtest"
)

// The script on a bucket in a given state. Redis's clock is real, so refill
// rates are either so slow that a test sees no new token, or the state says that
// the last call was long ago.
func TestTake(t *testing.T) {
	rdb := labtest.Open(t).Redis()
	const slow = 1.0 / 3600
	for _, row := range []struct {
		what                 string
		tokens               string // "": no bucket
		ago                  time.Duration
		capacity, rate, cost float64
		wait                 int
		left                 float64
	}{
		{"a new bucket is full", "", 0, 5, slow, 5, 0, 0},
		{"and no fuller", "", 0, 5, slow, 6, 3600, 5},
		{"the last token", "1", 0, 5, slow, 1, 0, 0},
		{"no token", "0", 0, 5, slow, 1, 3600, 0},
		{"half a token", "0.5", 0, 5, slow, 1, 1800, 0.5},
		{"too few: none is taken", "3", 0, 5, slow, 4, 3600, 3},
		{"refilled by time", "0", 10 * time.Minute, 5, 1.0 / 120, 5, 0, 0},
		{"not beyond the capacity", "0", time.Hour, 5, 1, 2, 0, 3},
		{"the clock was set back: no refill, no loss", "2", -time.Hour, 5, 1, 1, 0, 1},
		{"a wait is rounded up", "0", 0, 5, 1.0 / 1.5, 1, 2, 0},
		{"costs may be fractions", "0.75", 0, 5, slow, 0.5, 0, 0.25},
	} {
		t.Run(row.what, func(t *testing.T) {
			ctx := t.Context()
			rdb.FlushDB(ctx)
			if row.tokens != "" {
				now, err := rdb.Time(ctx).Result()
				if err != nil {
					t.Fatal(err)
				}
				rdb.HSet(ctx, "b", "tokens", row.tokens, "last", float64(now.Add(-row.ago).UnixMicro())/1e6)
			}
			wait, err := Take(ctx, rdb, "b", row.capacity, row.rate, row.cost)
			if err != nil {
				t.Fatal(err)
			}
			left := row.capacity
			if rdb.Exists(ctx, "b").Val() == 1 { // a full bucket needs no key
				left, err = rdb.HGet(ctx, "b", "tokens").Float64()
			}
			const second = 1.0 // of a slow test, in tokens of the fastest refill that is compared exactly
			if slip := left - row.left; err != nil || wait > row.wait || wait < row.wait-1 || slip < -1e-9 || slip > second*row.rate {
				t.Errorf("wait %d s, %g left, %v; want %d s, %g left", wait, left, err, row.wait, row.left)
			}
			life, full := rdb.PTTL(ctx, "b").Val(), time.Duration((row.capacity-left)/row.rate*float64(time.Second))
			if left < row.capacity && (life <= 0 || life > full+time.Second) {
				t.Errorf("the key expires in %v; the bucket is full in %v", life, full)
			}
		})
	}
}

// Callers at the same time get exactly the tokens that there are.
func TestTakeTogether(t *testing.T) {
	rdb := labtest.Open(t).Redis()
	var mu sync.Mutex
	allowed := 0
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 20 {
				wait, err := Take(t.Context(), rdb, "b", 100, 1.0/86400, 1)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				if wait == 0 {
					allowed++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if allowed != 100 {
		t.Errorf("%d of 400 allowed, want 100", allowed)
	}
}
