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

// nodes are the three masters that all cluster tests share.
var nodes = sync.OnceValues(launchCluster)

const nodeSlots = 16384 / 3

func launchCluster() ([]*redisServer, error) {
	var all []*redisServer
	for range 3 {
		s, err := launch(0, "cluster-enabled yes", "cluster-node-timeout 1000", "cluster-require-full-coverage no", "cluster-port "+strconv.Itoa(freePort()))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	for i, s := range all {
		rdb := redis.NewClient(s.options())
		defer rdb.Close()
		first, last := i*nodeSlots, (i+1)*nodeSlots-1
		if i == 2 {
			last = 16383
		}
		if err := rdb.Do(bg, "CLUSTER", "ADDSLOTSRANGE", first, last).Err(); err != nil {
			return nil, err
		}
		rdb.Do(bg, "CLUSTER", "SET-CONFIG-EPOCH", i+1)
		if err := meet(rdb, all[0]); err != nil {
			return nil, err
		}
	}
	if err := agreed(all); err != nil {
		return nil, err
	}
	return all, patient(all)
}

// meet makes a node known to the first one.
func meet(rdb *redis.Client, first *redisServer) error {
	of := redis.NewClient(first.options())
	defer of.Close()
	bus, err := of.ConfigGet(bg, "cluster-port").Result()
	if err != nil {
		return err
	}
	host, port, _ := net.SplitHostPort(first.addr)
	return rdb.Do(bg, "CLUSTER", "MEET", host, port, bus["cluster-port"]).Err()
}

// patient makes the nodes bear with each other on a busy machine; until they
// know each other, the same patience is what they wait for.
func patient(all []*redisServer) error {
	for _, s := range all {
		rdb := redis.NewClient(s.options())
		defer rdb.Close()
		if err := rdb.ConfigSet(bg, "cluster-node-timeout", "60000").Err(); err != nil {
			return err
		}
	}
	return nil
}

// agreed waits until every node knows the whole cluster.
func agreed(all []*redisServer) error {
	for range 5000 {
		ok := 0
		for _, s := range all {
			rdb := redis.NewClient(s.options())
			info := rdb.ClusterInfo(bg).Val()
			rdb.Close()
			if strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3") {
				ok++
			}
		}
		if ok == len(all) {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("the cluster does not come together")
}

func clusterOptions(t testing.TB) *redis.ClusterOptions {
	t.Helper()
	needRedis(t)
	all, err := nodes()
	if err != nil {
		t.Fatal(err)
	}
	o := &redis.ClusterOptions{
		Password: password, ContextTimeoutEnabled: true, DialerRetries: 1, DisableIdentity: true,
		DialTimeout: time.Minute, ReadTimeout: time.Minute, WriteTimeout: time.Minute, PoolSize: 64,
	}
	for _, s := range all {
		o.Addrs = append(o.Addrs, s.addr)
	}
	return o
}

func clusterClient(t testing.TB) *redis.ClusterClient {
	t.Helper()
	rdb := redis.NewClusterClient(clusterOptions(t))
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

func firstPart(subject []string) string { return subject[0] }

func TestClusterChoices(t *testing.T) {
	deaf := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}})
	good := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"127.0.0.1:1"}, ContextTimeoutEnabled: true})
	ring := redis.NewRing(&redis.RingOptions{})
	t.Cleanup(func() { deaf.Close(); good.Close(); ring.Close() })
	for _, row := range []struct {
		rdb  redis.UniversalClient
		o    Options
		want string
	}{
		{good, Options{}, "Options.Tag"},
		{good, Options{Tag: firstPart, Split: true}, "exclude each other"},
		{deaf, Options{Tag: firstPart}, "ContextTimeoutEnabled"},
		{ring, Options{}, "Ring"},
		{nil, Options{}, "no Redis client"},
		{good, Options{Split: true, Prefix: "{x}"}, "brace"},
		{good, Options{Split: true}, ""},
		{good, Options{Tag: firstPart}, ""},
	} {
		_, err := New(row.rdb, row.o)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%+v: %v, want %q", row.o, err, row.want)
		}
	}
}

