package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// promoters send their requests one after the other, within one second.
var promoters = [4]struct {
	name     string
	requests int
}{{"North", 200}, {"South", 30}, {"East", 30}, {"West", 30}}

const south = 1

// tenants is question 3. The API takes 100 requests a second, 40 of each
// promoter, and counts a request against the shared limit before it asks the
// promoter's own. A limit counts what it lets through itself. How many of
// South's requests are served?
//
// The same traffic is sent once more, in a second of its own, past the limits in
// the other order.
func tenants(ctx context.Context, l *lab.Lab) (string, error) {
	clock, err := l.Clock(ctx, "12:00:00")
	if err != nil {
		return "", err
	}
	lim, err := newLimiter(l, clock.Now)
	if err != nil {
		return "", err
	}
	shared, err := serveAll(ctx, lim, chargesOf)
	if err != nil {
		return "", err
	}
	if err := clock.At(ctx, "12:00:01"); err != nil {
		return "", err
	}
	own, err := serveAll(ctx, lim, func(promoter string) []limiter.Charge {
		charges := chargesOf(promoter)
		slices.Reverse(charges)
		return charges
	})
	if err != nil {
		return "", err
	}
	tell("tenants", "asked first  shared  own")
	for i, p := range promoters {
		tell("tenants", "%-5s of %3d %5d %6d", p.name, p.requests, shared[i], own[i])
	}
	return fmt.Sprint(shared[south]), nil
}

// chargesOf is what one request of a promoter costs, in the order of asking.
func chargesOf(promoter string) []limiter.Charge {
	perSecond := func(quota int64) limiter.Limit {
		return limiter.Limit{Name: "requests", Algorithm: limiter.FixedWindow, Quota: quota, Window: time.Second}
	}
	return []limiter.Charge{
		{Subject: []string{"platform"}, Limit: perSecond(100), Cost: 1},
		{Subject: []string{"promoter", promoter}, Limit: perSecond(40), Cost: 1},
	}
}

// serveAll sends everybody's requests, promoter after promoter, and returns how
// many of each were served.
func serveAll(ctx context.Context, lim *limiter.Limiter, charges func(string) []limiter.Charge) (served [len(promoters)]int, err error) {
	for i, p := range promoters {
		served[i], err = crowd(p.requests, func() (bool, error) {
			return oneByOne(ctx, lim, charges(p.name))
		})
		if err != nil {
			return served, err
		}
	}
	return served, nil
}

// oneByOne asks the limits in calls of their own and stops at the first refusal;
// what was counted by then stays counted. One call with both charges would take
// both or neither.
func oneByOne(ctx context.Context, lim *limiter.Limiter, charges []limiter.Charge) (bool, error) {
	for _, c := range charges {
		d, err := lim.Take(ctx, c)
		if err != nil || d.Outcome != limiter.Allowed {
			return false, err
		}
	}
	return true, nil
}
