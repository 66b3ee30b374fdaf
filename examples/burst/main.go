// Command burst runs the five algorithms side by side under traffic that shows
// their differences: a double burst where two windows meet, a client that never
// stops trying, and a burst before a steady stream.
package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

var algorithms = []limiter.Algorithm{
	limiter.FixedWindow, limiter.SlidingLog, limiter.SlidingCounter, limiter.TokenBucket, limiter.LeakyBucket,
}

func main() { lab.Main(story) }

// story plays three scenes. Each prints a line for every algorithm and records
// a table.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	for _, scene := range []func(context.Context, *lab.Lab) error{boundary, worst, side} {
		if err := scene(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// perMinute is the limit of the first two scenes.
func perMinute(a limiter.Algorithm) limiter.Limit {
	return limiter.Limit{Name: "calls", Algorithm: a, Quota: 100, Window: time.Minute}
}

// boundary sends a hundred requests in the last second of a minute and a
// hundred in the first second of the next.
func boundary(ctx context.Context, l *lab.Lab) error {
	// Narrow enough for a telephone, as all the lines here are.
	fmt.Printf("%-15s%7s%7s%8s\n", "100 a minute", ":59", ":00", "in 2 s")
	var rows [][]string
	for _, a := range algorithms {
		s, err := newScene(l, "boundary", perMinute(a))
		if err != nil {
			return err
		}
		for _, second := range []time.Duration{59, 60} {
			s.at(second * time.Second)
			if err := s.burst(ctx, 100); err != nil {
				return err
			}
		}
		first := until(s.admitted, time.Minute)
		fmt.Printf("%-15s%7d%7d%8d\n", a, first, len(s.admitted)-first, busiest(s.started, 2*time.Second))
		for second := 58; second <= 68; second++ {
			rows = append(rows, s.row(second))
		}
		if err := l.Value("boundary_"+name(a), len(s.admitted)); err != nil {
			return err
		}
	}
	return l.Table("boundary.csv", columns, rows)
}

// worst lets a client that was quiet for a minute send at 11:00:59.99 until it is
// refused, and do so again every 10 ms for two minutes.
func worst(ctx context.Context, l *lab.Lab) error {
	const gap, first, end = 10 * time.Millisecond, 59_990 * time.Millisecond, 3 * time.Minute
	fmt.Printf("%-15s%10s%9s\n", "most started", "in 60 s", "in 2 s")
	var rows [][]string
	for _, a := range algorithms {
		s, err := newScene(l, "worst", perMinute(a))
		if err != nil {
			return err
		}
		s.at(first)
		if err := s.greedy(ctx, gap, end); err != nil {
			return err
		}
		minute, two := busiest(s.started, time.Minute), busiest(s.started, 2*time.Second)
		fmt.Printf("%-15s%10d%9d\n", a, minute, two)
		rows = append(rows,
			[]string{a.String(), "in any 60 s", strconv.Itoa(minute)},
			[]string{a.String(), "in any 2 s", strconv.Itoa(two)})
		if err := errors.Join(
			l.Value("worst_60s_"+name(a), minute),
			l.Value("worst_2s_"+name(a), two),
		); err != nil {
			return err
		}
	}
	return l.Table("spans.csv", []string{"algorithm", "span", "most started"}, rows)
}

// side sends 30 requests at once in the middle of a window, and from the next
// second on 4 a second, against 20 in 10 seconds: too many at once, and then twice
// as many as the limit has in the long run.
func side(ctx context.Context, l *lab.Lab) error {
	const first, end = 5 * time.Second, 36 * time.Second
	fmt.Printf("%-15s%7s%8s%8s\n", "20 in 10 s", "of 30", "of 120", "wait")
	var rows [][]string
	for _, a := range algorithms {
		s, err := newScene(l, "side", limiter.Limit{Name: "calls", Algorithm: a, Quota: 20, Window: 10 * time.Second})
		if err != nil {
			return err
		}
		s.at(first)
		if err := s.burst(ctx, 30); err != nil {
			return err
		}
		atOnce := len(s.admitted)
		s.at(first + time.Second)
		if err := s.stream(ctx, time.Second/4, end); err != nil {
			return err
		}
		wait := time.Duration(0)
		for i, start := range s.started {
			wait = max(wait, start-s.admitted[i])
		}
		later := len(s.admitted) - atOnce
		fmt.Printf("%-15s%7d%8d%8v\n", a, atOnce, later, wait)
		for second := 3; second < 48; second += 2 {
			rows = append(rows, s.row(second))
		}
		if err := errors.Join(
			l.Value("side_at_once_"+name(a), atOnce),
			l.Value("side_later_"+name(a), later),
			l.Value("side_wait_"+name(a), wait),
		); err != nil {
			return err
		}
	}
	return l.Table("side.csv", columns, rows)
}

// name is an algorithm as the names of values have it.
func name(a limiter.Algorithm) string { return strings.ReplaceAll(a.String(), " ", "_") }
