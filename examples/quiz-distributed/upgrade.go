package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

// plans holds the limit of each plan, in requests a minute.
var plans = map[string]int{"Basic": 100, "Pro": 500}

//go:embed plan.lua
var planLua string

// within counts a request unless the count has reached the limit ARGV[1]. The
// window opens with the first request that is counted.
var within = redis.NewScript(planLua)

// upgrade is question 5. A merchant may send 100 requests a minute on Basic, 500
// on Pro; refused ones do not count. m4 has had its 100 since 10:00:00 and is
// refused. It buys Pro at 10:00:30 and sends 450 at 10:00:40. How many are
// accepted?
func upgrade(ctx context.Context, l *lab.Lab) (string, error) {
	clock, err := l.Clock(ctx, "10:00:00")
	if err != nil {
		return "", err
	}
	accepted := 0
	for _, step := range []struct {
		at, plan string
		requests int
	}{{"10:00:00", "Basic", 100}, {"10:00:30", "Basic", 25}, {"10:00:40", "Pro", 450}} {
		if err := clock.At(ctx, step.at); err != nil {
			return "", err
		}
		accepted, err = crowd(step.requests, func() (bool, error) {
			return within.Run(ctx, l.Redis(), []string{"rl:merchant:m4"}, plans[step.plan]).Bool()
		})
		if err != nil {
			return "", err
		}
		tell("upgrade", "%s  %-6s accepted %d of %d", step.at, step.plan, accepted, step.requests)
	}
	return fmt.Sprint(accepted), nil
}
