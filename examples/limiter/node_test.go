package limiter

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// A faultyCluster is three masters of a test's own, the first with a replica, that
// the test may stop, kill and fail over.
type faultyCluster struct {
	masters []*redisServer
	replica *redisServer
}

func newFaultyCluster(t *testing.T) *faultyCluster {
	t.Helper()
	needRedis(t)
	config := func() []string {
		// A silent node must stay a master, so that it is the limiter which copes.
		return []string{"cluster-enabled yes", "cluster-node-timeout 1000", "cluster-require-full-coverage no", "cluster-port " + strconv.Itoa(freePort()), "repl-diskless-sync-delay 0"}
	}
	f := &faultyCluster{}
	for range 4 {
		s := newServer(t, config()...)
		f.masters = append(f.masters, s)
	}
	f.replica, f.masters = f.masters[3], f.masters[:3]
	for i, s := range f.masters {
		rdb := s.client(t)
		last := (i+1)*nodeSlots - 1
		if i == 2 {
			last = 16383
		}
		must(t, rdb.Do(bg, "CLUSTER", "ADDSLOTSRANGE", i*nodeSlots, last).Err())
		rdb.Do(bg, "CLUSTER", "SET-CONFIG-EPOCH", i+1)
		must(t, meet(rdb, f.masters[0]))
	}
	replica := f.replica.client(t)
	must(t, meet(replica, f.masters[0]))
	everyone := append([]*redisServer{f.replica}, f.masters...)
	waitFor(t, "all four nodes know each other", func() bool {
		for _, s := range everyone {
			rdb := redis.NewClient(s.options())
			info := rdb.ClusterInfo(bg).Val()
			rdb.Close()
			if !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_known_nodes:4") {
				return false
			}
		}
		return true
	})
	id := f.masters[0].client(t).Do(bg, "CLUSTER", "MYID").Val()
	waitFor(t, "the replica follows", func() bool { return replica.Do(bg, "CLUSTER", "REPLICATE", id).Err() == nil })
	waitFor(t, "the replica has everything", func() bool {
		return strings.Contains(replica.Info(bg, "replication").Val(), "master_link_status:up")
	})
	must(t, patient(everyone))
	return f
}

