package limiter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// SweepOptions are the choices of a Sweep.
type SweepOptions struct {
	// Repair sets an expiry on leaked keys. Without it a Sweep only reports.
	Repair bool
	// Match is a pattern of SCAN, "user:*". With it a Sweep is about all keys that
	// match, whoever writes them; without it, about those of the limiter's own form
	// under Options.Prefix.
	Match string
	// Life is the expiry of keys whose window their name does not hold, such as
	// packed keys; a day by default. Others get two of their windows.
	Life time.Duration
}

// A SweepReport holds what a Sweep found.
type SweepReport struct {
	Scanned  int64    // keys with the limiter's prefix, or that match
	Leaked   []string // those that would never have expired, sorted
	Repaired int      // of these, how many were given an expiry
	Skipped  []string // keys without an expiry that are no counters, left alone, sorted
}

// Sweep looks at every key of the limiter and reports those without an expiry;
// with SweepOptions.Repair it sets one. The limiter leaks none itself, and repairs
// those that a call reads; Sweep is for keys of other programs that no call reads any
// more. Keys under the prefix that do not have the form of the limiter's keys, such
// as Plans, are skipped. Sweep reads the keyspace in steps and may run beside live
// traffic.
func (l *Limiter) Sweep(ctx context.Context, o SweepOptions) (SweepReport, error) {
	if o.Life <= 0 {
		o.Life = 24 * time.Hour
	}
	s := &sweeper{prefix: l.keys.prefix, o: o, leaked: map[string]bool{}, skipped: map[string]bool{}}
	err := eachMaster(ctx, l.rdb, s.run)
	if err != nil {
		err = fmt.Errorf("limiter: sweep: %w", err)
	}
	return s.report(), err
}

// eachMaster calls f with every server that holds keys.
func eachMaster(ctx context.Context, rdb redis.UniversalClient, f func(context.Context, redis.Cmdable) error) error {
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		return cluster.ForEachMaster(ctx, func(ctx context.Context, c *redis.Client) error { return f(ctx, c) })
	}
	return f(ctx, rdb)
}

// A sweeper gathers what a sweep finds on all masters at once.
type sweeper struct {
	prefix string
	o      SweepOptions

	mu              sync.Mutex
	scanned         int64
	leaked, skipped map[string]bool // SCAN may name a key twice
}

func (s *sweeper) report() SweepReport {
	r := SweepReport{Scanned: s.scanned, Leaked: sorted(s.leaked), Skipped: sorted(s.skipped)}
	if s.o.Repair {
		r.Repaired = len(r.Leaked)
	}
	return r
}

func sorted(set map[string]bool) []string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// glob makes text match itself in a Redis pattern.
var glob = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`)

func (s *sweeper) run(ctx context.Context, rdb redis.Cmdable) error {
	match := s.o.Match
	if match == "" {
		match = glob.Replace(s.prefix) + "*"
	}
	for cursor := uint64(0); ; {
		keys, next, err := rdb.Scan(ctx, cursor, match, 1000).Result()
		if err != nil {
			return err
		}
		if err := s.step(ctx, rdb, keys); err != nil {
			return err
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// step mends the keys of one step of the scan.
func (s *sweeper) step(ctx context.Context, rdb redis.Cmdable, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	found, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, key := range keys {
			life := ""
			if s.o.Repair && s.ours(key) {
				life = fmt.Sprint(s.life(key).Milliseconds())
			}
			p.Eval(ctx, sweepScript.text, []string{key}, life)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scanned += int64(len(keys))
	for i, cmd := range found {
		switch n, _ := cmd.(*redis.Cmd).Int(); {
		case n == 1 && s.ours(keys[i]):
			s.leaked[keys[i]] = true
		case n != 0:
			s.skipped[keys[i]] = true
		}
	}
	return nil
}

// ours reports whether a sweep is about the key.
func (s *sweeper) ours(key string) bool { return s.o.Match != "" || isKey(s.prefix, key) }

// life is the expiry for a key, from the window that its name ends with.
func (s *sweeper) life(key string) time.Duration {
	_, last, ok := cutLast(key, ',')
	if !ok || last == "" {
		return s.o.Life
	}
	window, err := time.ParseDuration(last[1:])
	if err != nil || window <= 0 || window > MaxWindow {
		return s.o.Life
	}
	return max(2*window, time.Second)
}

// cutLast splits a list before its last item, and says whether there is another.
func cutLast(list string, sep byte) (before, last string, more bool) {
	i := strings.LastIndexByte(list, sep)
	if i < 0 {
		return "", list, false
	}
	return list[:i], list[i+1:], true
}

// Check reads the settings of every Redis and returns a warning for each that would
// break the limits: a policy that evicts counters when memory is short, or a
// version that is too old.
func (l *Limiter) Check(ctx context.Context) ([]string, error) {
	var mu sync.Mutex
	warnings := map[string]bool{}
	err := eachMaster(ctx, l.rdb, func(ctx context.Context, rdb redis.Cmdable) error {
		text, err := rdb.Info(ctx).Result()
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, w := range warn(infoFields(text)) {
			warnings[w] = true
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("limiter: check: %w", err)
	}
	return sorted(warnings), err
}

func infoFields(text string) map[string]string {
	fields := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		fields[name] = value
	}
	return fields
}

func warn(info map[string]string) []string {
	var warnings []string
	if policy := info["maxmemory_policy"]; policy != "" && policy != "noeviction" {
		warnings = append(warnings, "maxmemory-policy is "+policy+": when memory is short, redis drops counters and their clients begin again; set noeviction, or give the limiter its own redis")
	}
	if info["redis_version"] != "" && strings.HasPrefix(info["redis_version"], "4.") {
		warnings = append(warnings, "redis "+info["redis_version"]+" cannot run scripts that read the clock and write; 5.0 or later can")
	}
	if info["role"] == "slave" {
		warnings = append(warnings, "this redis is a replica: it admits nothing, for it cannot count")
	}
	return warnings
}
