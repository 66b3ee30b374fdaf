package limiter

import (
	"bytes"
	"context"
	"expvar"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Callers whose own deadlines are short never open the breaker.
func TestShortDeadlines(t *testing.T) {
	for name, above := range map[string]int32{"direct": 1000, "shared": 0} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			p := newProxy(t, s.addr)
			p.delay.Store(int64(3 * time.Millisecond))
			o := s.options()
			o.Addr = p.addr
			rdb := redis.NewClient(o)
			t.Cleanup(func() { rdb.Close() })
			hear := newHeard()
			l := newLimiter(t, rdb, Options{Timeout: 10 * time.Second, Failures: 1, Metrics: hear})
			l.store.nodes.single.wire.above = above
			c := charge(long(FixedWindow, 1_000_000))
			warm(t, l, c)
			for begin := time.Now(); time.Since(begin) < 500*time.Millisecond; {
				ctx, cancel := context.WithTimeout(bg, time.Millisecond)
				if _, err := l.Take(ctx, c); err == nil {
					t.Log("a call was decided within a millisecond")
				}
				cancel()
			}
			for range 20 {
				if d, err := l.Decide(bg, FailOpen, c); err != nil || d.Degraded {
					t.Fatalf("a patient call: %+v, %v", d, err)
				}
			}
			if len(hear.breaker) != 0 {
				t.Errorf("the breaker went %v", hear.breaker)
			}
		})
	}
}

// Every way in which Redis makes no decision has a kind, which is counted, logged
// once with the key's class and a remedy, and decides whether a route fails open.
func TestErrorKinds(t *testing.T) {
	s := newServer(t, "maxmemory-policy noeviction")
	admin := s.client(t)
	must(t, admin.Do(bg, "ACL", "SETUSER", "narrow", "on", ">pw", "~*", "+@all", "-evalsha", "-eval").Err())
	must(t, admin.Do(bg, "ACL", "SETUSER", "inner", "on", ">pw", "~*", "+@all", "-get").Err())
	must(t, admin.Do(bg, "ACL", "SETUSER", "elsewhere", "on", ">pw", "~other:*", "+@all").Err())
	with := func(change func(*redis.Options)) *redis.Client {
		o := s.options()
		change(o)
		rdb := redis.NewClient(o)
		t.Cleanup(func() { rdb.Close() })
		return rdb
	}
	user := func(name string) *redis.Client {
		return with(func(o *redis.Options) { o.Username, o.Password = name, "pw" })
	}
	plain := func() *redis.Client { return with(func(*redis.Options) {}) }
	nowhere := nobody(t)
	for _, row := range []struct {
		name string
		kind ErrorKind
		rdb  *redis.Client
		make func(key string)
		undo func()
	}{
		{name: "wrong password", kind: KindAuth, rdb: with(func(o *redis.Options) { o.Password = "wrong" })},
		{name: "no password", kind: KindAuth, rdb: with(func(o *redis.Options) { o.Password = "" })},
		{name: "a user without EVALSHA", kind: KindPermission, rdb: user("narrow")},
		{name: "a user without GET", kind: KindPermission, rdb: user("inner")},
		{name: "a user without the keys", kind: KindPermission, rdb: user("elsewhere")},
		{name: "refused", kind: KindDial, rdb: with(func(o *redis.Options) { o.Network, o.Addr = "unix", nowhere })},
		{name: "silent", kind: KindTimeout, rdb: plain(), make: func(string) { s.pause() }, undo: s.resume},
		{name: "memory", kind: KindOOM, rdb: plain(), make: func(string) { admin.ConfigSet(bg, "maxmemory", "100kb") }, undo: func() { admin.ConfigSet(bg, "maxmemory", "0") }},
		{name: "replica", kind: KindReadOnly, rdb: plain(), make: func(string) { admin.Do(bg, "REPLICAOF", "127.0.0.1", "1") }, undo: func() { admin.Do(bg, "REPLICAOF", "NO", "ONE") }},
		{name: "list", kind: KindWrongType, rdb: plain(), make: func(key string) { admin.LPush(bg, key, "x") }},
		{name: "foreign string", kind: KindWrongType, rdb: plain(), make: func(key string) { admin.Set(bg, key, "no counter of ours, but long", 0) }},
		{name: "busy script", kind: KindReply, rdb: plain(), make: func(string) {
			admin.ConfigSet(bg, "busy-reply-threshold", "1")
			go admin.Eval(bg, "while true do end", nil)
			time.Sleep(100 * time.Millisecond)
		}, undo: func() { s.client(t).Do(bg, "SCRIPT", "KILL"); admin.ConfigSet(bg, "busy-reply-threshold", "5000") }},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log bytes.Buffer
			counts := new(expvar.Map).Init()
			l := newLimiter(t, row.rdb, Options{Timeout: 300 * time.Millisecond, Metrics: MetricsList{NewExpvarMetrics(counts), NewSlogMetrics(slog.New(slog.NewTextHandler(&log, nil)))}})
			c := charge(long(FixedWindow, 1))
			key, _ := l.Key(c)
			if row.make != nil {
				if row.name != "list" && row.name != "foreign string" {
					warm(t, l, c)
				}
				row.make(key)
			}
			if row.undo != nil {
				defer row.undo()
			}
			const calls = 5
			open := 0
			for range calls {
				d, err := l.Decide(bg, FailOpen, c)
				if err == nil && d.Degraded {
					open++
				} else if down := mustBeDown(t, err); down.Kind != row.kind {
					t.Errorf("kind %q: %v", down.Kind, err)
				}
			}
			_, err := l.Take(bg, c)
			if down := mustBeDown(t, err); down.Kind != row.kind && down.Kind != KindOpen {
				t.Errorf("kind %q: %v", down.Kind, err)
			}
			if want := map[bool]int{true: 0, false: calls}[row.kind == KindAuth || row.kind == KindPermission]; open != want {
				t.Errorf("%d of %d calls failed open, want %d", open, calls, want)
			}
			if d, err := l.Decide(bg, FailOpenAlways, c); err != nil || !d.Degraded {
				t.Errorf("fail open always: %+v, %v", d, err)
			}
			if d, err := l.Decide(bg, FailLocal, c); err != nil || !d.Degraded {
				t.Errorf("fail local: %+v, %v", d, err)
			}
			if n := counts.Get("unavailable." + string(row.kind)); n == nil || n.(*expvar.Int).Value() < 1 {
				t.Errorf("counted %v", counts)
			}
			line := log.String()
			if strings.Count(line, "gets no decision") != 1 || !strings.Contains(line, "kind="+string(row.kind)) || !strings.Contains(line, "{*}5:calls,f7200h") || !strings.Contains(line, row.kind.Remedy()[:10]) {
				t.Errorf("log %q", line)
			}
			if row.kind == KindWrongType && (!strings.Contains(err.Error(), key) || !strings.Contains(line, key)) {
				t.Errorf("the key %s is in neither %v nor %q", key, err, line)
			}
		})
	}
}

