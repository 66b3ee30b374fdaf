package main

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
	"verbatim/examples/lab/labtest"
)

// Every state makes one key that ends for each client, or is not measured.
func TestFillCounts(t *testing.T) {
	l := labtest.Open(t)
	for _, s := range states {
		if _, err := s.fill(t.Context(), l.Redis(), 3); err != nil {
			t.Errorf("%s: %v", s.name, err)
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
	l := labtest.Open(t)
	counted, err := count(t.Context(), l.Redis())
	if err != nil {
		t.Fatal(err)
	}
	all, err := ways(l.Redis())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]lab.Traffic{
		"local":        {Trips: 0, Commands: 0},
		"get_set":      {Trips: 3, Commands: 3},
		"pipeline":     {Trips: 1, Commands: 2},
		"script":       {Trips: 1, Commands: 1},
		"three_calls":  {Trips: 3, Commands: 3},
		"three_limits": {Trips: 1, Commands: 1},
	}
	for i, w := range all {
		if counted[i] != want[w.name] {
			t.Errorf("%s: %+v, want %+v", w.text, counted[i], want[w.name])
		}
	}
}
