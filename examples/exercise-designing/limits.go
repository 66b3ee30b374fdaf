package main

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// [rules]
var (
	perIP   = limit("ip", limiter.TokenBucket, 10, time.Second)
	perKey  = limit("key", limiter.SlidingCounter, 1000, time.Hour)
	perUser = limit("user", limiter.SlidingCounter, 100, time.Minute)
)

// rules are what one request costs: a unit of each limit,
// or of none.
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
	trips := &counter{}
	l.Redis().AddHook(trips)
	lim, err := limiter.New(l.Redis(), limiter.Options{Timeout: 10 * time.Second, Clock: func() time.Time { return now }})
	if err != nil {
		return err
	}
	requests := 0
	send := func() (limiter.Decision, error) {
		requests++
		return lim.Take(ctx, rules("203.0.113.9", "k1", "GET /search", "ada")...)
	}

	if _, err := send(); err != nil {
		return err
	}
	trips.n, requests = 0, 0 // the first one also brought the script to Redis
	for refused := map[string]bool{}; len(refused) < 2; {
		d, err := send()
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
	fmt.Printf("limits: %d requests, %d round trips\n", requests, trips.n)
	return nil
}

// told is what a refusal says, with what is left of each limit.
func told(d limiter.Decision) string {
	left := make([]string, len(d.Results))
	for i, r := range d.Results {
		left[i] = fmt.Sprint(r.Remaining)
	}
	return fmt.Sprintf("%s refuses, wait %g s · left %s",
		strings.Join(d.Violated, " and "), d.RetryAfter.Round(time.Millisecond).Seconds(), strings.Join(left, ", "))
}

// A counter counts what a client sends: a command is a round trip, and so is a
// pipeline.
type counter struct{ n int }

// DialHook leaves connecting as it is.
func (*counter) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook counts a command.
func (c *counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.n++
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook counts a pipeline.
func (c *counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n++
		return next(ctx, cmds)
	}
}
