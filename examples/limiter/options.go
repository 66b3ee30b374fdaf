package limiter

import (
	"cmp"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// The defaults of Options.
const (
	DefaultPrefix      = "rl:"
	DefaultTimeout     = 25 * time.Millisecond
	DefaultDialTimeout = 50 * time.Millisecond
	DefaultFailures    = 5
	DefaultPause       = 500 * time.Millisecond
	DefaultShareAbove  = 4
	DefaultOnceFor     = time.Minute
	DefaultLocalKeys   = 10_000
)

// Options are the choices of a Limiter. The zero value is right for one Redis.
type Options struct {
	// Prefix begins every key; "rl:" by default. It holds no brace.
	Prefix string

	// Timeout is how long Redis may take to answer, 25ms by default, and
	// DialTimeout how long a connection may take that has to be made first, 50ms
	// by default. A call takes no longer than both; a context that ends earlier
	// wins.
	Timeout, DialTimeout time.Duration

	// Failures in a row open the circuit breaker, 5 by default, if Redis has
	// answered nothing for 200ms or longer: then calls fail at once, but for one
	// in each pause, which tries whether Redis is back. Pauses double up to Pause,
	// 500ms by default, give or take a fifth. What is counted are round trips of
	// the limiter, not calls or callers who left; replies of error do not count:
	// a Redis that answers is there. In a Cluster each node has its own breaker.
	Failures int
	Pause    time.Duration

	// ShareAbove is how many calls in flight go to Redis one by one, 4 by
	// default. Beyond it calls share round trips, which at 64 callers does
	// more than twice as many of them. Negative: they never do.
	ShareAbove int

	// Tag says in a Redis Cluster which subjects live together in one slot, so
	// that charges on them are all or nothing: the tenant, say. Two charges of
	// one call with different tags are an *InvalidError.
	Tag func(subject []string) string
	// Split, in a Redis Cluster, lets the charges of one call live in several
	// slots. What one slot took is given back when another refuses. For that
	// moment others may be refused too early; no limit is ever exceeded.
	Split bool
	// Packed keeps all limits of one subject in one key, sliding logs apart: a
	// third of the memory.
	Packed bool
	// Normalize maps every part of a subject to its one spelling, such as
	// Unicode's NFC or lower case. None by default: other bytes are another
	// subject.
	Normalize func(part string) string

	// OnceFor is how long TakeOnce recognises a request id; a minute by default.
	OnceFor time.Duration

	// Servers is how many processes share the limits, for FailLocal: each
	// admits its share of the quota while Redis is away, at least 1. 1 by
	// default. LocalKeys is how many counters that fallback keeps, 10,000
	// by default; more share one.
	Servers, LocalKeys int

	// Metrics hears of every decision and failure. nil is NewSlogMetrics of
	// slog.Default; MetricsList{} hears nothing.
	Metrics Metrics

	// Clock is for tests and lessons: it replaces the clock of the Redis
	// server, and keys then live a minute or longer. It stands still before
	// 1970. Never set it in production: the clocks of two servers differ.
	Clock func() time.Time
}

// withDefaults fills what was left zero.
func (o Options) withDefaults() Options {
	o.Prefix = cmp.Or(o.Prefix, DefaultPrefix)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.DialTimeout = cmp.Or(o.DialTimeout, DefaultDialTimeout)
	o.Failures = cmp.Or(o.Failures, DefaultFailures)
	o.Pause = cmp.Or(o.Pause, DefaultPause)
	o.ShareAbove = cmp.Or(o.ShareAbove, DefaultShareAbove)
	o.OnceFor = cmp.Or(o.OnceFor, DefaultOnceFor)
	o.Servers = cmp.Or(o.Servers, 1)
	o.LocalKeys = cmp.Or(o.LocalKeys, DefaultLocalKeys)
	return o
}

func (o Options) validate() error {
	for name, d := range map[string]time.Duration{
		"Timeout": o.Timeout, "DialTimeout": o.DialTimeout, "Pause": o.Pause, "OnceFor": o.OnceFor,
	} {
		if d < time.Millisecond {
			return invalid("Options.%s is %v; it is at least 1ms", name, d)
		}
	}
	switch {
	case strings.ContainsAny(o.Prefix, "{}"):
		return invalid("Options.Prefix %q holds a brace, which would decide the slot of every key", o.Prefix)
	case o.Failures < 1 || o.Servers < 1 || o.LocalKeys < 1:
		return invalid("Options.Failures, Servers and LocalKeys are at least 1")
	case o.Split && o.Tag != nil:
		return invalid("Options.Split and Options.Tag exclude each other: one slot for each tag, or many slots")
	}
	return nil
}

// ClientOptions are options for redis.NewUniversalClient that suit a limiter:
// no retries, short timeouts, contexts respected. Several addresses make a Cluster
// client.
func ClientOptions(addrs ...string) *redis.UniversalOptions {
	return &redis.UniversalOptions{
		Addrs:                 addrs,
		MaxRetries:            -1,
		DialerRetries:         1,
		DialTimeout:           DefaultDialTimeout,
		ReadTimeout:           DefaultTimeout,
		WriteTimeout:          DefaultTimeout,
		ContextTimeoutEnabled: true,
		DisableIdentity:       true,
	}
}
