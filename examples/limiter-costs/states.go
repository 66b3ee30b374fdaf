package main

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/limiter"
)

// A state is one way to keep the count of a client.
type state struct {
	name    string // of its value
	clients int    // with how many it is measured
	store   func(ctx context.Context, rdb *redis.Client, clients int) error
}

// Redis keeps its keys in tables that grow by doubling. Both of these numbers
// fill them as far as a hundred thousand would, so that a key's share of the
// table is that of a busy service.
const (
	many = 391
	few  = 98 // of states that are large themselves
)

// states are first those of a fixed size, then those that grow with the requests.
// A bucket's key lives until the bucket has drained, so that it needs more than
// one request to stay.
var states = []state{
	{"incr", many, plain(`redis.call('INCR', KEYS[1])`)},
	{"fixed_window", many, library(limiter.FixedWindow, 1)},
	{"sliding_counter", many, library(limiter.SlidingCounter, 1)},
	{"token_bucket", many, library(limiter.TokenBucket, 100)},
	{"leaky_bucket", many, library(limiter.LeakyBucket, 100)},
	{"bucket_hash", many, plain(`redis.call('HSET', KEYS[1], 'tokens', '99.25', 'last', '1793012461.123456')`)},
	{"packed_three", many, packed},

	{"log_100", few, library(limiter.SlidingLog, 100)},
	{"zset_100", few, sortedSet(100)},
	{"log_1000", few, library(limiter.SlidingLog, 1000)},
	{"zset_1000", few, sortedSet(1000)},
}

// plain stores what a few lines of Lua store under a client's key.
func plain(lines string) func(context.Context, *redis.Client, int) error {
	script := redis.NewScript(lines + `
		return redis.call('EXPIRE', KEYS[1], 3600)`)
	return func(ctx context.Context, rdb *redis.Client, clients int) error {
		for n := range clients {
			key := fmt.Sprintf("rl:calls:u%06d", n)
			if err := script.Run(ctx, rdb, []string{key}).Err(); err != nil {
				return err
			}
		}
		return nil
	}
}

// sortedSet keeps a log as it is usually shown: a member for each request, its
// time and something that tells it from others, with the time as the score.
func sortedSet(requests int) func(context.Context, *redis.Client, int) error {
	return plain(fmt.Sprintf(`
		for n = 1, %d do
			local at = string.format('1793012461%%06d', n)
			redis.call('ZADD', KEYS[1], at, at .. '-' .. n)
		end`, requests))
}

// library stores what the limiter keeps of so many requests of a client.
func library(a limiter.Algorithm, requests int64) func(context.Context, *redis.Client, int) error {
	limit := limiter.Limit{Name: "calls", Algorithm: a, Quota: 1000, Window: time.Hour}
	return func(ctx context.Context, rdb *redis.Client, clients int) error {
		return take(ctx, rdb, clients, limiter.Options{}, limiter.Charge{Limit: limit, Cost: requests})
	}
}

// packed stores limits for a second, a minute and an hour in one key.
func packed(ctx context.Context, rdb *redis.Client, clients int) error {
	var charges []limiter.Charge
	for _, limit := range []limiter.Limit{
		{Name: "s", Algorithm: limiter.FixedWindow, Quota: 10, Window: time.Second},
		{Name: "m", Algorithm: limiter.FixedWindow, Quota: 100, Window: time.Minute},
		{Name: "h", Algorithm: limiter.FixedWindow, Quota: 1000, Window: time.Hour},
	} {
		charges = append(charges, limiter.Charge{Limit: limit, Cost: 1})
	}
	return take(ctx, rdb, clients, limiter.Options{Packed: true}, charges...)
}

// take makes the charges for every client. It asks over one connection: the
// buffers of more would be counted as if they were states.
func take(ctx context.Context, rdb *redis.Client, clients int, o limiter.Options, charges ...limiter.Charge) error {
	o.Timeout = patience
	l, err := limiter.New(rdb, o)
	if err != nil {
		return err
	}
	for n := range clients {
		for i := range charges {
			charges[i].Subject = []string{fmt.Sprintf("u%06d", n)}
		}
		d, err := l.Take(ctx, charges...)
		switch {
		case err != nil:
			return err
		case d.Outcome != limiter.Allowed:
			return fmt.Errorf("the first request of a client is %v", d.Outcome)
		}
	}
	return nil
}
