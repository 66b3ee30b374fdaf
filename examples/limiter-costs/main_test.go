package main

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

// Every state makes one key that ends for each client, or is not measured.
func TestFillCounts(t *testing.T) {
	l := open(t)
	for _, s := range slices.Concat(counts, logs) {
		if _, err := s.fill(t.Context(), l.Redis(), 3); err != nil {
			t.Errorf("%s: %v", s.text, err)
		}
	}
	forever := state{store: func(ctx context.Context, rdb *redis.Client, clients int) error {
		return rdb.Set(ctx, "k", 1, 0).Err()
	}}
	if _, err := forever.fill(t.Context(), l.Redis(), 1); err == nil {
		t.Error("a key that never ends was measured")
	}
}

// One decision is one round trip, however many limits it is about.
func TestTripsOfADecision(t *testing.T) {
	l := open(t)
	counted, err := count(t.Context(), l.Redis())
	if err != nil {
		t.Fatal(err)
	}
	all, err := ways(l.Redis())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]traffic{
		"local":        {0, 0},
		"get_set":      {3, 3},
		"pipeline":     {1, 2},
		"script":       {1, 1},
		"three_calls":  {3, 3},
		"three_limits": {1, 1},
	}
	for i, w := range all {
		if counted[i] != want[w.name] {
			t.Errorf("%s: %+v, want %+v", w.text, counted[i], want[w.name])
		}
	}
}

// open gives a lab on a redis-server of its own, or skips.
func open(t *testing.T) *lab.Lab {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), "redis") {
			t.Fatal("VERBATIM_REQUIRE names redis, but redis-server is not on PATH")
		}
		t.Skip("needs redis-server on PATH")
	}
	t.Setenv("REDIS_URL", "")
	l, err := lab.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}
