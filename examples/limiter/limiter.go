package limiter

import (
	"context"
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

// New makes a limiter on a client that stays the caller's. One that does not
// obey contexts is copied, connections shared and hooks left behind, so that
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
		metrics = silent{}
	}
	span := &budget{span: o.Timeout + o.DialTimeout}
	return &Limiter{
		rdb: rdb,
		store: &store{
			wire:    &pipeline{rdb: client, above: int32(o.ShareAbove), budget: span},
			budget:  span,
			breaker: &breaker{most: int32(o.Failures), pause: o.Pause, changed: metrics.Breaker},
		},
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
// on the server's clock.
//
// The error is an *InvalidError for charges that cannot be decided, an
// *UnavailableError where Redis gave no decision, or the context's own error
// where that ended before the call.
func (l *Limiter) Take(ctx context.Context, charges ...Charge) (Decision, error) {
	return l.decide(ctx, "take", "", charges)
}

// Peek tells what Take would decide now, and writes nothing.
func (l *Limiter) Peek(ctx context.Context, charges ...Charge) (Decision, error) {
	return l.decide(ctx, "peek", "", charges)
}

// TakeOnce is Take for a request that has an id of its own. Where the same
// request was admitted before, within Options.OnceFor, it gives that decision
// again and charges nothing: so a charge whose answer was lost may be repeated.
// The id must be the caller's, unguessable for clients.
func (l *Limiter) TakeOnce(ctx context.Context, request string, charges ...Charge) (Decision, error) {
	if request == "" {
		return Decision{}, invalid("a request without an id")
	}
	return l.decide(ctx, "take", request, charges)
}

func (l *Limiter) decide(ctx context.Context, op, request string, charges []Charge) (Decision, error) {
	places, err := l.places(charges)
	if err != nil {
		return Decision{}, err
	}
	begin := time.Now()
	d, err := l.askAll(ctx, op, request, places, charges)
	if err != nil {
		l.failed(err)
		return Decision{}, err
	}
	d.nonce = rand.Uint64()
	l.metrics.Decided(op, d, time.Since(begin))
	return d, nil
}

func (l *Limiter) askAll(ctx context.Context, op, request string, places []place, charges []Charge) (Decision, error) {
	if !l.split {
		return l.ask(ctx, op, request, places, charges)
	}
	parts := l.parts(places, charges)
	if len(parts) == 1 {
		return l.ask(ctx, op, request, places, charges)
	}
	if request != "" {
		return Decision{}, invalid("a request with an id whose charges live in %d slots: its answer cannot be remembered in one", len(parts))
	}
	return l.askParts(ctx, op, parts, charges)
}

// ask sends charges whose keys live in one slot.
func (l *Limiter) ask(ctx context.Context, op, request string, places []place, charges []Charge) (Decision, error) {
	var args []any
	var script *script
	switch {
	case request != "":
		args = l.words(places, charges, places[0].marker("once", request), op, l.once.Milliseconds())
	case op == "peek":
		args = l.words(places, charges, "", op)
	default:
		args = l.words(places, charges, "")
		if !l.store.long {
			script = quickScript(places, charges)
		}
	}
	if script == nil {
		script = takeScript.form(setOf(places, charges))
	}
	reply, err := l.store.run(ctx, op, script, args)
	if err != nil {
		return Decision{}, err
	}
	return decide(reply, charges)
}

// Refund gives back what a decision took, by its ID and for the same charges in
// the same order. It gives back at most each charge's Cost, at most what was
// taken, and only what still counts: nothing once the window is over or the
// bucket has drained. So what remains never rises above the limit, and a second
// refund of one decision gives nothing. Results tell in Granted what came back.
func (l *Limiter) Refund(ctx context.Context, id string, charges ...Charge) (Decision, error) {
	took, err := parseID(id)
	if err != nil {
		return Decision{}, err
	}
	if len(took) != len(charges) {
		return Decision{}, invalid("decision %s made %d charges, not %d", id, len(took), len(charges))
	}
	charges = slices.Clone(charges)
	life := time.Second
	for i := range charges {
		charges[i].Cost = min(charges[i].Cost, took[i].granted)
		life = max(life, 2*charges[i].Limit.Window)
	}
	places, err := l.places(charges)
	if err != nil {
		return Decision{}, err
	}
	parts := l.parts(places, charges)
	err = each(parts, func(p *part) (Decision, error) {
		return l.giveBack(ctx, took[p.index[0]].at, id, life, p.places, p.charges)
	})
	if err != nil {
		l.failed(err)
		return Decision{}, err
	}
	return joined(parts, charges, false), nil
}

// giveBack refunds charges whose keys live in one slot. The id is remembered for
// life, after which nothing of them counts any more.
func (l *Limiter) giveBack(ctx context.Context, at int64, id string, life time.Duration, places []place, charges []Charge) (Decision, error) {
	args := l.words(places, charges, places[0].marker("refund", id), at, life.Milliseconds())
	reply, err := l.store.run(ctx, "refund", refundScript.form(setOf(places, charges)), args)
	if err != nil {
		return Decision{}, err
	}
	return decide(reply, charges)
}

// Reset forgets all use of the charges' limits by their subjects.
func (l *Limiter) Reset(ctx context.Context, charges ...Charge) error {
	places, err := l.places(charges)
	if err != nil {
		return err
	}
	err = each(l.parts(places, charges), func(p *part) (Decision, error) {
		script := resetScript.form(setOf(p.places, p.charges))
		_, err := l.store.run(ctx, "reset", script, l.words(p.places, p.charges, ""))
		return Decision{}, err
	})
	if err != nil {
		l.failed(err)
	}
	return err
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

func (l *Limiter) failed(err error) {
	if u, ok := err.(*UnavailableError); ok {
		l.metrics.Unavailable(u)
	}
}

// words are those of a script's command: verb and script, which the store fills
// in, the keys and the marker, if there is one, and then what lua/base.lua says.
func (l *Limiter) words(places []place, charges []Charge, marker string, rest ...any) []any {
	words := make([]any, 3, 4+5*len(charges)+1+len(rest))
	words[2] = len(places)
	for _, p := range places {
		words = append(words, p.key)
	}
	if marker != "" {
		words[2] = len(places) + 1
		words = append(words, marker)
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
