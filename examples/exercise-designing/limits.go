package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// [rules]
var (
	perIP   = limit("ip", limiter.TokenBucket, 10, time.Second)
	perKey  = limit("key", limiter.SlidingCounter, 1000, time.Hour)
	perUser = limit("user", limiter.SlidingCounter, 100, time.Minute)
)

// rules returns what one request is charged: one unit of each
// limit. Take charges all of them or none.
func rules(ip, key, route, user string) []limiter.Charge {
	return []limiter.Charge{
		{Limit: perIP, Subject: []string{ip}, Cost: 1},
		{Limit: perKey, Subject: []string{key}, Cost: 1},
		{Limit: perUser, Subject: []string{route, user}, Cost: 1},
	}
}

// [/rules]

func limit(name string, a limiter.Algorithm, quota int64, window time.Duration) limiter.Limit {
	return limiter.Limit{Name: name, Algorithm: a, Quota: quota, Window: window}
}

// threeLimits sends 11 requests at once and then ten a second, until a second
// limit refuses as well, and counts what goes over the wire.
func threeLimits(ctx context.Context, l *lab.Lab) error {
	now := noon
	sent := &lab.Traffic{}
	l.Redis().AddHook(sent)
	lim, err := limiter.New(l.Redis(), limiter.Options{Timeout: 10 * time.Second, Clock: func() time.Time { return now }})
	if err != nil {
		return err
	}
	// Another client's request loads the script into Redis first.
	if _, err := lim.Take(ctx, rules("198.51.100.4", "k0", "GET /search", "bob")...); err != nil {
		return err
	}
	*sent = lab.Traffic{}

	requests := 0
	for refused := map[string]bool{}; len(refused) < 2; {
		requests++
		d, err := lim.Take(ctx, rules("203.0.113.9", "k1", "GET /search", "ada")...)
		if err != nil {
			return err
		}
		if d.Outcome != limiter.Allowed {
			refused[d.Violated[0]] = true
			fmt.Printf("limits: after %g s %s\n", now.Sub(noon).Seconds(), told(d))
		}
		if refused[perIP.Name] {
			now = now.Add(100 * time.Millisecond)
		}
	}
	fmt.Printf("limits: %d requests, %d round trips\n", requests, sent.Trips)
	return nil
}

// told returns what a refusal says, with what is left of each limit.
func told(d limiter.Decision) string {
	left := make([]string, len(d.Results))
	for i, r := range d.Results {
		left[i] = fmt.Sprint(r.Remaining)
	}
	return fmt.Sprintf("%s refuses, wait %g s · left %s",
		strings.Join(d.Violated, " and "), d.RetryAfter.Round(time.Millisecond).Seconds(), strings.Join(left, ", "))
}
