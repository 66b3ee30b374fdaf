package limiter

import (
	"context"
	"expvar"
	"log/slog"
	"sync"
	"time"
)

// Metrics hears what a limiter does. Its methods are called from many
// goroutines and must not block; Breaker is called in the order of the changes.
type Metrics interface {
	// Decided is called for every decision of Redis: op is "take" or "peek",
	// took the time that it needed.
	Decided(op string, d Decision, took time.Duration)
	// Unavailable is called for every call that got no decision; err.Kind says
	// why.
	Unavailable(err *UnavailableError)
	// Fallback is called when a fallback decided in place of Redis.
	Fallback(f Fallback, o Outcome)
	// Breaker is called when the circuit breaker opens, with the failure that
	// opened it, and when it closes.
	Breaker(open bool, cause error)
}

// MetricsList passes everything on to each of its members.
type MetricsList []Metrics

// Decided implements Metrics.
func (l MetricsList) Decided(op string, d Decision, took time.Duration) {
	for _, m := range l {
		m.Decided(op, d, took)
	}
}

// Unavailable implements Metrics.
func (l MetricsList) Unavailable(err *UnavailableError) {
	for _, m := range l {
		m.Unavailable(err)
	}
}

// Fallback implements Metrics.
func (l MetricsList) Fallback(f Fallback, o Outcome) {
	for _, m := range l {
		m.Fallback(f, o)
	}
}

// Breaker implements Metrics.
func (l MetricsList) Breaker(open bool, cause error) {
	for _, m := range l {
		m.Breaker(open, cause)
	}
}

// ExpvarMetrics counts in a map of package expvar.
type ExpvarMetrics struct{ m *expvar.Map }

// NewExpvarMetrics counts in m, which the caller publishes: "take.allowed",
// "take.limited", "take.impossible" and the same of "peek", "take.microseconds",
// "limited.NAME" and "shadowed.NAME" for each limit, "unavailable", of these
// "unavailable.KIND" for each ErrorKind and "unknown", "fallback.open", "fallback.local.limited" and so on, "breaker.opened"
// and "breaker.open" (how many are, one for each server).
func NewExpvarMetrics(m *expvar.Map) ExpvarMetrics { return ExpvarMetrics{m} }

// Decided implements Metrics.
func (e ExpvarMetrics) Decided(op string, d Decision, took time.Duration) {
	e.m.Add(op+"."+d.Outcome.String(), 1)
	e.m.Add(op+".microseconds", took.Microseconds())
	for _, name := range d.Violated {
		e.m.Add("limited."+name, 1)
	}
	for _, name := range d.Shadowed {
		e.m.Add("shadowed."+name, 1)
	}
}

// Unavailable implements Metrics.
func (e ExpvarMetrics) Unavailable(err *UnavailableError) {
	e.m.Add("unavailable", 1)
	e.m.Add("unavailable."+string(err.Kind), 1)
	if err.Unknown {
		e.m.Add("unknown", 1)
	}
}

// Fallback implements Metrics.
func (e ExpvarMetrics) Fallback(f Fallback, o Outcome) {
	if f == FailLocal {
		e.m.Add("fallback.local."+o.String(), 1)
		return
	}
	e.m.Add("fallback."+f.String(), 1)
}

// Breaker implements Metrics.
func (e ExpvarMetrics) Breaker(open bool, _ error) {
	if !open {
		e.m.Add("breaker.open", -1)
		return
	}
	e.m.Add("breaker.open", 1)
	e.m.Add("breaker.opened", 1)
}

// SlogMetrics logs one line when the breaker opens and one when it closes, and
// one when calls begin to fail in another way than before: with the kind of the
// failure, the class of the key that was asked for and what to do. It logs nothing
// for each call: an outage must not fill a disk.
type SlogMetrics struct {
	log   *slog.Logger
	kinds *kindLog
}

// kindLog records which kinds of failure were logged.
type kindLog struct {
	mu     sync.Mutex
	last   ErrorKind
	failed time.Time               // when a call failed last
	logged map[ErrorKind]time.Time // when each kind was logged last
}

// quietTime without a failure ends a kind: the next failure is logged again.
const quietTime = 10 * time.Second

// isNew reports whether a failure is of another kind than the one before. Two
// kinds that alternate are logged once a second each.
func (k *kindLog) isNew(kind ErrorKind, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	same := kind == k.last && now.Sub(k.failed) < quietTime
	k.last, k.failed = kind, now
	if same || now.Sub(k.logged[kind]) < time.Second {
		return false
	}
	k.logged[kind] = now
	return true
}

// NewSlogMetrics logs to log.
func NewSlogMetrics(log *slog.Logger) SlogMetrics {
	return SlogMetrics{log, &kindLog{logged: map[ErrorKind]time.Time{}}}
}

// Decided implements Metrics.
func (SlogMetrics) Decided(string, Decision, time.Duration) {}

// Unavailable implements Metrics.
func (s SlogMetrics) Unavailable(err *UnavailableError) {
	if err.Kind == KindOpen || err.Kind == KindCaller || !s.kinds.isNew(err.Kind, time.Now()) {
		return
	}
	fields := []slog.Attr{
		slog.String("kind", string(err.Kind)), slog.String("op", err.Op), slog.Any("limits", err.Limits), slog.Any("keys", err.Classes),
		slog.Any("cause", err.Err), slog.String("remedy", err.Kind.Remedy()),
	}
	if len(err.Keys) > 0 {
		fields = append(fields, slog.Any("key", err.Keys))
	}
	s.log.LogAttrs(context.Background(), slog.LevelError, "rate limiter gets no decision", fields...)
}

// Fallback implements Metrics.
func (SlogMetrics) Fallback(Fallback, Outcome) {}

// Breaker implements Metrics.
func (s SlogMetrics) Breaker(open bool, cause error) {
	if open {
		s.log.LogAttrs(context.Background(), slog.LevelError, "rate limiter has no redis", slog.Any("cause", cause))
		return
	}
	s.log.LogAttrs(context.Background(), slog.LevelInfo, "rate limiter has redis again")
}
