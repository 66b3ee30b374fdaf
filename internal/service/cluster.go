package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	masters     = 3 // the fewest that Redis takes for a cluster
	slots       = 16384
	nodeTimeout = 5 * time.Second // after which the others call a node failed
)

// Cluster is three masters, each behind a proxy whose address it announces to
// clients. Its methods may be called by several goroutines.
type Cluster struct {
	members []*Redis
	ids     []string // by which the nodes know each other
}

// StartCluster returns a cluster that is as new and in which every slot is served.
// ctx bounds the starting only. The caller closes it; Close of the source closes
// what is left. The emulator has no clusters.
func (s *Source) StartCluster(ctx context.Context) (*Cluster, error) {
	if !s.Real() {
		return nil, errors.New("start a redis cluster: the emulator has none: " +
			"start Docker, or put redis-server on PATH (apt-get install redis-server, brew install redis)")
	}
	c := &Cluster{}
	password := newPassword()
	for range masters {
		r, err := s.startNew(ctx, password, true)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("start a redis cluster: %w", err), c.Close())
		}
		c.members = append(c.members, r)
	}
	if err := c.form(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start a redis cluster: %w", err), c.Close())
	}
	return c, nil
}

// URL is the first node's; it names the others to whoever asks it.
func (c *Cluster) URL() string { return c.members[0].URL() }

// Version is redis_version of INFO.
func (c *Cluster) Version() string { return c.members[0].Version() }

// Connections returns the number of connections on which a node replied.
func (c *Cluster) Connections() (n int64) {
	for _, r := range c.members {
		n += r.Connections()
	}
	return n
}