// A kind is logged again when another came between, or after a quiet time.
func TestKindLog(t *testing.T) {
	k := NewSlogMetrics(slog.Default()).kinds
	now := time.Now()
	for i, row := range []struct {
		after time.Duration
		kind  ErrorKind
		want  bool
	}{
		{0, KindOOM, true}, {time.Second, KindOOM, false}, {9 * time.Second, KindOOM, false}, {time.Second, KindAuth, true},
		{time.Second, KindOOM, true}, {time.Millisecond, KindAuth, true}, {time.Millisecond, KindOOM, false}, {time.Millisecond, KindAuth, false},
		{11 * time.Second, KindAuth, true},
	} {
		now = now.Add(row.after)
		if got := k.isNew(row.kind, now); got != row.want {
			t.Errorf("%d: %q logged: %t", i, row.kind, got)
		}
	}
}

// Without Metrics the default logger hears of a limiter that is misconfigured.
func TestDefaultLog(t *testing.T) {
	var lines atomic.Int64
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(writes{&lines}, nil)))
	defer slog.SetDefault(old)
	rdb := redis.NewClient(&redis.Options{Network: "unix", Addr: nobody(t), ContextTimeoutEnabled: true, MaxRetries: -1})
	t.Cleanup(func() { rdb.Close() })
	l, err := New(rdb, Options{})
	must(t, err)
	begin := time.Now()
	for range 5 {
		l.Take(bg, charge(long(FixedWindow, 1)))
	}
	if n := lines.Load(); n != 1 && (n != 2 || time.Since(begin) < breakerPatience) { // the breaker may open
		t.Errorf("%d lines of log", n)
	}
}

type writes struct{ n *atomic.Int64 }

func (w writes) Write(p []byte) (int, error) { w.n.Add(1); return len(p), nil }

// A client that is nil, whatever its type, is refused, and so is what cannot route
// a script by its keys.
func TestClientsThatCannotWork(t *testing.T) {
	sentinel := redis.NewFailoverClusterClient(&redis.FailoverOptions{MasterName: "m", SentinelAddrs: []string{"127.0.0.1:1"}, ContextTimeoutEnabled: true})
	t.Cleanup(func() { sentinel.Close() })
	for _, rdb := range []redis.UniversalClient{nil, (*redis.Client)(nil), (*redis.ClusterClient)(nil), (*redis.Ring)(nil), sentinel} {
		if _, err := New(rdb, Options{}); err == nil {
			t.Errorf("%T was accepted", rdb)
		}
	}
}
