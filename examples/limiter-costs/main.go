// Command limiter-costs measures what a limiter costs: the memory that one
// client's count takes, the round trips of one decision, and how long it takes
// when Redis is not next door.
package main

import (
	"context"
	"time"

	"verbatim/examples/lab"
)

// patience is how long a limiter waits for Redis here: a slow machine is no
// outage.
const patience = 10 * time.Second

func main() { lab.Main(story) }

func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	if err := memory(ctx, l); err != nil {
		return err
	}
	return trips(ctx, l)
}
