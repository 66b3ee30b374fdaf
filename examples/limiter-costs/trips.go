package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// distance is how far away Redis is when times are compared, there and back.
const distance = 25 * time.Millisecond

// A way decides one request. They differ in how often they ask Redis.
type way struct {
	name   string // of its value
	text   string
	decide func(ctx context.Context) error
}

// three are limits that hold together.
var three = []limiter.Charge{
	{Subject: []string{"ip", "203.0.113.7"}, Cost: 1, Limit: limiter.Limit{Name: "ip", Algorithm: limiter.TokenBucket, Quota: 10_000, Window: time.Second}},
	{Subject: []string{"key", "k1"}, Cost: 1, Limit: limiter.Limit{Name: "key", Algorithm: limiter.SlidingCounter, Quota: 1_000_000, Window: time.Hour}},
	{Subject: []string{"user", "ada"}, Cost: 1, Limit: limiter.Limit{Name: "search", Algorithm: limiter.FixedWindow, Quota: 100_000, Window: time.Minute}},
}

var countNX = redis.NewScript(`
	local n = redis.call('INCR', KEYS[1])
	redis.call('EXPIRE', KEYS[1], 60, 'NX')
	return n`)

// ways are the designs to compare, over one client.
func ways(rdb *redis.Client) ([]way, error) {
	l, err := limiter.New(rdb, limiter.Options{Timeout: patience})
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	local := map[string]int{}
	return []way{
		{"local", "a counter in own memory", func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			local["ada"]++
			return nil
		}},
		{"get_set", "GET, SET, EXPIRE", func(ctx context.Context) error {
			n, err := rdb.Get(ctx, "rl:getset").Int()
			if err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
			return errors.Join(
				rdb.Set(ctx, "rl:getset", n+1, 0).Err(),
				rdb.Expire(ctx, "rl:getset", time.Minute).Err())
		}},
		{"pipeline", "INCR and EXPIRE NX in a pipeline", func(ctx context.Context) error {
			_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
				p.Incr(ctx, "rl:pipeline")
				p.ExpireNX(ctx, "rl:pipeline", time.Minute)
				return nil
			})
			return err
		}},
		{"script", "INCR and EXPIRE NX in a script", func(ctx context.Context) error {
			return countNX.Run(ctx, rdb, []string{"rl:script"}).Err()
		}},
		{"three_calls", "three limits, a call for each", func(ctx context.Context) error {
			for _, charge := range three {
				if _, err := l.Take(ctx, charge); err != nil {
					return err
				}
			}
			return nil
		}},
		{"three_limits", "three limits in one call", func(ctx context.Context) error {
			_, err := l.Take(ctx, three...)
			return err
		}},
	}, nil
}

// trips counts round trips and commands of each way, and how long a decision
// takes with Redis at a distance, as a multiple of a PING.
func trips(ctx context.Context, l *lab.Lab) error {
	all, err := ways(l.Redis())
	if err != nil {
		return err
	}
	counted, err := count(ctx, l.Redis())
	if err != nil {
		return err
	}
	pings, err := compare(ctx, l, all)
	if err != nil {
		return err
	}
	if err := l.Value("distance_ms", distance.Milliseconds()); err != nil {
		return err
	}
	fmt.Printf("%-32s  %11s  %8s\n", "a decision by", "round trips", "commands")
	for i, w := range all {
		fmt.Printf("%-32s  %11d  %8d\n", w.text, counted[i].Trips, counted[i].Commands)
		if err := errors.Join(
			l.Value("trips_"+w.name, counted[i].Trips),
			l.Value("pings_"+w.name, fmt.Sprintf("%.1f", pings[i])),
		); err != nil {
			return err
		}
	}
	return nil
}

// count gives the traffic of one decision of each way. It is their second: the
// first time, scripts are sent whole.
func count(ctx context.Context, near *redis.Client) ([]lab.Traffic, error) {
	rdb := redis.NewClient(near.Options())
	defer rdb.Close()
	var sent lab.Traffic
	rdb.AddHook(&sent)
	all, err := ways(rdb)
	if err != nil {
		return nil, err
	}
	var counted []lab.Traffic
	for _, w := range all {
		if err := w.decide(ctx); err != nil {
			return nil, err
		}
		sent = lab.Traffic{}
		if err := w.decide(ctx); err != nil {
			return nil, err
		}
		counted = append(counted, sent)
	}
	return counted, nil
}

// compare gives the time of each way as a multiple of the time of a PING, with
// Redis at a distance. In each round all of them run at once, so that what else the
// machine does falls on all alike. Of each the fastest counts: what is slower
// waited for something else too.
func compare(ctx context.Context, l *lab.Lab, all []way) ([]float64, error) {
	const rounds = 9
	all = append(slices.Clone(all), way{decide: func(ctx context.Context) error { return l.Redis().Ping(ctx).Err() }})
	if err := setDistance(ctx, l, distance); err != nil {
		return nil, err
	}
	best := make([]time.Duration, len(all))
	failures := make([]error, len(all))
	for range rounds {
		var wg sync.WaitGroup
		for i, w := range all {
			wg.Go(func() {
				start := time.Now()
				failures[i] = errors.Join(failures[i], w.decide(ctx))
				if took := time.Since(start); best[i] == 0 || took < best[i] {
					best[i] = took
				}
			})
		}
		wg.Wait()
	}
	if err := errors.Join(append(failures, setDistance(ctx, l, 0))...); err != nil {
		return nil, err
	}
	ping := best[len(best)-1]
	var multiples []float64
	for _, took := range best[:len(best)-1] {
		multiples = append(multiples, float64(took)/float64(ping))
	}
	return multiples, nil
}

// setDistance puts Redis so far away, there and back. Alone, it stays next door.
func setDistance(ctx context.Context, l *lab.Lab, far time.Duration) error {
	err := l.Slow(ctx, far)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
