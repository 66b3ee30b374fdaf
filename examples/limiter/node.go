package limiter

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// A node is one Redis server, with a queue and a breaker of its own: where it is
// silent, only calls for its own keys wait.
type node struct {
	rdb     *redis.Client // in a Cluster
	wire    *pipeline
	breaker *breaker
}

// A topology finds the node that holds a key.
type topology struct {
	single   *node                // without a Cluster
	cluster  *redis.ClusterClient // nil without a Cluster
	redirect *pipeline            // follows redirections of a Cluster, one call at a time
	create   func(redis.UniversalClient) *node

	loaded atomic.Bool // the topology has been read
	mu     sync.RWMutex
	byAddr map[string]*node
}

func newNodes(rdb redis.UniversalClient, o Options, span *budget, changed func(open bool, cause error)) *topology {
	n := &topology{byAddr: map[string]*node{}}
	n.create = func(rdb redis.UniversalClient) *node {
		b := &breaker{most: int32(o.Failures), pause: o.Pause, changed: changed}
		return &node{
			wire:    &pipeline{rdb: rdb, above: int32(o.ShareAbove), budget: span, attempted: func(err error) { n.attempted(b, err) }},
			breaker: b,
		}
	}
	cluster, ok := rdb.(*redis.ClusterClient)
	if !ok {
		n.single = n.create(rdb)
		return n
	}
	n.cluster = cluster
	n.redirect = &pipeline{rdb: cluster, above: -1, budget: span, attempted: func(error) {}}
	return n
}

// attempted notes how a round trip ended. After one that failed, a Cluster client
// reads the topology again, because the slots of the node may have a new master;
// by itself it would notice only after a minute.
func (n *topology) attempted(b *breaker, err error) {
	b.record(err)
	if err != nil && !answered(err) {
		n.reload()
	}
}

// reload makes a Cluster client read the topology, in the background and at most
// five times a second.
func (n *topology) reload() {
	if n.cluster != nil {
		n.cluster.ReloadState(context.Background())
	}
}

// forKey returns the node that holds a key, as far as the client knows.
func (n *topology) forKey(ctx context.Context, end *epoch, key string) (*node, error) {
	if n.single != nil {
		return n.single, nil
	}
	rdb, err := n.master(ctx, end, key)
	if err != nil {
		return nil, err
	}
	addr := rdb.Options().Addr
	n.mu.RLock()
	one := n.byAddr[addr]
	n.mu.RUnlock()
	if one != nil && one.rdb == rdb {
		return one, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if one = n.byAddr[addr]; one == nil || one.rdb != rdb {
		one = n.create(rdb)
		one.rdb = rdb
		n.byAddr[addr] = one
		go n.prune()
	}
	return one, nil
}

// prune drops nodes that are masters no longer, and closes their breakers,
// which no call would ever close.
func (n *topology) prune() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var mu sync.Mutex
	masters := map[string]bool{}
	err := n.cluster.ForEachMaster(ctx, func(_ context.Context, rdb *redis.Client) error {
		mu.Lock()
		defer mu.Unlock()
		masters[rdb.Options().Addr] = true
		return nil
	})
	if err != nil || len(masters) == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for addr, one := range n.byAddr {
		if !masters[addr] {
			delete(n.byAddr, addr)
			one.breaker.succeed()
		}
	}
}

// master returns the client of the master of a key. It waits no longer than the
// caller does for a topology that has to be read first.
func (n *topology) master(ctx context.Context, end *epoch, key string) (*redis.Client, error) {
	if n.loaded.Load() {
		return n.cluster.MasterForKey(ctx, key)
	}
	type answer struct {
		rdb *redis.Client
		err error
	}
	done := make(chan answer, 1)
	go func() {
		rdb, err := n.cluster.MasterForKey(bounded{context.WithoutCancel(ctx), end}, key)
		if err == nil {
			n.loaded.Store(true)
		}
		done <- answer{rdb, err}
	}()
	select {
	case a := <-done:
		return a.rdb, a.err
	case <-ctx.Done():
		return nil, errAbandoned
	case <-time.After(time.Until(end.end)):
		return nil, context.DeadlineExceeded
	}
}