// Reset makes the cluster as new, at the same addresses. Nodes that were stopped
// or broken are replaced. An error means that the cluster is no longer the one
// that was started: close it and start another.
func (c *Cluster) Reset(ctx context.Context) error {
	within := readyWithin
	if !c.anyDown() {
		within = nodeTimeout // what was changed by commands does not come back by waiting
	}
	for _, r := range c.members {
		if err := r.Reset(ctx); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return c.waitReady(ctx)
}

// Close ends all nodes and leaves nothing of them.
func (c *Cluster) Close() error {
	var errs []error
	for _, r := range c.members {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

func (c *Cluster) nodes() []*Redis { return c.members }

// form makes a cluster of nodes that know nothing of each other.
func (c *Cluster) form(ctx context.Context) error {
	for i, r := range c.members {
		id, err := r.adopt(ctx, i)
		if err != nil {
			return err
		}
		c.ids = append(c.ids, id)
	}
	return c.waitReady(ctx)
}

// adopt assigns a node its share of the slots, and returns the node's id.
func (r *Redis) adopt(ctx context.Context, i int) (id string, err error) {
	conn, err := r.dial(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	low, high := share(i)
	add := []string{"CLUSTER", "ADDSLOTS"}
	for slot := low; slot <= high; slot++ {
		add = append(add, strconv.Itoa(slot))
	}
	for _, command := range [][]string{add, {"CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i + 1)}} {
		if _, err := conn.do(command...); err != nil {
			return "", err
		}
	}
	answer, err := conn.do("CLUSTER", "MYID")
	return answer.text, err
}

// share is the first and the last slot of a node.
func share(i int) (low, high int) {
	return i * slots / masters, (i+1)*slots/masters - 1
}

func timedOut(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// waitReady returns once every node knows all nodes and serves. It does not wait
// while one is stopped or paused. Nodes find each other again here, whatever
// addresses they got.
func (c *Cluster) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	var why error
	for tries := 0; ; tries++ {
		if c.anyDown() {
			return nil
		}
		now := c.unsettled(ctx)
		if now == nil {
			return nil
		}
		if why == nil || !timedOut(now) { // that the time is up is not why
			why = now
		}
		if tries%40 == 0 { // a meeting takes some round trips, and may fail
			if err := c.meet(ctx); err != nil && !timedOut(err) {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the nodes did not become a cluster in time: %w", why)
		case <-time.After(25 * time.Millisecond):
		}
	}
}

func (c *Cluster) anyDown() bool {
	return slices.ContainsFunc(c.members, func(r *Redis) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.closed || r.stopped || r.frozen
	})
}

// meet sends the addresses of the other nodes to the first. Nodes that it knows under
// another address are not added again.
func (c *Cluster) meet(ctx context.Context) error {
	first, err := c.members[0].direct(ctx)
	if err != nil {
		return err
	}
	defer first.Close()
	for _, r := range c.members[1:] {
		host, port, err := r.peer(ctx)
		if err != nil {
			return err
		}
		bus, err := busPort(port)
		if err != nil {
			return err
		}
		if _, err := first.do("CLUSTER", "MEET", host, port, bus); err != nil {
			return err
		}
	}
	return nil
}

func (r *Redis) peer(ctx context.Context) (host, port string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.server.peer(ctx)
}

// direct connects past the proxy, which may be cut or slow.
func (r *Redis) direct(ctx context.Context) (*conn, error) {
	r.mu.Lock()
	addr := r.server.addr()
	r.mu.Unlock()
	return dialRedis(ctx, addr, r.password)
}

// unsettled says what some node sees that is not as it was formed, or nil.
func (c *Cluster) unsettled(ctx context.Context) error {
	for _, r := range c.members {
		if err := c.ask(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// ask asks one node what it sees.
func (c *Cluster) ask(ctx context.Context, r *Redis) error {
	conn, err := r.direct(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	view, err := conn.do("CLUSTER", "NODES")
	if err != nil {
		return err
	}
	if err := c.compare(view.text); err != nil {
		return err
	}
	info, err := conn.do("CLUSTER", "INFO")
	if err == nil && !strings.Contains(info.text, "cluster_state:ok") {
		return errors.New("a node says that the cluster is down")
	}
	return err
}

// compare returns how a node's view of the cluster, as CLUSTER NODES writes it,
// differs from what was formed, in all that differs: a meeting or a link that is
// down for a moment must not hide a lost slot.
func (c *Cluster) compare(view string) error {
	var all []string
	known := 0
	for line := range strings.Lines(view) {
		fields := strings.Fields(line)
		if len(fields) < 8 {
			return fmt.Errorf("a node says %q", line)
		}
		if strings.Contains(fields[2], "handshake") { // a meeting, of which nothing stays where both know each other
			all = append(all, "two nodes are just meeting")
			continue
		}
		known++
		i := slices.Index(c.ids, fields[0])
		if i < 0 {
			return fmt.Errorf("a node knows a stranger, %s", fields[0])
		}
		if flags := strings.TrimPrefix(fields[2], "myself,"); flags != "master" || fields[7] != "connected" {
			all = append(all, fmt.Sprintf("node %d is %s and %s", i+1, flags, fields[7]))
		}
		low, high := share(i)
		if served := strings.Join(fields[8:], " "); served != fmt.Sprintf("%d-%d", low, high) {
			all = append(all, fmt.Sprintf("node %d serves the slots %q", i+1, served))
		}
	}
	if known != len(c.ids) {
		all = append(all, fmt.Sprintf("a node knows %d nodes", known))
	}
	if len(all) > 0 {
		return errors.New(strings.Join(all, "; "))
	}
	return nil
}

// busPort is where nodes talk to each other: ten thousand above their port.
func busPort(port string) (string, error) {
	n, err := strconv.Atoi(port)
	if err != nil {
		return "", fmt.Errorf("the port of a node: %w", err)
	}
	return strconv.Itoa(n + 10000), nil
}

// freeNodeAddr is a loopback address that was free a moment ago, and so was its
// bus port.
func freeNodeAddr() (string, error) {
	for try := 1; ; try++ {
		addr, err := freeAddr()
		if err != nil {
			return "", err
		}
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return "", err
		}
		bus, err := busPort(port)
		if err != nil {
			return "", err
		}
		l, err := net.Listen("tcp", net.JoinHostPort(host, bus))
		if err == nil {
			return addr, l.Close()
		}
		if try == 50 {
			return "", fmt.Errorf("find a free port for a node: %w", err)
		}
	}
}
