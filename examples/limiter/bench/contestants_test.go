package bench

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	redigo "github.com/gomodule/redigo/redis"
	"github.com/redis/go-redis/v9"
	"github.com/sethvargo/go-redisstore"
	"github.com/throttled/throttled/v2"
	throttledstore "github.com/throttled/throttled/v2/store/goredisstore.v9"
	ulule "github.com/ulule/limiter/v3"
	ululestore "github.com/ulule/limiter/v3/drivers/store/redis"

	"verbatim/examples/limiter"
)

// A contestant decides one call on behalf of a subject.
type contestant struct {
	name string
	call func(subject string) error
}

// plenty is a limit that nothing reaches: all calls are admitted.
func plenty(name string) limiter.Limit {
	return limiter.Limit{Name: name, Algorithm: limiter.FixedWindow, Quota: 1_000_000, Window: time.Hour}
}

func contestants(t *testing.T, rdb *redis.Client) []contestant {
	t.Helper()
	rate := redis_rate.NewLimiter(rdb)
	hour := redis_rate.Limit{Rate: 1_000_000, Burst: 1_000_000, Period: time.Hour}
	automatic := redis_rate.NewLimiter(must(rdb.AutoPipeline())(t))
	store := must(ululestore.NewStore(rdb))(t)
	windows := ulule.New(store, ulule.Rate{Period: time.Hour, Limit: 1_000_000})
	gcra := must(throttled.NewGCRARateLimiterCtx(must(throttledstore.NewCtx(rdb, "th:"))(t),
		throttled.RateQuota{MaxRate: throttled.PerHour(1_000_000), MaxBurst: 1_000_000}))(t)
	o := rdb.Options()
	interval := must(redisstore.NewWithPool(&redisstore.Config{Tokens: 1_000_000, Interval: time.Hour}, &redigo.Pool{
		MaxIdle: callers,
		Dial:    func() (redigo.Conn, error) { return redigo.Dial("tcp", o.Addr, redigo.DialPassword(o.Password)) },
	}))(t)
	t.Cleanup(func() { interval.Close(bg) })
	mayLeave, cancel := context.WithCancel(bg) // as the context of every HTTP request
	t.Cleanup(cancel)
	return []contestant{
		{"raw EVALSHA", evalsha(t, rdb, "return 1", 1)},
		{"our script by hand", evalsha(t, rdb, quickWindow(t), "f", time.Hour.Microseconds(), 1_000_000, 1)},
		{"ours, one by one", ours(t, bg, rdb, limiter.Options{ShareAbove: -1}, plenty("m"))},
		{"ours, shared", ours(t, bg, rdb, limiter.Options{}, plenty("m"))},
		{"ours, caller may leave", ours(t, mayLeave, rdb, limiter.Options{ShareAbove: -1}, plenty("m"))},
		{"ours, three limits", ours(t, bg, rdb, limiter.Options{ShareAbove: -1}, plenty("s"), plenty("m"), plenty("h"))},
		{"ours, refused", ours(t, bg, rdb, limiter.Options{ShareAbove: -1, Prefix: "no:"}, limiter.Limit{Name: "m", Algorithm: limiter.FixedWindow, Quota: 1, Window: 24 * time.Hour})},
		{"redis_rate", func(s string) error { _, err := rate.Allow(bg, s, hour); return err }},
		{"three redis_rate", func(s string) error {
			for _, name := range []string{"s", "m", "h"} {
				if _, err := rate.Allow(bg, name+s, hour); err != nil {
					return err
				}
			}
			return nil
		}},
		{"redis_rate, AutoPipeline", func(s string) error { _, err := automatic.Allow(bg, "auto"+s, hour); return err }},
		{"ulule", func(s string) error { _, err := windows.Get(bg, s); return err }},
		{"sethvargo, own pool", func(s string) error { _, _, _, _, err := interval.Take(bg, s); return err }},
		{"throttled", func(s string) error { _, _, err := gcra.RateLimitCtx(bg, s, 1); return err }},
	}
}

// must returns a value, or fails the test with the error.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func ours(t *testing.T, ctx context.Context, rdb *redis.Client, o limiter.Options, limits ...limiter.Limit) func(string) error {
	t.Helper()
	o.Prefix = fmt.Sprintf("%sour%d%d:", o.Prefix, len(limits), o.ShareAbove)
	o.Timeout = 10 * time.Second
	l := must(limiter.New(rdb, o))(t)
	return func(subject string) error {
		var room [3]limiter.Charge
		charges := room[:len(limits)]
		for i, limit := range limits {
			charges[i] = limiter.Charge{Subject: []string{subject}, Limit: limit, Cost: 1}
		}
		_, err := l.Take(ctx, charges...)
		return err
	}
}

// evalsha calls a script as a program without a library would.
func evalsha(t *testing.T, rdb *redis.Client, text string, args ...any) func(string) error {
	t.Helper()
	script := redis.NewScript(text)
	must(script.Load(bg, rdb).Result())(t)
	prefix := fmt.Sprintf("raw%d:", len(args))
	return func(s string) error { return rdb.EvalSha(bg, script.Hash(), []string{prefix + s}, args...).Err() }
}

// quickWindow is the limiter's script for one fixed window, the quick way alone.
func quickWindow(t *testing.T) string {
	t.Helper()
	return string(must(os.ReadFile("../testdata/quick/one.lua"))(t))
}
