package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// rejection: 100 requests a minute, counted in whole minutes. At 11:00:39 a
// client sends its 101st. What does it read?
func rejection(ctx context.Context, l *lab.Lab) (string, error) {
	now := at(11, 0, 39)
	lim, err := newLimiter(l, &now)
	if err != nil {
		return "", err
	}
	limit := limiter.Limit{Name: "search", Algorithm: limiter.FixedWindow, Quota: 100, Window: time.Minute}
	site, err := serve(lim, limit)
	if err != nil {
		return "", err
	}
	var last *httptest.ResponseRecorder
	for range 101 {
		last = ask(ctx, site, http.MethodGet, "/search")
	}
	return fmt.Sprintf("%d, Retry-After: %s", last.Code, last.Header().Get("Retry-After")), nil
}

// serve returns a site with two routes behind the limiter: search fails open,
// payment fails closed.
func serve(lim *limiter.Limiter, limit limiter.Limit) (http.Handler, error) {
	charges := func(r *http.Request) []limiter.Charge {
		return []limiter.Charge{{Subject: []string{"user", "ada", "path", r.URL.Path}, Limit: limit, Cost: 1}}
	}
	mux := http.NewServeMux()
	ok := func(http.ResponseWriter, *http.Request) {}
	mux.HandleFunc("GET /search", ok)
	mux.HandleFunc("POST /payments/charge", ok)
	limited, err := lim.Middleware(limiter.MiddlewareOptions{
		Route:   limiter.MuxRoute(mux),
		Routes:  map[string]limiter.Policy{"GET /search": {Charges: charges, Fallback: limiter.FailOpen}},
		Default: limiter.Policy{Charges: charges, Fallback: limiter.FailClosed},
	})
	if err != nil {
		return nil, err
	}
	return limited(mux), nil
}

func ask(ctx context.Context, site http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequestWithContext(ctx, method, path, nil))
	return w
}

// neighbours: 60 a minute. 60 requests at 12:00:50, 60 more at 12:01:10. How
// many does each algorithm admit?
func neighbours(ctx context.Context, l *lab.Lab) (string, error) {
	var sums []any
	for _, algorithm := range []limiter.Algorithm{limiter.FixedWindow, limiter.SlidingLog, limiter.SlidingCounter, limiter.TokenBucket} {
		now := at(12, 0, 50)
		lim, err := newLimiter(l, &now)
		if err != nil {
			return "", err
		}
		limit := limiter.Limit{Name: algorithm.String(), Algorithm: algorithm, Quota: 60, Window: time.Minute}
		early, err := admitted(ctx, lim, limit, 60)
		if err != nil {
			return "", err
		}
		now = at(12, 1, 10)
		late, err := admitted(ctx, lim, limit, 60)
		if err != nil {
			return "", err
		}
		sums = append(sums, early+late)
	}
	return fmt.Sprintf("%d, %d, %d, %d", sums...), nil
}

// queue: 10 a second, room for 20. 20 requests come at once. How long does the
// last of them wait, behind a token bucket and behind a leaky one?
func queue(ctx context.Context, l *lab.Lab) (string, error) {
	now := at(13, 0, 0)
	lim, err := newLimiter(l, &now)
	if err != nil {
		return "", err
	}
	var waits []any
	for _, algorithm := range []limiter.Algorithm{limiter.TokenBucket, limiter.LeakyBucket} {
		limit := limiter.Limit{Name: algorithm.String(), Algorithm: algorithm, Quota: 10, Window: time.Second, Burst: 20}
		var last limiter.Decision
		for range 20 {
			last, err = lim.Take(ctx, limiter.Charge{Subject: []string{"user", "ada"}, Limit: limit, Cost: 1})
			if err != nil {
				return "", err
			}
			if last.Outcome != limiter.Allowed {
				return "", fmt.Errorf("%v refused one of 20", algorithm)
			}
		}
		waits = append(waits, last.Delay.Seconds())
	}
	return fmt.Sprintf("%g s and %g s", waits...), nil
}

