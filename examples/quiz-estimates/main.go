// Command quiz-estimates answers the questions of the lesson "Designing a rate
// limiter" that are arithmetic or happen inside servers. It needs no Redis.
package main

import (
	"context"
	"fmt"

	"verbatim/examples/lab"
)

// answers are in the lesson's order, by the names under which it checks them.
var answers = []struct {
	name string
	find func(context.Context, *lab.Lab) (string, error)
}{
	{"fleet", fleet},
	{"social", social},
	{"half_mended", halfMended},
	{"chat", chat},
	{"ladder", ladder},
}

func main() { lab.MainWithoutRedis(story) }

func story(ctx context.Context, l *lab.Lab) error {
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
	return estimates(l)
}
