package tokenbucket

import (
	"testing"
	"time"
)

// A bucket of 5 that gets 2 tokens a second, through an eventful minute.
func TestLocal(t *testing.T) {
	noon := time.Date(2026, time.November, 28, 12, 0, 0, 0, time.UTC)
	b := &Local{Capacity: 5, Refill: 2}
	for _, row := range []struct {
		after time.Duration // noon
		cost  float64
		want  bool
		left  float64
	}{
		{0, 5, true, 0},
		{0, 1, false, 0},
		{250 * time.Millisecond, 1, false, 0.5},
		{500 * time.Millisecond, 1, true, 0},
		{2 * time.Second, 4, false, 3},            // too many at once: nothing is taken
		{time.Second, 3, true, 0},                 // the clock went back: nothing is added …
		{2 * time.Second, 1, false, 0},            // … and nothing a second time
		{time.Minute, 0, true, 5},                 // full, and no fuller
		{time.Minute, 6, false, 5},                // more than it ever holds
		{time.Minute + time.Second/2, 5, true, 0}, // what did not fit was lost
	} {
		got := b.Allow(noon.Add(row.after), row.cost)
		if got != row.want || b.tokens != row.left {
			t.Errorf("%g tokens after %v: %t, and %g left; want %t and %g", row.cost, row.after, got, b.tokens, row.want, row.left)
		}
	}
}
