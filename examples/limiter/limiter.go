package limiter

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// A Limiter decides charges on one Redis or Redis Cluster. Make it with New;
// it is safe for use by many goroutines and needs no closing.
type Limiter struct {
	rdb     redis.UniversalClient // as the caller gave it, for what is no charge
	store   *store
	keys    *keyspace
	local   *local
	metrics Metrics
	clock   func() time.Time
	once    time.Duration
	split   bool
	tags    sync.Map // packed: record tag → the limit's suffix
}

// New returns a limiter on a client that the caller closes. A client that does not
// respect contexts is copied, connections shared and hooks left behind, so that
// the copy does; take ClientOptions to keep the hooks. No charge is ever
// retried, whatever the client's options. New does not call Redis. A choice that
// could not work is an *InvalidError; see Options.
func New(rdb redis.UniversalClient, o Options) (*Limiter, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	client, err := discipline(rdb, o)
	if err != nil {
		return nil, err
	}
	metrics := o.Metrics
	if metrics == nil {
		metrics = NewSlogMetrics(slog.Default())
	}
	span := &budget{span: o.Timeout + o.DialTimeout}
	return &Limiter{
		rdb:     rdb,
		store:   &store{nodes: newNodes(client, o, span, metrics.Breaker), budget: span},
		keys:    &keyspace{prefix: o.Prefix, tag: o.Tag, normalize: o.Normalize, packed: o.Packed},
		local:   newLocal(o.Servers, o.LocalKeys),
		metrics: metrics,
		clock:   o.Clock,
		once:    o.OnceFor,
		split:   o.Split,
	}, nil
}

// Take decides the charges together: all of them are made or none is. Their
// order does not matter. It is one round trip, and the decision of one moment
// on the server's clock. A charge without a Cost costs 1.
//
// The error is an *InvalidError for charges that cannot be decided, an
// *UnavailableError where Redis made no decision, or the context's own error
// where that ended before the call.
func (l *Limiter) Take(ctx context.Context, charges ...Charge) (Decision, error) {
	return l.decide(ctx, "take", charges)
}

// Peek returns what Take would decide now, and writes nothing. A Cost of 0 asks for
// none: it shows what is used, and every limit admits it.
func (l *Limiter) Peek(ctx context.Context, charges ...Charge) (Decision, error) {
	return l.decide(ctx, "peek", charges)
}

func (l *Limiter) decide(ctx context.Context, op string, charges []Charge) (Decision, error) {
	if op == "take" {
		charges = withCosts(charges)
	}
	places, err := l.places(charges)
	if err != nil {
		return Decision{}, err
	}
	begin := time.Now()
	d, err := l.askAll(ctx, op, places, charges)
	if err != nil {
		return Decision{}, l.failed(err)
	}
	if op == "take" {
		d.nonce, d.places = rand.Uint64(), places
	}
	l.metrics.Decided(op, d, time.Since(begin))
	return d, nil
}

func (l *Limiter) askAll(ctx context.Context, op string, places []place, charges []Charge) (Decision, error) {
	if l.split {
		if parts := l.parts(places, charges); len(parts) > 1 {
			return l.askParts(ctx, op, parts, charges)
		}
	}
	return l.ask(ctx, op, places, charges)
}

// ask sends charges whose keys live in one slot.
func (l *Limiter) ask(ctx context.Context, op string, places []place, charges []Charge) (Decision, error) {
	var args []any
	var script *script
	if op == "peek" {
		args = l.words(places, charges, nil, op)
	} else {
		args = l.words(places, charges, nil)
		if !l.store.long {
			script = quickScript(places, charges)
		}
	}
	if script == nil {
		script = takeScript.form(setOf(places, charges))
	}
	return l.run(ctx, op, script, args, places, charges)
}

// run sends a script about charges whose keys live in one slot, and reads the
// decision.
func (l *Limiter) run(ctx context.Context, op string, script *script, args []any, places []place, charges []Charge) (Decision, error) {
	reply, err := l.store.run(ctx, op, script, args)
	if err != nil {
		if down, ok := err.(*UnavailableError); ok {
			l.describe(down, places, charges)
		}
		return Decision{}, err
	}
	return decide(reply, charges)
}

