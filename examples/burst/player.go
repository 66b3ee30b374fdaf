package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// begin is when every scene begins on its clock: at the start of a minute.
var begin = time.Date(2026, time.November, 2, 11, 0, 0, 0, time.UTC)

// scene is one client of one algorithm, on a clock that does not move until the
// scene turns it. The limiter counts by that clock in a real Redis, so a scene
// of minutes takes milliseconds and has the same outcome each time.
type scene struct {
	limiter *limiter.Limiter
	charge  limiter.Charge
	now     time.Duration // since begin

	// admitted and started hold when requests were let in, and when they began
	// to be served: a leaky bucket lets a request in to wait for its turn.
	admitted, started []time.Duration
}

// newScene returns a scene whose subject has no counts yet.
func newScene(l *lab.Lab, subject string, limit limiter.Limit) (*scene, error) {
	s := &scene{charge: limiter.Charge{Subject: []string{subject, limit.Algorithm.String()}, Limit: limit, Cost: 1}}
	var err error
	s.limiter, err = limiter.New(l.Redis(), limiter.Options{
		Clock:   func() time.Time { return begin.Add(s.now) },
		Timeout: 10 * time.Second, // a slow machine is no outage
	})
	return s, err
}

// at turns the clock.
func (s *scene) at(d time.Duration) { s.now = d }

// try sends one request at the present moment.
func (s *scene) try(ctx context.Context) (limiter.Decision, error) {
	d, err := s.limiter.Take(ctx, s.charge)
	if err != nil {
		return d, fmt.Errorf("%v at %v: %w", s.charge.Limit.Algorithm, s.now, err)
	}
	if d.Outcome == limiter.Allowed {
		s.admitted = append(s.admitted, s.now)
		s.started = append(s.started, s.now+d.Delay)
	}
	return d, nil
}

// burst sends n requests at once.
func (s *scene) burst(ctx context.Context, n int) error {
	for range n {
		if _, err := s.try(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stream sends a request every gap until the clock shows end.
func (s *scene) stream(ctx context.Context, gap, end time.Duration) error {
	for ; s.now < end; s.now += gap {
		if _, err := s.try(ctx); err != nil {
			return err
		}
	}
	return nil
}

// greedy tries as often as every gap, until the clock shows end, and more than
// once at a moment at which it is admitted. After a refusal it goes straight to
// the next try that the limiter's Retry-After says can be admitted: those
// before it would be refused.
func (s *scene) greedy(ctx context.Context, gap, end time.Duration) error {
	for s.now < end {
		d, err := s.try(ctx)
		if err != nil {
			return err
		}
		if d.Outcome == limiter.Allowed && d.Remaining > 0 {
			continue
		}
		s.now += max(1, (d.RetryAfter+gap-1)/gap) * gap
	}
	return nil
}

// busiest is the most of the times, which are in order, that lie in any span of
// that length, its end not included.
func busiest(times []time.Duration, span time.Duration) int {
	most, first := 0, 0
	for i := range times {
		for times[i]-times[first] >= span {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// until counts the times before end.
func until(times []time.Duration, end time.Duration) int {
	n := 0
	for _, t := range times {
		if t < end {
			n++
		}
	}
	return n
}

// columns are those of a scene's table, in which a row is a second of the clock.
var columns = []string{"second", "algorithm", "started in all"}

// row returns how many requests had started when a second was over.
func (s *scene) row(second int) []string {
	started := until(s.started, time.Duration(second+1)*time.Second)
	return []string{strconv.Itoa(second), s.charge.Limit.Algorithm.String(), strconv.Itoa(started)}
}