func TestClusterTag(t *testing.T) {
	l := newLimiter(t, clusterClient(t), Options{Tag: firstPart})
	c := func(tenant, who string) Charge {
		return Charge{Subject: []string{tenant, who}, Limit: long(FixedWindow, 2), Cost: 1}
	}
	for tenant := range 20 {
		name := fmt.Sprint("tenant", tenant)
		for range 2 {
			if d := take(t, l, c(name, "ada"), c(name, "bob"), c(name, "eve")); d.Outcome != Allowed {
				t.Fatalf("%v", d)
			}
		}
		if d := take(t, l, c(name, "zoe"), c(name, "bob")); d.Outcome != Limited {
			t.Fatalf("%v", d)
		}
		if n := used(t, l, c(name, "zoe")); n != 0 {
			t.Errorf("a refused call charged %d", n)
		}
	}
	_, err := l.Take(bg, c("tenant1", "ada"), c("tenant2", "ada"))
	var invalid *InvalidError
	if !errors.As(err, &invalid) || !strings.Contains(err.Error(), "tags") {
		t.Errorf("two tags in one call: %v", err)
	}
}

// apart returns two charges whose keys are on different nodes.
func apart(t *testing.T, l *Limiter, a, b Limit) (Charge, Charge) {
	t.Helper()
	one := Charge{Subject: []string{"one"}, Limit: a, Cost: 1}
	for i := range 100 {
		two := Charge{Subject: []string{"two", fmt.Sprint(i)}, Limit: b, Cost: 1}
		if owner(t, l, one) != owner(t, l, two) {
			return one, two
		}
	}
	t.Fatal("no two keys on two nodes")
	return Charge{}, Charge{}
}

func owner(t *testing.T, l *Limiter, c Charge) string {
	t.Helper()
	key, err := l.Key(c)
	if err != nil {
		t.Fatal(err)
	}
	node, err := l.rdb.(*redis.ClusterClient).MasterForKey(bg, key)
	if err != nil {
		t.Fatal(err)
	}
	return node.Options().Addr
}

func TestClusterSplit(t *testing.T) {
	for _, a := range all {
		t.Run(a.String(), func(t *testing.T) {
			l := newLimiter(t, clusterClient(t), Options{Split: true})
			wide, tight := apart(t, l, long(a, 100), long(a, 10))
			var admitted, failed atomic.Int64
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					for range 25 {
						d, err := l.Take(bg, wide, tight)
						switch {
						case err != nil:
							failed.Add(1)
						case d.Outcome == Allowed:
							admitted.Add(1)
						}
					}
				})
			}
			wg.Wait()
			if admitted.Load() != 10 || failed.Load() != 0 {
				t.Errorf("admitted %d of 10, %d errors", admitted.Load(), failed.Load())
			}
			if n, m := used(t, l, wide), used(t, l, tight); n != 10 || m != 10 {
				t.Errorf("used %d and %d, want what was admitted", n, m)
			}
			d := take(t, l, wide, tight)
			if d.Outcome != Limited || len(d.Violated) != 1 || d.Results[0].Granted != 0 || d.Results[0].Remaining != 90 {
				t.Errorf("%+v", d)
			}
		})
	}
}

func TestClusterSplitGrantAndRefund(t *testing.T) {
	l := newLimiter(t, clusterClient(t), Options{Split: true})
	wide, tight := apart(t, l, long(SlidingLog, 100), long(TokenBucket, 3))
	wide.Cost, wide.AtMost = 7, true
	tight.Cost, tight.AtMost = 7, true
	d := take(t, l, wide, tight)
	if d.Outcome != Allowed || d.Granted != 3 || d.Results[0].Granted != 3 || used(t, l, wide) != 3 {
		t.Errorf("%+v", d)
	}
	for range 2 {
		back, err := l.Refund(bg, d.ID(), wide, tight)
		if err != nil || used(t, l, wide) != 0 || used(t, l, tight) != 0 {
			t.Errorf("refund: %+v, %v; used %d and %d", back, err, used(t, l, wide), used(t, l, tight))
		}
	}
	if err := l.Reset(bg, wide, tight); err != nil {
		t.Error(err)
	}
	if _, err := l.TakeOnce(bg, "id", wide, tight); err == nil {
		t.Error("a request id over two slots was accepted")
	}
}

func TestClusterSweep(t *testing.T) {
	rdb := clusterClient(t)
	l := newLimiter(t, rdb, Options{Split: true})
	for i := range 60 {
		c := Charge{Subject: []string{fmt.Sprint(i)}, Limit: long(FixedWindow, 5), Cost: 1}
		take(t, l, c)
		if i%20 == 0 {
			key, _ := l.Key(c)
			rdb.Persist(bg, key)
		}
	}
	r, err := l.Sweep(bg, SweepOptions{Repair: true})
	if err != nil || r.Scanned < 60 || r.Repaired != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	if warnings, err := l.Check(bg); err != nil || len(warnings) != 0 {
		t.Errorf("%q, %v", warnings, err)
	}
}
