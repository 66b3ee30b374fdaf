package limiter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"expvar"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Plans hold the limits of each tier and change while the program runs. A new
// snapshot replaces the old one whole; one with anything wrong in it is rejected
// whole, and the last good one stays. Snapshots are JSON:
//
//	{"version": 7, "tiers": {"basic": [
//	  {"name": "calls", "algorithm": "sliding counter", "quota": 100, "window": "1h"}]}}
//
// with "burst", "shadow" and "on_change" ("keep", "scale" or "reset") where they
// apply. Versions only grow.
type Plans struct {
	current atomic.Pointer[snapshot]

	mu       sync.Mutex
	rejected int64
	problem  error
}

type snapshot struct {
	version int64
	tiers   map[string]map[string]Limit
	text    []byte
	seen    atomic.Int64 // when it was last confirmed, Unix nanoseconds
}

// NewPlans begins with a snapshot, which must be good.
func NewPlans(text []byte) (*Plans, error) {
	s, err := parsePlans(text)
	if err != nil {
		return nil, err
	}
	p := &Plans{}
	p.current.Store(s)
	return p, nil
}

// Load takes a new snapshot, or keeps the present one and says why. The present
// one once more confirms it.
func (p *Plans) Load(text []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.swap(text)
	if err != nil {
		p.rejected++
	}
	p.problem = err
	return err
}

func (p *Plans) swap(text []byte) error {
	next, err := parsePlans(text)
	if err != nil {
		return err
	}
	now := p.current.Load()
	if err := next.follows(now); err != nil {
		return err
	}
	if next.version == now.version {
		now.seen.Store(time.Now().UnixNano())
		return nil
	}
	p.current.Store(next)
	return nil
}

// follows is nil where a snapshot may come after another: it is newer, or the same.
func (s *snapshot) follows(now *snapshot) error {
	switch {
	case s.version < now.version:
		return invalid("plans: version %d came after version %d", s.version, now.version)
	case s.version == now.version && !bytes.Equal(s.text, now.text):
		return invalid("plans: version %d came twice with other limits: give the new ones a new version", s.version)
	}
	return nil
}

// LoadFile is Load of a file.
func (p *Plans) LoadFile(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("limiter: plans: %w", err)
	}
	return p.Load(text)
}

// Charge makes a charge by the present plans; false where the tier or its limit
// is not in them.
func (p *Plans) Charge(tier, limit string, cost int64, subject ...string) (Charge, bool) {
	s := p.current.Load()
	l, ok := s.tiers[tier][limit]
	if !ok {
		return Charge{}, false
	}
	return Charge{Subject: subject, Limit: l, Cost: cost, Version: s.version}, true
}

// Version is that of the present snapshot.
func (p *Plans) Version() int64 { return p.current.Load().version }

// Age is how long ago the present snapshot was last received or confirmed: the
// figure to watch, for it grows while pushes are lost.
func (p *Plans) Age() time.Duration {
	return time.Since(time.Unix(0, p.current.Load().seen.Load()))
}

// Rejected is how many snapshots were refused, and why the last Load failed, nil
// if it did not.
func (p *Plans) Rejected() (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rejected, p.problem
}

// Var is what to watch, for expvar.Publish("plans", p.Var()): "version",
// "age_seconds" and "rejected", in JSON.
func (p *Plans) Var() expvar.Func {
	return func() any {
		rejected, _ := p.Rejected()
		return map[string]any{"version": p.Version(), "age_seconds": int64(p.Age().Seconds()), "rejected": rejected}
	}
}

// refetch is how often Follow reads the snapshot without being told to.
const refetch = 15 * time.Second

// Follow keeps the plans like those that Publish sends under a name, until the
// context ends, whose error it returns. It listens, and also reads the stored
// snapshot when it connects and every 15 seconds, since a message can be lost.
// While Redis is away the plans stay as they are and Age grows.
func (p *Plans) Follow(ctx context.Context, rdb redis.UniversalClient, name string) error {
	sub := rdb.Subscribe(ctx, name)
	defer sub.Close()
	pushed := sub.Channel()
	ticker := time.NewTicker(refetch)
	defer ticker.Stop()
	p.fetch(ctx, rdb, name)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m, ok := <-pushed:
			if !ok {
				return errors.New("limiter: plans: the subscription was closed")
			}
			p.Load([]byte(m.Payload)) // a rejection is told by Rejected
		case <-ticker.C:
			p.fetch(ctx, rdb, name)
		}
	}
}

