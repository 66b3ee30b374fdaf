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

// trips counts round trips and commands of each way, and measures how long a
// decision takes with Redis near and far away, as a multiple of a PING.
func trips(ctx context.Context, l *lab.Lab) error {
	all, err := ways(l.Redis())
	if err != nil {
		return err
	}
	counted, err := count(ctx, l.Redis())
	if err != nil {
		return err
	}
	near, err := compareNear(ctx, l)
	if err != nil {
		return err
	}
	far, err := compareFar(ctx, l, all)
	if err != nil {
		return err
	}
	if err := errors.Join(
		l.Value("distance_ms", distance.Milliseconds()),
		l.Value("near_ms", float64(sameDataCentre.Microseconds())/1000),
	); err != nil {
		return err
	}
	fmt.Printf("%-32s  %11s  %8s\n", "a decision by", "round trips", "commands")
	for i, w := range all {
		fmt.Printf("%-32s  %11d  %8d\n", w.text, counted[i].Trips, counted[i].Commands)
		if err := errors.Join(
			l.Value("trips_"+w.name, counted[i].Trips),
			l.Value("near_"+w.name, fmt.Sprintf("%.1f", near[i])),
			l.Value("pings_"+w.name, fmt.Sprintf("%.1f", far[i])),
		); err != nil {
			return err
		}
	}
	return nil
}

// count returns the traffic of one decision of each way. It is their second: the
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

// fastest holds the shortest time of each way. The last way is a PING. What
// took longer waited for something else, too.
type fastest []time.Duration

func (f fastest) note(i int, took time.Duration) {
	if f[i] == 0 || took < f[i] {
		f[i] = took
	}
}

// inPings returns the times as multiples of the PING's.
func (f fastest) inPings() []float64 {
	ping := f[len(f)-1]
	var multiples []float64
	for _, took := range f[:len(f)-1] {
		multiples = append(multiples, float64(took)/float64(ping))
	}
	return multiples
}

// withPing returns the ways and a PING.
func withPing(all []way, rdb *redis.Client) []way {
	return append(slices.Clone(all), way{decide: func(ctx context.Context) error { return rdb.Ping(ctx).Err() }})
}

// compareNear measures the ways with Redis in the same data centre, in turn.
func compareNear(ctx context.Context, l *lab.Lab) ([]float64, error) {
	const rounds = 300
	rdb := nearby(l.Redis())
	defer rdb.Close()
	all, err := ways(rdb)
	if err != nil {
		return nil, err
	}
	all = withPing(all, rdb)
	best := make(fastest, len(all))
	for range rounds {
		for i, w := range all {
			start := time.Now()
			if err := w.decide(ctx); err != nil {
				return nil, err
			}
			best.note(i, time.Since(start))
		}
	}
	return best.inPings(), nil
}

// compareFar measures the ways with Redis at a distance. In each round all of
// them run at the same time, so that the load of the machine falls on all alike.
func compareFar(ctx context.Context, l *lab.Lab, all []way) ([]float64, error) {
	const rounds = 9
	all = withPing(all, l.Redis())
	if err := setDistance(ctx, l, distance); err != nil {
		return nil, err
	}
	best := make(fastest, len(all))
	failures := make([]error, len(all))
	for range rounds {
		var wg sync.WaitGroup
		for i, w := range all {
			wg.Go(func() {
				start := time.Now()
				failures[i] = errors.Join(failures[i], w.decide(ctx))
				best.note(i, time.Since(start))
			})
		}
		wg.Wait()
	}
	err := errors.Join(append(failures, setDistance(ctx, l, 0))...)
	return best.inPings(), err
}

// setDistance puts Redis so far away, there and back. Alone, it stays near.
func setDistance(ctx context.Context, l *lab.Lab, far time.Duration) error {
	err := l.Slow(ctx, far)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
