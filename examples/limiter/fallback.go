package limiter

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A Fallback decides when Redis does not. There is no default: which
// one is right depends on what the route protects.
type Fallback uint8

const (
	// FailOpen admits: for what is cheap to serve and worse to refuse.
	FailOpen Fallback = iota + 1
	// FailClosed admits nothing: for what must not be tried without limit, such
	// as a sign-in.
	FailClosed
	// FailLocal admits this server's share of each limit, counted in memory.
	FailLocal
	// FailOpenAlways is FailOpen, and also admits where Redis refuses the
	// limiter's password or a permission. Such an error stays until an operator
	// mends it, so that the limit is off for as long; FailOpen returns it.
	FailOpenAlways
)

// String is "open", "closed", "local" or "open always"; "unset" is no choice.
func (f Fallback) String() string {
	switch f {
	case FailOpen:
		return "open"
	case FailClosed:
		return "closed"
	case FailLocal:
		return "local"
	case FailOpenAlways:
		return "open always"
	}
	return "unset"
}

func (f Fallback) known() bool { return f >= FailOpen && f <= FailOpenAlways }

// Decide is Take with an answer for the time without Redis. Under FailOpen and
// FailLocal the decision is then marked Degraded and there is no error; under
// FailClosed, and under FailOpen where Redis refuses the password or a permission,
// the error is Take's *UnavailableError.
func (l *Limiter) Decide(ctx context.Context, f Fallback, charges ...Charge) (Decision, error) {
	return l.decideOr(ctx, f, charges, func() (Decision, error) { return l.Take(ctx, charges...) })
}

// DecideOnce is Decide for a request that has an id of its own, as TakeOnce is
// Take. A fallback knows no ids: it decides each repetition anew.
func (l *Limiter) DecideOnce(ctx context.Context, f Fallback, request string, charges ...Charge) (Decision, error) {
	return l.decideOr(ctx, f, charges, func() (Decision, error) { return l.TakeOnce(ctx, request, charges...) })
}

func (l *Limiter) decideOr(ctx context.Context, f Fallback, charges []Charge, ask func() (Decision, error)) (Decision, error) {
	if !f.known() {
		return Decision{}, invalid("no fallback chosen: FailOpen, FailClosed, FailLocal or FailOpenAlways")
	}
	d, err := ask()
	var down *UnavailableError
	if err == nil || !errors.As(err, &down) || givenUp(err) {
		return d, err
	}
	switch {
	case f == FailOpen && !down.Kind.misconfigured(), f == FailOpenAlways:
		d, err = Decision{Outcome: Allowed, Degraded: true}, nil
	case f == FailLocal:
		d, err = l.local.take(l.keys, withCosts(charges)), nil
	}
	l.metrics.Fallback(f, d.Outcome)
	return d, err
}

// local counts in the memory of this process while Redis is away. Each limit
// admits its share of the quota, at least 1, in a window that opens with the
// first charge, so that n servers together admit at most max(quota, n) in a
// window. A bucket admits its share of the burst in the time in which that
// refills. Where there are more counters than most, the new ones share one.
type local struct {
	servers int64
	most    int

	mu       sync.Mutex
	swept    time.Time
	counters map[string]*localCounter
}

type localCounter struct {
	used int64
	ends time.Time
}

func newLocal(servers, most int) *local {
	return &local{servers: int64(servers), most: most, counters: map[string]*localCounter{}}
}

// share is what this server admits of a limit.
func (l *local) share(limit Limit) int64 {
	if limit.Quota == 0 {
		return 0
	}
	return max(1, limit.capacity()/l.servers)
}

// localWindow is the time for which a share lasts.
func localWindow(limit Limit) time.Duration {
	if limit.Burst == 0 || limit.Quota == 0 {
		return limit.Window
	}
	return time.Duration(min(float64(limit.Window)*float64(limit.Burst)/float64(limit.Quota), float64(MaxWindow)))
}

// take decides the charges together, as Limiter.Take does.
func (l *local) take(keys *keyspace, charges []Charge) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	counters := make([]*localCounter, len(charges))
	results := make([]Result, len(charges))
	refused := false
	for i, c := range charges {
		p := keys.place(c)
		counters[i] = l.counter(p.key+p.tag, c.Limit, now)
		results[i] = l.judge(counters[i], c, now)
		refused = refused || (results[i].Outcome != Allowed && !c.Limit.Shadow)
	}
	for i, r := range results {
		if refused || r.Outcome != Allowed {
			results[i].Granted = 0
			continue
		}
		counters[i].used += r.Granted
		results[i].Used += r.Granted
		results[i].Remaining -= r.Granted
	}
	d := summary(results, charges, refused)
	d.Degraded = true
	return d
}

// judge returns what a charge would get from its counter.
func (l *local) judge(n *localCounter, c Charge, now time.Time) Result {
	share := l.share(c.Limit)
	free := max(0, share-n.used)
	r := Result{Limit: c.Limit, Outcome: Allowed, Granted: c.Cost, Used: n.used, Remaining: free, ResetAfter: n.ends.Sub(now)}
	if c.AtMost {
		r.Granted = min(c.Cost, max(free, min(1, c.Cost)))
	}
	switch {
	case r.Granted <= free:
		return r
	case r.Granted > c.Limit.capacity() || share == 0:
		r.Outcome = Impossible // for Redis too; what is only more than the share waits for it
	default:
		r.Outcome, r.RetryAfter = Limited, r.ResetAfter
	}
	r.Granted = 0
	return r
}

// overflow is the one counter of all that find no room.
const overflow = ""

func (l *local) counter(key string, limit Limit, now time.Time) *localCounter {
	if n, ok := l.counters[key]; ok && now.Before(n.ends) {
		return n
	}
	if len(l.counters) >= l.most {
		l.sweep(now)
	}
	if _, ok := l.counters[key]; !ok && len(l.counters) >= l.most {
		key = overflow
		if n, ok := l.counters[key]; ok && now.Before(n.ends) {
			return n
		}
	}
	n := &localCounter{ends: now.Add(localWindow(limit))}
	l.counters[key] = n
	return n
}

// sweep deletes ended counters, at most once a second, so that many new clients do not
// make it slow while it is full.
func (l *local) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Second {
		return
	}
	l.swept = now
	for key, n := range l.counters {
		if !now.Before(n.ends) {
			delete(l.counters, key)
		}
	}
}
