package main

import (
	"context"
	"fmt"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// plans is the table of question 5.
const plans = `{"version": 1, "tiers": {
  "Basic": [{"name": "requests", "algorithm": "fixed window", "quota": 100, "window": "1m"}],
  "Pro":   [{"name": "requests", "algorithm": "fixed window", "quota": 500, "window": "1m"}]}}`

// upgrade is question 5. A merchant may send 100 requests a minute on Basic, 500
// on Pro; refused ones do not count. m4 has had its 100 since 10:00:00 and is
// refused. It buys Pro at 10:00:30 and sends 450 at 10:00:40. How many are
// accepted?
func upgrade(ctx context.Context, l *lab.Lab) (string, error) {
	clock, err := l.Clock(ctx, "10:00:00")
	if err != nil {
		return "", err
	}
	lim, err := newLimiter(l, clock.Now)
	if err != nil {
		return "", err
	}
	table, err := limiter.NewPlans([]byte(plans))
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
		if accepted, err = send(ctx, lim, table, step.plan, step.requests); err != nil {
			return "", err
		}
		tell("upgrade", "%s  %-6s accepted %d of %d", step.at, step.plan, accepted, step.requests)
	}
	return fmt.Sprint(accepted), nil
}

// send sends a merchant's requests and gives how many were accepted. Each looks
// its limit up anew.
func send(ctx context.Context, lim *limiter.Limiter, table *limiter.Plans, plan string, requests int) (accepted int, err error) {
	return crowd(requests, func() (bool, error) {
		charge, ok := table.Charge(plan, "requests", 1, "merchant", "m4")
		if !ok {
			return false, fmt.Errorf("no plan %s", plan)
		}
		d, err := lim.Take(ctx, charge)
		return d.Outcome == limiter.Allowed, err
	})
}
