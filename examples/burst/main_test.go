package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"verbatim/examples/lab/labtest"
	"verbatim/examples/limiter"
)

func TestBusiest(t *testing.T) {
	for _, test := range []struct {
		times string
		most  int
	}{
		{"", 0},
		{"0s", 1},
		{"0s 0s 0s", 3},
		{"0s 1s 1999ms", 3},
		{"0s 1s 2s", 2}, // the span's end is not part of it
		{"0s 5s 6s 6s 9s", 3},
	} {
		var times []time.Duration
		for _, word := range strings.Fields(test.times) {
			d, err := time.ParseDuration(word)
			if err != nil {
				t.Fatal(err)
			}
			times = append(times, d)
		}
		if most := busiest(times, 2*time.Second); most != test.most {
			t.Errorf("%q: %d in 2 s, want %d", test.times, most, test.most)
		}
	}
}

// The greedy client leaves out tries that it was told to be in vain. They are:
// one that makes them all gets no more.
func TestGreedyMissesNothing(t *testing.T) {
	l := labtest.Open(t)
	const gap, end = 10 * time.Millisecond, 5 * time.Second
	for _, a := range algorithms {
		limit := limiter.Limit{Name: "calls", Algorithm: a, Quota: 5, Window: 2 * time.Second}
		greedy, err := newScene(l, "greedy", limit)
		if err != nil {
			t.Fatal(err)
		}
		greedy.at(1990 * time.Millisecond)
		if err := greedy.greedy(t.Context(), gap, end); err != nil {
			t.Fatal(err)
		}
		patient, err := newScene(l, "patient", limit)
		if err != nil {
			t.Fatal(err)
		}
		for patient.at(1990 * time.Millisecond); patient.now < end; patient.now += gap {
			for range limit.Quota {
				if _, err := patient.try(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(greedy.started) == 0 || !slices.Equal(greedy.started, patient.started) {
			t.Errorf("%v: started at\n%v with pauses, at\n%v without", a, greedy.started, patient.started)
		}
	}
}
