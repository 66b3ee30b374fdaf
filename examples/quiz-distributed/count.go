package main

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

var (
	//go:embed conditional.lua
	conditionalLua string
	//go:embed nx.lua
	nxLua string

	conditional = redis.NewScript(conditionalLua)
	withNX      = redis.NewScript(nxLua)
)

// A counter is a limiter made of one script, which counts a request and returns
// the count: above the limit the request is refused.
type counter struct {
	question string
	rdb      *redis.Client
	clock    *lab.Clock
	script   *redis.Script
	key      string
	limit    int64
	open     bool // whether a request that cannot be counted is served
}

// ask sends one request at each of the times and returns how many were refused.
func (c *counter) ask(ctx context.Context, times ...string) (refused int, err error) {
	for _, at := range times {
		if err := c.clock.At(ctx, at); err != nil {
			return 0, err
		}
		n, err := c.script.Run(ctx, c.rdb, []string{c.key}).Int64()
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		switch {
		case err != nil && !c.open:
			return 0, err
		case err != nil:
			tell(c.question, "%s  no answer  uncounted", at)
		case n > c.limit:
			refused++
			tell(c.question, "%s  count %d    refused", at, n)
		default:
			tell(c.question, "%s  count %d    served", at, n)
		}
	}
	return refused, nil
}

// leak is the question before the lesson. Three attempts a minute. At 09:00:00
// account 7's INCR answers 1, and its server dies before the EXPIRE. A script
// with the same condition takes over. How many of six more attempts are refused?
func leak(ctx context.Context, l *lab.Lab) (string, error) {
	clock, err := l.Clock(ctx, "09:00:00")
	if err != nil {
		return "", err
	}
	c := &counter{question: "leak", rdb: l.Redis(), clock: clock, script: conditional, key: "rl:signin:acct7", limit: 3}
	n, err := l.Redis().Incr(ctx, c.key).Result()
	if err != nil {
		return "", err
	}
	tell(c.question, "09:00:00  count %d    killed: no EXPIRE", n)
	refused, err := c.ask(ctx, "09:00:20", "09:00:20", "09:00:40", "09:00:40", "09:01:30", "09:01:30")
	return fmt.Sprint(refused), err
}

// repair is question 1. Five refreshes a minute. Session s9's key holds 4
// and has no expiry; the script says EXPIRE … NX at every refresh. How many of
// five refreshes are refused?
func repair(ctx context.Context, l *lab.Lab) (string, error) {
	clock, err := l.Clock(ctx, "10:00:00")
	if err != nil {
		return "", err
	}
	c := &counter{question: "repair", rdb: l.Redis(), clock: clock, script: withNX, key: "rl:seats:s9", limit: 5}
	if err := l.Redis().Set(ctx, c.key, 4, redis.KeepTTL).Err(); err != nil {
		return "", err
	}
	refused, err := c.ask(ctx, "10:00:30", "10:00:45", "10:01:20", "10:01:40", "10:02:50")
	return fmt.Sprint(refused), err
}

// outage is question 4. Five refreshes a minute, by the script with NX, and the
// route fails open. Session u1's key holds 4 and expires at 19:00:40. From
// 19:00:00 to 19:00:30 the servers cannot reach Redis, which runs on. u1 asks
// for 8 refreshes meanwhile and for 4 at 19:00:35. How many are refused?
func outage(ctx context.Context, l *lab.Lab) (string, error) {
	clock, err := l.Clock(ctx, "18:59:40")
	if err != nil {
		return "", err
	}
	network := &cable{}
	servers := network.client(l.Redis())
	defer servers.Close()
	c := &counter{question: "outage", rdb: servers, clock: clock, script: withNX, key: "rl:seats:u1", limit: 5, open: true}
	if _, err := c.ask(ctx, "18:59:40", "18:59:42", "18:59:45", "18:59:50"); err != nil {
		return "", err
	}

	network.cut()
	during, err := c.ask(ctx, "19:00:05", "19:00:08", "19:00:11", "19:00:14", "19:00:17", "19:00:20", "19:00:23", "19:00:25")
	if err != nil {
		return "", err
	}
	if err := clock.At(ctx, "19:00:30"); err != nil {
		return "", err
	}
	network.mend()
	after, err := c.ask(ctx, "19:00:35", "19:00:35", "19:00:35", "19:00:35")
	return fmt.Sprint(during + after), err
}