// patience is what the calls of these tests have: far longer than a healthy node
// takes on a busy machine, far shorter than the faults last.
const patience = 300 * time.Millisecond

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// client is one as users make it, by ClientOptions, with time enough for a busy
// machine.
func (f *faultyCluster) client(t *testing.T) *redis.ClusterClient {
	t.Helper()
	o := ClientOptions()
	for _, s := range f.masters {
		o.Addrs = append(o.Addrs, s.addr)
	}
	o.Password = password
	o.ReadTimeout, o.WriteTimeout, o.DialTimeout = patience, patience, patience
	rdb := redis.NewUniversalClient(o).(*redis.ClusterClient)
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

// on returns so many charges of a limit whose keys live on the master.
func (f *faultyCluster) on(t *testing.T, l *Limiter, master int, n int, limit Limit) []Charge {
	t.Helper()
	var charges []Charge
	for i := 0; len(charges) < n; i++ {
		c := Charge{Subject: []string{fmt.Sprint("subject", i)}, Limit: limit, Cost: 1}
		if owner(t, l, c) == f.masters[master].addr {
			charges = append(charges, c)
		}
	}
	return charges
}

// A crowd of callers takes charges until it is stopped, and counts.
type crowd struct {
	decided, allowed, down atomic.Int64
	kinds                  sync.Map // ErrorKind → the first error of it
	stopped                atomic.Bool
	wg                     sync.WaitGroup
}

func newCrowd(l *Limiter, callers int, charges []Charge) *crowd {
	c := &crowd{}
	for i := range callers {
		c.wg.Go(func() {
			for n := i; !c.stopped.Load(); n++ {
				d, err := l.Take(bg, charges[n%len(charges)])
				switch {
				case err != nil:
					c.down.Add(1)
					c.kinds.LoadOrStore(kindOf(errors.Unwrap(err)), err)
					time.Sleep(time.Millisecond) // as a client would
				case d.Outcome == Allowed:
					c.allowed.Add(1)
				}
				if err == nil {
					c.decided.Add(1)
				}
			}
		})
	}
	return c
}

func (c *crowd) stop() {
	c.stopped.Store(true)
	c.wg.Wait()
}

// One of three masters is silent, or gone: calls for the keys of the two others are
// decided, all of them, while every caller of the silent one waits.
func TestClusterSilentNode(t *testing.T) {
	for _, fault := range []string{"stopped", "killed"} {
		t.Run(fault, func(t *testing.T) {
			f := newFaultyCluster(t)
			l := newLimiter(t, f.client(t), Options{Split: true, Timeout: patience, DialTimeout: patience, Metrics: MetricsList{}})
			limit := long(FixedWindow, 1_000_000_000)
			ill := f.on(t, l, 0, 8, limit)
			healthy := append(f.on(t, l, 1, 8, limit), f.on(t, l, 2, 8, limit)...)
			for _, c := range append(ill, healthy...) {
				warm(t, l, c)
			}
			few, many := newCrowd(l, 8, ill), newCrowd(l, 16, healthy)
			defer few.stop()
			defer many.stop()
			time.Sleep(300 * time.Millisecond)
			if fault == "stopped" {
				f.masters[0].pause()
			} else {
				f.masters[0].stop()
			}
			down, decided := many.down.Load(), many.decided.Load()
			time.Sleep(2 * time.Second)
			down, decided = many.down.Load()-down, many.decided.Load()-decided
			ours := few.down.Load()
			if fault == "stopped" {
				f.masters[0].resume()
			}
			t.Logf("%d calls of healthy nodes decided, %d not; %d of the other not", decided, down, ours)
			if decided < 1000 || down > 0 || ours == 0 {
				t.Errorf("%d calls of healthy nodes went undecided, %d were decided, %d of the ill one undecided", down, decided, ours)
			}
			if fault == "stopped" {
				before := few.decided.Load()
				waitFor(t, "the node decides again", func() bool { return few.decided.Load() > before+100 })
			}
		})
	}
}

// A master is killed, or falls silent, and its replica takes over at once: the
// shard decides again within two seconds, and nothing is admitted above the limit.
func TestClusterTakeover(t *testing.T) {
	for _, fault := range []string{"killed", "stopped"} {
		t.Run(fault, func(t *testing.T) {
			f := newFaultyCluster(t)
			l := newLimiter(t, f.client(t), Options{Split: true, Timeout: patience, DialTimeout: patience, Metrics: MetricsList{}})
			ill, healthy := f.on(t, l, 0, 1, long(SlidingLog, 500)), f.on(t, l, 1, 8, long(FixedWindow, 1_000_000_000))
			for _, c := range append(ill, healthy...) {
				warm(t, l, c)
			}
			first := newCrowd(l, 4, ill)
			waitFor(t, "the limit is used up", func() bool { return first.decided.Load() > 600 })
			first.stop()
			must(t, f.masters[0].client(t).Wait(bg, 1, time.Minute).Err()) // the replica has it all
			replica := f.replica.client(t)
			few, many := newCrowd(l, 4, ill), newCrowd(l, 8, healthy)
			if fault == "stopped" {
				f.masters[0].pause()
				defer f.masters[0].resume()
			} else {
				f.masters[0].stop()
			}
			down, begin := many.down.Load(), time.Now()
			must(t, replica.Do(bg, "CLUSTER", "FAILOVER", "TAKEOVER").Err())
			before := few.decided.Load()
			waitFor(t, "the shard decides again", func() bool { return few.decided.Load() > before })
			took := time.Since(begin)
			time.Sleep(200 * time.Millisecond)
			few.stop()
			many.stop()
			t.Logf("decided again after %v; %d calls of it undecided", took, few.down.Load())
			if took > 2*time.Second {
				t.Errorf("decided again after %v", took)
			}
			if n := many.down.Load() - down; n > 0 {
				t.Errorf("%d calls of healthy nodes went undecided", n)
			}
			if n := first.allowed.Load() + few.allowed.Load(); n > 500 {
				t.Errorf("admitted %d of 500", n)
			}
		})
	}
}

// Redis stops for a moment under 64 callers. A breaker that counted callers kept
// everybody away for half a second; now few calls go undecided, and none once Redis
// is back.
func TestStall(t *testing.T) {
	s := newServer(t)
	host, port, _ := net.SplitHostPort(s.addr)
	for _, row := range []struct {
		stall time.Duration
		most  int64
	}{{30 * time.Millisecond, 200}, {100 * time.Millisecond, 200}, {300 * time.Millisecond, 5000}} {
		t.Run(row.stall.String(), func(t *testing.T) {
			o := ClientOptions(net.JoinHostPort(host, port))
			o.Password = password
			rdb := redis.NewUniversalClient(o)
			t.Cleanup(func() { rdb.Close() })
			l := newLimiter(t, rdb, Options{Timeout: DefaultTimeout, Metrics: MetricsList{}})
			c := charge(long(FixedWindow, 1_000_000_000))
			warm(t, l, c)
			crowd := newCrowd(l, 64, []Charge{c})
			defer crowd.stop()
			// A busy machine has stalls of its own: the best of five counts. A breaker
			// that stays open for half a second fails all five.
			for range 5 {
				time.Sleep(300 * time.Millisecond)
				before := crowd.down.Load()
				s.pause()
				time.Sleep(row.stall)
				s.resume()
				time.Sleep(100 * time.Millisecond)
				during := crowd.down.Load()
				time.Sleep(400 * time.Millisecond)
				late := crowd.down.Load() - during
				t.Logf("%d calls undecided, %d of them 100 ms after Redis was back", during-before+late, late)
				if during-before+late <= row.most && late == 0 {
					return
				}
			}
			t.Errorf("five times more than %d calls undecided, or some of them 100 ms after Redis was back", row.most)
		})
	}
}
