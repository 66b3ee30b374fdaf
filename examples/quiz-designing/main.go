// Command quiz-designing answers the questions of the lesson "Designing a rate
// limiter" that need a Redis, each by doing what the question describes.
package main

import (
	"context"
	"fmt"
	"time"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// An answer plays one question and returns the answer in the question's words.
type answer func(ctx context.Context, l *lab.Lab) (string, error)

// answers are in the lesson's order, by the names under which it checks and
// quotes them. The outage of the checkpoint takes Redis away and brings it back without its
// data, which the rest does not miss.
var answers = []struct {
	name string
	find answer
}{
	{"rejection", rejection},
	{"neighbours", neighbours},
	{"queue", queue},
	{"race", race},
	{"race_mended", raceMended},
	{"outage", outage},
	{"numbers_kept", numbersKept},
	{"blocks", blocks},
	{"claim", claim},
}

func main() { lab.Main(story) }

func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	for _, a := range answers {
		found, err := a.find(ctx, l)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		fmt.Printf("%s: %s\n", a.name, found)
		if err := l.Value(a.name, found); err != nil {
			return err
		}
	}
	return nil
}

// at returns a time on the day of all questions. No real clock is read.
func at(hour, minute, second int) time.Time {
	return time.Date(2026, time.November, 28, hour, minute, second, 0, time.UTC)
}

// newLimiter makes a limiter that takes now for the time. It waits long for
// Redis: the machine may be busy, and no question is about that.
func newLimiter(l *lab.Lab, now *time.Time) (*limiter.Limiter, error) {
	return limiter.New(l.Redis(), limiter.Options{
		Timeout: 10 * time.Second,
		Clock:   func() time.Time { return *now },
	})
}

// admitted returns how many of n requests, one after another, a limit admits.
func admitted(ctx context.Context, lim *limiter.Limiter, limit limiter.Limit, n int) (int, error) {
	passed := 0
	for range n {
		d, err := lim.Take(ctx, limiter.Charge{Subject: []string{"user", "ada"}, Limit: limit, Cost: 1})
		if err != nil {
			return 0, err
		}
		if d.Outcome == limiter.Allowed {
			passed++
		}
	}
	return passed, nil
}