// describe adds to an error which limits it is about, and which keys where these
// are the cause.
func (l *Limiter) describe(down *UnavailableError, places []place, charges []Charge) {
	for _, c := range charges {
		down.Limits = append(down.Limits, c.Limit.Name)
		down.Classes = append(down.Classes, l.keys.prefix+"{*}"+string(appendSuffix(nil, c.Limit)))
	}
	if down.Kind != KindWrongType {
		return
	}
	for _, p := range places {
		down.Keys = append(down.Keys, p.key)
	}
}

// Reset deletes all use of the charges' limits by their subjects. Decisions from
// before must not be refunded after it.
func (l *Limiter) Reset(ctx context.Context, charges ...Charge) error {
	places, err := l.places(charges)
	if err != nil {
		return err
	}
	err = each(l.parts(places, charges), func(p *part) (Decision, error) {
		script := resetScript.form(setOf(p.places, p.charges))
		return l.run(ctx, "reset", script, l.words(p.places, p.charges, nil), p.places, p.charges)
	})
	return l.failed(err)
}

// Key is the Redis key that holds the charge's use, for people who look.
func (l *Limiter) Key(c Charge) (string, error) {
	if err := c.validate(); err != nil {
		return "", err
	}
	return l.keys.place(c).key, nil
}

// places checks the charges and finds where each is stored.
func (l *Limiter) places(charges []Charge) ([]place, error) {
	if len(charges) == 0 || len(charges) > MaxCharges {
		return nil, invalid("%d charges; one call makes 1 to %d", len(charges), MaxCharges)
	}
	places := make([]place, len(charges))
	for i, c := range charges {
		if err := c.validate(); err != nil {
			return nil, err
		}
		p := l.keys.place(c)
		if slices.Contains(places[:i], p) {
			return nil, invalid("two charges of limit %q on one subject: make one with their sum", c.Limit.Name)
		}
		if err := l.register(p, c.Limit); err != nil {
			return nil, err
		}
		places[i] = p
	}
	if l.keys.tag == nil {
		return places, nil
	}
	for i, p := range places {
		if p.key[:p.slot] != places[0].key[:places[0].slot] {
			return nil, invalid("charges of limits %q and %q have different tags, so that one script cannot decide them", charges[0].Limit.Name, charges[i].Limit.Name)
		}
	}
	return places, nil
}

// register refuses two limits whose records in a packed key would be one.
func (l *Limiter) register(p place, limit Limit) error {
	if p.tag == "" {
		return nil
	}
	name := string(appendSuffix(nil, limit))
	other, known := l.tags.LoadOrStore(p.tag, name)
	if known && other != name {
		return invalid("limits %v and %v have the same short name in packed keys: rename one", other, name)
	}
	return nil
}

// failed notes an error of a call and returns it.
func (l *Limiter) failed(err error) error {
	if u, ok := err.(*UnavailableError); ok {
		l.metrics.Unavailable(u)
	}
	return err
}

// words are those of a script's command: verb and script, which the store fills
// in, the keys and the markers, if there are any, and then what lua/base.lua says.
func (l *Limiter) words(places []place, charges []Charge, markers []string, rest ...any) []any {
	words := make([]any, 3, 4+5*len(charges)+len(markers)+len(rest))
	words[2] = len(places) + len(markers)
	for _, p := range places {
		words = append(words, p.key)
	}
	for _, m := range markers {
		words = append(words, m)
	}
	for i, c := range charges {
		words = append(words, word(c, places[i].tag), c.Limit.Window.Microseconds(), c.Limit.capacity(), c.Cost)
	}
	switch {
	case l.clock != nil:
		words = append(words, max(1, l.clock().UnixMicro())) // in a reply, the sign tells a refusal
	case len(rest) > 0:
		words = append(words, "")
	}
	return append(words, rest...)
}

// word says in the scripts how a charge is to be decided, and in which record of
// a packed key.
func word(c Charge, tag string) string {
	w := algorithms[c.Limit.Algorithm].kind + c.mode()
	if c.Limit.Quota != c.Limit.capacity() {
		w += strconv.FormatInt(c.Limit.Quota, 10)
	}
	if tag != "" {
		w += ":" + tag
	}
	return w
}
