package claims

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab/labtest"
)

// A connection that is lost after INCR leaves a counter without an expiry. One
// that is lost before EXEC leaves nothing.
func TestLostConnection(t *testing.T) {
	c, rdb := open(t)
	c.ask(t, "INCR", "pair")
	c.Close()
	if got := connect(t, rdb.Options().Addr, rdb.Options().Password).ask(t, "TTL", "pair"); got != "(integer) -1" {
		t.Errorf("after INCR: TTL %s", got)
	}
	c = connect(t, rdb.Options().Addr, rdb.Options().Password)
	for _, command := range []string{"MULTI", "INCR transaction", "EXPIRE transaction 60 NX"} {
		c.ask(t, strings.Fields(command)...)
	}
	c.Close()
	if got := connect(t, rdb.Options().Addr, rdb.Options().Password).ask(t, "EXISTS", "transaction"); got != "(integer) 0" {
		t.Errorf("before EXEC: EXISTS %s", got)
	}
}

// While a slow script runs, another client never sees its first effect without
// its second.
func TestIsolated(t *testing.T) {
	_, rdb := open(t)
	slow := redis.NewScript(`
		redis.call('INCR', KEYS[1])
		for i = 1, 300000 do end
		redis.call('EXPIRE', KEYS[1], 60)
		for i = 1, 300000 do end
		redis.call('DEL', KEYS[2])`)
	var done atomic.Bool
	finished := make(chan error, 1)
	go func() {
		var err error
		for range 40 {
			err = errors.Join(err, rdb.Set(context.Background(), "other", 1, 0).Err())
			if e := slow.Run(context.Background(), rdb, []string{"k", "other"}).Err(); !errors.Is(e, redis.Nil) {
				err = errors.Join(err, e)
			}
			err = errors.Join(err, rdb.Del(context.Background(), "k").Err())
		}
		done.Store(true)
		finished <- err
	}()
	seen := map[string]int{}
	for !done.Load() {
		ttl, err := rdb.TTL(t.Context(), "k").Result()
		switch {
		case err != nil:
			t.Fatal(err)
		case ttl == -1:
			t.Fatal("another client saw the count without its expiry")
		case ttl == -2:
			seen["no key"]++
		default:
			seen["both"]++
		}
	}
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
	if seen["no key"] == 0 || seen["both"] == 0 {
		t.Errorf("the other client was not there: %v", seen)
	}
}

// A replica that takes over lacks what its primary had answered and not yet
// sent on.
func TestFailover(t *testing.T) {
	primary, replica := labtest.Open(t), labtest.Open(t)
	ctx, p, r := t.Context(), primary.Redis(), replica.Redis()
	host, port, err := net.SplitHostPort(p.Options().Addr)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		r.ConfigSet(ctx, "repl-diskless-load", "swapdb").Err(), // no file is written
		r.ConfigSet(ctx, "masterauth", p.Options().Password).Err(),
		r.ReplicaOf(ctx, host, port).Err(),
	); err != nil {
		t.Fatal(err)
	}
	count := func(n int64) {
		t.Helper()
		for range 5 {
			if err := p.Incr(ctx, "k").Err(); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.Get(ctx, "k").Val(); got != map[int64]string{5: "5", 10: "10"}[n] {
			t.Fatalf("the primary counted %s, want %d", got, n)
		}
	}
	count(5)
	for end := time.Now().Add(30 * time.Second); r.Get(ctx, "k").Val() != "5"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the replica never got the first count")
		}
	}
	// The link breaks, and cannot come back: the replica has a wrong password.
	if err := errors.Join(
		r.ConfigSet(ctx, "masterauth", "wrong").Err(),
		p.Do(ctx, "CLIENT", "KILL", "TYPE", "replica").Err(),
	); err != nil {
		t.Fatal(err)
	}
	count(10)
	if err := errors.Join(primary.Stop(ctx), r.ReplicaOf(ctx, "NO", "ONE").Err()); err != nil {
		t.Fatal(err)
	}
	if got := r.Incr(ctx, "k").Val(); got != 6 {
		t.Errorf("after the failover the next request is number %d, want 6: five counts are lost", got)
	}
}

// A Redis without persistence forgets counts and scripts when it restarts.
func TestRestartForgets(t *testing.T) {
	l := labtest.Open(t)
	ctx, rdb := t.Context(), l.Redis()
	digest, err := rdb.ScriptLoad(ctx, "return 1").Result()
	if err := errors.Join(err, rdb.Set(ctx, "k", 99, time.Hour).Err(), l.Stop(ctx), l.Start(ctx)); err != nil {
		t.Fatal(err)
	}
	if n, err := rdb.Incr(ctx, "k").Result(); n != 1 || err != nil {
		t.Errorf("the count went on with %d, %v", n, err)
	}
	if err := rdb.EvalSha(ctx, digest, nil).Err(); !redis.HasErrorPrefix(err, "NOSCRIPT") {
		t.Errorf("EVALSHA: %v, want NOSCRIPT", err)
	}
}

// With a Redis that stalls for 2 s, a client with a short timeout gives up at
// once, and one without waits.
func TestSlowRedis(t *testing.T) {
	const stall, short = 2 * time.Second, 50 * time.Millisecond
	_, rdb := open(t)
	options := *rdb.Options()
	options.ReadTimeout = short
	impatient := redis.NewClient(&options)
	defer impatient.Close()
	if err := impatient.Incr(t.Context(), "k").Err(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := rdb.Do(t.Context(), "CLIENT", "PAUSE", stall.Milliseconds(), "ALL").Err(); err != nil {
		t.Fatal(err)
	}
	if err := impatient.Incr(t.Context(), "k").Err(); err == nil || time.Since(start) > stall/2 {
		t.Errorf("the short timeout: %v after %v", err, time.Since(start))
	}
	if err := rdb.Incr(t.Context(), "k").Err(); err != nil || time.Since(start) < stall*9/10 {
		t.Errorf("without one: %v after %v", err, time.Since(start))
	}
}

// go-redis sends a command again when its reply is lost, by default: one
// request, two counts. Without retries it is one.
func TestRetryCountsTwice(t *testing.T) {
	_, rdb := open(t)
	for _, row := range []struct {
		key           string
		retries, want int
	}{{"default", 0, 2}, {"none", -1, 1}} {
		options := *rdb.Options()
		options.MaxRetries = row.retries
		var lost atomic.Bool
		options.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := new(net.Dialer).DialContext(ctx, network, address)
			return &lossy{Conn: c, lost: &lost}, err
		}
		client := redis.NewClient(&options)
		err := client.Incr(t.Context(), row.key).Err()
		client.Close()
		if (err == nil) != (row.want == 2) {
			t.Errorf("%s: %v", row.key, err)
		}
		if got, err := rdb.Get(t.Context(), row.key).Int(); got != row.want || err != nil {
			t.Errorf("%s: counted %d, %v; want %d", row.key, got, err, row.want)
		}
	}
}

// lossy loses the reply to the first INCR and breaks.
type lossy struct {
	net.Conn
	lost *atomic.Bool
	next bool // the next reply is the one
}

func (c *lossy) Write(b []byte) (int, error) {
	if bytes.Contains(bytes.ToLower(b), []byte("incr")) && c.lost.CompareAndSwap(false, true) {
		c.next = true
	}
	return c.Conn.Write(b)
}

func (c *lossy) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.next {
		c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}