func (p *Plans) fetch(ctx context.Context, rdb redis.UniversalClient, name string) {
	text, err := rdb.Get(ctx, name).Bytes()
	if err == nil {
		p.Load(text)
	}
}

// Publish stores a snapshot under a name, and notifies every follower. A snapshot
// with a mistake is not sent, nor one that is older than what is stored: so two
// who publish at once cannot undo each other's work.
func Publish(ctx context.Context, rdb redis.UniversalClient, name string, text []byte) error {
	next, err := parsePlans(text)
	if err != nil {
		return err
	}
	err = rdb.Watch(ctx, func(tx *redis.Tx) error {
		stored, err := tx.Get(ctx, name).Bytes()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		if now, bad := parsePlans(stored); bad == nil {
			if err := next.follows(now); err != nil {
				return err
			}
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			return p.Set(ctx, name, text, 0).Err()
		})
		return err
	}, name)
	if err == nil {
		err = rdb.Publish(ctx, name, text).Err()
	}
	if err != nil {
		return fmt.Errorf("limiter: publish plans: %w", err)
	}
	return nil
}

// planText is a snapshot as it is written.
type planText struct {
	Version int64                  `json:"version"`
	Tiers   map[string][]limitText `json:"tiers"`
}

type limitText struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm"`
	Quota     *int64 `json:"quota"`
	Window    string `json:"window"`
	Burst     int64  `json:"burst"`
	Shadow    bool   `json:"shadow"`
	Refused   bool   `json:"count_refused"`
	OnChange  string `json:"on_change"`
}

func parsePlans(text []byte) (*snapshot, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var plans planText
	if err := decoder.Decode(&plans); err != nil {
		return nil, invalid("plans: %v", err)
	}
	if decoder.More() {
		return nil, invalid("plans: more follows after the snapshot")
	}
	if plans.Version < 1 || len(plans.Tiers) == 0 {
		return nil, invalid("plans: a version of at least 1 and one tier are needed")
	}
	s := &snapshot{version: plans.Version, tiers: map[string]map[string]Limit{}, text: bytes.Clone(text)}
	for tier, limits := range plans.Tiers {
		s.tiers[tier] = map[string]Limit{}
		for _, t := range limits {
			l, err := t.limit()
			if err != nil {
				return nil, invalid("plans: tier %q: %s", tier, strings.TrimPrefix(err.Error(), "limiter: "))
			}
			if _, twice := s.tiers[tier][l.Name]; twice {
				return nil, invalid("plans: tier %q: limit %q stands twice", tier, l.Name)
			}
			s.tiers[tier][l.Name] = l
		}
	}
	s.seen.Store(time.Now().UnixNano())
	return s, nil
}

func (t limitText) limit() (Limit, error) {
	if t.Quota == nil {
		return Limit{}, invalid("limit %q has no quota", t.Name)
	}
	window, err := time.ParseDuration(t.Window)
	if err != nil {
		return Limit{}, invalid("limit %q: window %q is no duration such as 90s", t.Name, t.Window)
	}
	l := Limit{Name: t.Name, Quota: *t.Quota, Window: window, Burst: t.Burst, Shadow: t.Shadow, CountRefused: t.Refused}
	for a := FixedWindow; a.known(); a++ {
		if a.String() == t.Algorithm {
			l.Algorithm = a
		}
	}
	for c := Keep; t.OnChange != "" && c.String() != t.OnChange; c++ {
		if c > Reset {
			return Limit{}, invalid("limit %q: on_change is %q; it is keep, scale or reset", t.Name, t.OnChange)
		}
		l.OnChange = c + 1
	}
	return l, l.Validate()
}
