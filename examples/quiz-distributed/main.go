// Command quiz-distributed computes the answers to the questions of a lesson. It sends the requests that each question describes to
// a real Redis, whose expiries follow a model clock, and counts what happens.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// questions are in the lesson's order. Each function plays one of them, prints
// what happened and returns the answer, which is recorded under the name.
var questions = []struct {
	name   string
	answer func(context.Context, *lab.Lab) (string, error)
}{
	{"leak", leak},
	{"repair", repair},
	{"routes", routes},
	{"tenants", tenants},
	{"outage", outage},
	{"upgrade", upgrade},
	{"fallback", fallback},
}

func main() {
	lab.Main(story, lab.Server{Name: "chat", Handler: chat})
}

func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, q := range questions {
		answer, err := q.answer(ctx, l)
		if err != nil {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		tell(q.name, "answer    %s", answer)
		if err := l.Value(q.name, answer); err != nil {
			return err
		}
	}
	return nil
}

// tell prints a line about a question.
func tell(question, format string, args ...any) {
	fmt.Printf("%-9s"+format+"\n", append([]any{question}, args...)...)
}

// patient is how long a call may take here. A limiter in production gives up
// after milliseconds; a busy machine must not change an answer.
const patient = 5 * time.Second

// newLimiter returns the course's limiter on the lab's Redis.
func newLimiter(l *lab.Lab, clock func() time.Time) (*limiter.Limiter, error) {
	return limiter.New(l.Redis(), limiter.Options{Clock: clock, Timeout: patient, DialTimeout: patient})
}

// crowd makes n calls, some at the same time as in a real crowd, and returns how
// many were admitted. Where the calls are all alike, their order cannot matter.
func crowd(n int, call func() (bool, error)) (admitted int, err error) {
	const atOnce = 16
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range atOnce {
		all.Go(func() {
			for range (n + i) / atOnce {
				ok, failure := call()
				mu.Lock()
				if ok {
					admitted++
				}
				err = errors.Join(err, failure)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return admitted, err
}
