package bench

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	callers = 64
	keys    = 10_000
)

// effort is how many rounds are run, and the span of one measurement: many and
// short, so that a machine that grows busy does so for all.
func effort() (rounds int, span time.Duration) {
	if testing.Short() {
		return 5, 100 * time.Millisecond
	}
	return 15, 150 * time.Millisecond
}

// subjects are those on whose behalf contestants are called.
var subjects = func() []string {
	all := make([]string, keys)
	for i := range all {
		all[i] = fmt.Sprintf("u%06d", i)
	}
	return all
}()

// A figure is what a contestant did in one measurement.
type figure struct {
	rate float64 // decisions in a second
	cpu  float64 // microseconds of server and client for a decision
}

// measure lets callers call for a span, after some calls each in which goroutines
// and connections find their size.
func measure(t *testing.T, rdb *redis.Client, c contestant, callers int, span time.Duration) figure {
	t.Helper()
	var done, failed atomic.Int64
	call := func(i int) {
		if c.call(subjects[i%keys]) != nil {
			failed.Add(1)
		}
	}
	var warm, measured sync.WaitGroup
	warm.Add(callers)
	start, end := make(chan struct{}), make(chan struct{})
	for n := range callers {
		measured.Go(func() {
			for i := range 4 {
				call(n*7919 + i)
			}
			warm.Done()
			<-start
			for i := n * 7919; !closed(end); i++ {
				call(i)
				done.Add(1)
			}
		})
	}
	warm.Wait()
	before, begin := serverCPU(t, rdb)+clientCPU(), time.Now()
	close(start)
	time.AfterFunc(span, func() { close(end) })
	measured.Wait()
	took, spent := time.Since(begin), serverCPU(t, rdb)+clientCPU()-before
	if failed.Load() > 0 {
		t.Logf("%s: %d of %d calls failed", c.name, failed.Load(), done.Load())
	}
	n := float64(done.Load())
	return figure{n / took.Seconds(), spent * 1e6 / n}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
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
// round.
func (r results) ratio(of func(figure) float64, a, b string) float64 {
	all := r.all(of, a)
	for i, f := range r.all(of, b) {
		all[i] /= f
	}
	return median(all)
}

// middle is the median over the rounds of what of makes of a's figures.
func (r results) middle(of func(figure) float64, a string) float64 {
	return median(r.all(of, a))
}

// all is what of makes of each of a's figures.
func (r results) all(of func(figure) float64, a string) []float64 {
	var all []float64
	for _, f := range r[a] {
		all = append(all, of(f))
	}
	return all
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

func cpu(f figure) float64  { return f.cpu }
func rate(f figure) float64 { return f.rate }

// goals prints the head of a table of goals.
func goals(t *testing.T) {
	t.Helper()
	t.Logf("%-68s %7s %7s %7s", "goal", "target", "bound", "figure")
}

func TestGoals(t *testing.T) {
	rdb := redis.NewClient(start(t))
	defer rdb.Close()
	all := contestants(t, rdb)
	one, many := results{}, results{}
	rounds, span := effort()
	inTurn := slices.Clone(all)
	for range rounds {
		slices.Reverse(inTurn) // who came first comes last
		for _, c := range inTurn {
			one[c.name] = append(one[c.name], measure(t, rdb, c, 1, span))
			many[c.name] = append(many[c.name], measure(t, rdb, c, callers, span))
		}
	}
	t.Logf("%-26s %12s %12s %14s", "", "1 caller/s", "64 callers/s", "us CPU at 64")
	for _, c := range all {
		t.Logf("%-26s %12.0f %12.0f %14.1f", c.name, one.middle(rate, c.name), many.middle(rate, c.name), many.middle(cpu, c.name))
	}
	fastest := 0.0
	for _, peer := range []string{"redis_rate", "ulule", "sethvargo, own pool", "throttled"} {
		fastest = max(fastest, many.ratio(rate, peer, "ours, shared"))
	}
	t.Logf("%-68s %7s %7s %7s", "goal: CPU of a decision at 64 callers, at most", "target", "bound", "figure")
	for _, g := range []struct{ what, target, bound, a, b string }{
		{"one by one / raw EVALSHA of 'return 1'", "1.05", "1.20", "ours, one by one", "raw EVALSHA"},
		{"three limits in one script / the same", "1.30", "1.50", "ours, three limits", "raw EVALSHA"},
		{"three limits in one script / three redis_rate calls", "0.40", "0.50", "ours, three limits", "three redis_rate"},
		{"shared / redis_rate on go-redis' AutoPipeline", "0.80", "0.95", "ours, shared", "redis_rate, AutoPipeline"},
		{"as shipped, shared / raw EVALSHA one by one", "", "", "ours, shared", "raw EVALSHA"},
		{"one by one / EVALSHA of the same script by hand", "", "", "ours, one by one", "our script by hand"},
		{"one by one / redis_rate", "", "", "ours, one by one", "redis_rate"},
	} {
		t.Logf("%-68s %7s %7s %7.2f", g.what, g.target, g.bound, many.ratio(cpu, g.a, g.b))
	}
	goals(t)
	for _, g := range []struct {
		what          string
		target, bound float64
		figure        float64
	}{
		{"throughput at 64 callers, shared / fastest peer as shipped, at least", 2.0, 1.5, 1 / fastest},
		{"one caller / raw EVALSHA, at least", 0.85, 0.70, one.ratio(rate, "ours, shared", "raw EVALSHA")},
		{"one caller / redis_rate, at least", 1.10, 1.0, one.ratio(rate, "ours, shared", "redis_rate")},
	} {
		t.Logf("%-68s %7.2f %7.2f %7.2f", g.what, g.target, g.bound, g.figure)
	}
}
