package main

import (
	"testing"
	"time"

	"verbatim/examples/lab/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m, main) }

// Alone, every counter is right: the race needs two servers.
func TestOneServer(t *testing.T) {
	l := labtest.Open(t)
	for name, count := range counters {
		admitted := 0
		for range limit + 20 {
			allowed, err := count(t.Context(), l.Redis(), name)
			if err != nil {
				t.Fatal(err)
			}
			if allowed {
				admitted++
			}
		}
		longest := window
		if name == "bucket" {
			longest = limit * 24 * time.Hour // until it is full again
		}
		if left := l.Redis().TTL(t.Context(), name).Val(); admitted != limit || left <= 0 || left > longest {
			t.Errorf("%s: %d admitted, the key expires in %v; want %d, and within %v", name, admitted, left, limit, longest)
		}
	}
}

// The script creates its key with an expiry and never moves it.
func TestScriptKeepsExpiry(t *testing.T) {
	ctx, rdb := t.Context(), labtest.Open(t).Redis()
	if _, err := script(ctx, rdb, "k"); err != nil {
		t.Fatal(err)
	}
	end := time.Unix(4102444800, 0)
	rdb.ExpireAt(ctx, "k", end)
	for range limit + 1 {
		if _, err := script(ctx, rdb, "k"); err != nil {
			t.Fatal(err)
		}
	}
	if got := rdb.ExpireTime(ctx, "k").Val(); got != time.Duration(end.Unix())*time.Second {
		t.Errorf("expires at %d s, want %d", int64(got.Seconds()), end.Unix())
	}
}

// Alone, the program prints what it printed in the build.
func TestAlone(t *testing.T) { labtest.Recorded(t) }
