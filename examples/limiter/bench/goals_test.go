package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
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

const (
	rounds  = 5
	span    = 400 * time.Millisecond // of one measurement
	callers = 64
	keys    = 10_000
)

// A contestant decides one call on behalf of a subject.
type contestant struct {
	name string
	call func(subject string) error
}

// A figure is what a contestant did in one measurement.
type figure struct {
	rate float64 // decisions in a second
	cpu  float64 // microseconds of server and client for a decision
}

// plenty is a limit that nothing reaches: all calls are admitted.
func plenty(name string) limiter.Limit {
	return limiter.Limit{Name: name, Algorithm: limiter.FixedWindow, Quota: 1_000_000, Window: time.Hour}
}

func contestants(t *testing.T, rdb *redis.Client) []contestant {
	t.Helper()
	trivial := redis.NewScript("return 1")
	if err := trivial.Load(bg, rdb).Err(); err != nil {
		t.Fatal(err)
	}
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
		{"raw EVALSHA", func(s string) error {
			return rdb.EvalSha(bg, trivial.Hash(), []string{"raw:" + s}, 1).Err()
		}},
		{"ours", ours(t, bg, rdb, limiter.Options{ShareAbove: -1}, plenty("m"))},
		{"ours, shared", ours(t, bg, rdb, limiter.Options{}, plenty("m"))},
		{"ours, caller may leave", ours(t, mayLeave, rdb, limiter.Options{ShareAbove: -1}, plenty("m"))},
		{"ours, three limits", ours(t, bg, rdb, limiter.Options{ShareAbove: -1}, plenty("s"), plenty("m"), plenty("h"))},
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

// must gives a value, or ends the run with the error that came in its place.
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
	o.Prefix = fmt.Sprintf("our%d%d:", len(limits), o.ShareAbove)
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

// measure lets callers call for a span.
func measure(t *testing.T, rdb *redis.Client, c contestant, callers int) figure {
	t.Helper()
	ctx, cancel := context.WithTimeout(bg, span)
	defer cancel()
	var done, failed atomic.Int64
	server, client := serverCPU(t, rdb), clientCPU()
	begin := time.Now()
	var wg sync.WaitGroup
	for n := range callers {
		wg.Go(func() {
			for i := n * 7919; ctx.Err() == nil; i++ {
				if c.call(fmt.Sprintf("u%06d", i%keys)) != nil {
					failed.Add(1)
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	cpu := serverCPU(t, rdb) - server + clientCPU() - client
	if failed.Load() > 0 {
		t.Logf("%s: %d of %d calls failed", c.name, failed.Load(), done.Load())
	}
	n := float64(done.Load())
	return figure{n / took.Seconds(), cpu * 1e6 / n}
}

func serverCPU(t *testing.T, rdb *redis.Client) float64 {
	t.Helper()
	return info(t, rdb, "cpu", "used_cpu_user") + info(t, rdb, "cpu", "used_cpu_sys")
}

func clientCPU() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	seconds := func(v syscall.Timeval) float64 { return float64(v.Sec) + float64(v.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}

// results holds the figures of each contestant, one for each round.
type results map[string][]figure

// ratio is the median over the rounds of what of makes of two figures of one
// round, so that a machine that grows busy does so for both.
func (r results) ratio(of func(figure) float64, a, b string) float64 {
	var all []float64
	for i := range r[a] {
		all = append(all, of(r[a][i])/of(r[b][i]))
	}
	return median(all)
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

func cpu(f figure) float64  { return f.cpu }
func rate(f figure) float64 { return f.rate }

func TestGoals(t *testing.T) {
	o := start(t)
	rdb := redis.NewClient(o)
	defer rdb.Close()
	all := contestants(t, rdb)
	one, many := results{}, results{}
	for range rounds {
		for _, c := range all {
			one[c.name] = append(one[c.name], measure(t, rdb, c, 1))
			many[c.name] = append(many[c.name], measure(t, rdb, c, callers))
		}
	}
	t.Logf("%-26s %12s %12s %14s", "", "1 caller/s", "64 callers/s", "us CPU at 64")
	for _, c := range all {
		var rates, fast, cpus []float64
		for i := range rounds {
			rates = append(rates, one[c.name][i].rate)
			fast = append(fast, many[c.name][i].rate)
			cpus = append(cpus, many[c.name][i].cpu)
		}
		t.Logf("%-26s %12.0f %12.0f %14.1f", c.name, median(rates), median(fast), median(cpus))
	}
	fastest := 0.0
	for _, peer := range []string{"redis_rate", "ulule", "sethvargo, own pool", "throttled"} {
		if r := many.ratio(rate, peer, "ours, shared"); r > fastest {
			fastest = r
		}
	}
	t.Logf("%-66s %7s %7s %7s", "goal", "target", "bound", "figure")
	for _, g := range []struct {
		what          string
		target, bound float64
		figure        float64
	}{
		{"CPU of a decision at 64 callers, one by one / raw EVALSHA, at most", 1.05, 1.20, many.ratio(cpu, "ours", "raw EVALSHA")},
		{"the same, three limits in one script, at most", 1.30, 1.50, many.ratio(cpu, "ours, three limits", "raw EVALSHA")},
		{"three limits / three redis_rate calls, CPU, at most", 0.40, 0.50, many.ratio(cpu, "ours, three limits", "three redis_rate")},
		{"throughput at 64 callers, shared / fastest peer, at least", 2.0, 1.5, 1 / fastest},
		{"CPU, shared / redis_rate on go-redis' AutoPipeline, at most", 0.80, 0.95, many.ratio(cpu, "ours, shared", "redis_rate, AutoPipeline")},
		{"one caller / raw EVALSHA, at least", 0.85, 0.70, one.ratio(rate, "ours, shared", "raw EVALSHA")},
		{"one caller / redis_rate, at least", 1.10, 1.0, one.ratio(rate, "ours, shared", "redis_rate")},
	} {
		t.Logf("%-66s %7.2f %7.2f %7.2f", g.what, g.target, g.bound, g.figure)
	}
}