// race: the counter is at 97, the limit is 100. Ten servers read it before
// any of them writes. How many requests pass, and where does the counter end?
func race(ctx context.Context, l *lab.Lab) (string, error) {
	const key, limit = "rl:race", 100
	rdb := l.Redis()
	if err := rdb.Set(ctx, key, 97, time.Minute).Err(); err != nil {
		return "", err
	}
	seen := make([]int, 10)
	for i := range seen { // all of them read …
		n, err := rdb.Get(ctx, key).Int()
		if err != nil {
			return "", err
		}
		seen[i] = n
	}
	passed := 0
	for _, n := range seen { // … before the first one writes
		if n >= limit {
			continue
		}
		if err := rdb.Set(ctx, key, n+1, redis.KeepTTL).Err(); err != nil {
			return "", err
		}
		passed++
	}
	end, err := rdb.Get(ctx, key).Int()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d pass, and the counter says %d", passed, end), nil
}

// takeOne reads, compares and writes as one command of Redis.
var takeOne = redis.NewScript(`
local n = tonumber(redis.call('GET', KEYS[1]) or '0')
if n >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], n + 1, 'KEEPTTL')
return 1`)

// raceMended: the same ten requests, by the script. How many pass?
func raceMended(ctx context.Context, l *lab.Lab) (string, error) {
	const key, limit = "rl:race:mended", 100
	if err := l.Redis().Set(ctx, key, 97, time.Minute).Err(); err != nil {
		return "", err
	}
	passed := 0
	for range 10 {
		n, err := takeOne.Run(ctx, l.Redis(), []string{key}, limit).Int()
		if err != nil {
			return "", err
		}
		passed += n
	}
	return fmt.Sprint(passed), nil
}

// outage: 5 a minute on each route. Ada has searched 5 times and paid never;
// then Redis goes away, and she sends one of each. What does she read?
func outage(ctx context.Context, l *lab.Lab) (string, error) {
	now := at(14, 0, 0)
	lim, err := newLimiter(l, &now)
	if err != nil {
		return "", err
	}
	site, err := serve(lim, limiter.Limit{Name: "calls", Algorithm: limiter.SlidingCounter, Quota: 5, Window: time.Minute})
	if err != nil {
		return "", err
	}
	for range 5 {
		if w := ask(ctx, site, http.MethodGet, "/search"); w.Code != http.StatusOK {
			return "", fmt.Errorf("a search answered %d while Redis was there", w.Code)
		}
	}
	if w := ask(ctx, site, http.MethodGet, "/search"); w.Code != http.StatusTooManyRequests {
		return "", fmt.Errorf("the sixth search answered %d", w.Code)
	}
	if err := l.Stop(ctx); err != nil {
		return "", err
	}
	search := ask(ctx, site, http.MethodGet, "/search")
	charge := ask(ctx, site, http.MethodPost, "/payments/charge")
	return fmt.Sprintf("%d and %d", search.Code, charge.Code), l.Start(ctx)
}

// numbersKept: 50 million callers, each with 1,000 admitted requests in its
// window. How many numbers does Redis keep, in logs and in sliding counters?
// One caller sends 1,000 a minute for three minutes, and is stored in the plainest
// form of each; what either needs no more, it forgets.
func numbersKept(ctx context.Context, l *lab.Lab) (string, error) {
	const callers, perMinute, minute = 50_000_000, 1000, 60_000 // ms
	rdb := l.Redis()
	_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for n := range 3 * perMinute {
			now := n * minute / perMinute
			p.ZAdd(ctx, "rl:log", redis.Z{Score: float64(now), Member: n})
			p.ZRemRangeByScore(ctx, "rl:log", "-inf", fmt.Sprint(now-minute))
			p.HIncrBy(ctx, "rl:counter", fmt.Sprint(now/minute), 1)
			p.HDel(ctx, "rl:counter", fmt.Sprint(now/minute-2))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	log, err := rdb.ZCard(ctx, "rl:log").Result()
	if err != nil {
		return "", err
	}
	counter, err := rdb.HLen(ctx, "rl:counter").Result()
	return fmt.Sprintf("%g billion and %g million", callers*float64(log)/1e9, callers*float64(counter)/1e6), err
}
