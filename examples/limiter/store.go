package limiter

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// A store sends scripts to Redis and never sends one twice.
type store struct {
	nodes  *topology
	budget *budget
	long   bool // never the quick way: for tests that compare the two
}

// discipline returns the client that a limiter may use: one that respects contexts.
// A plain client that does not is cloned, connections shared, so that the
// caller's own commands stay as they are. A Cluster client makes its nodes'
// clients itself and must have been given the option.
func discipline(rdb redis.UniversalClient, o Options) (redis.UniversalClient, error) {
	if v := reflect.ValueOf(rdb); rdb == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, invalid("no Redis client")
	}
	switch c := rdb.(type) {
	case *redis.Client:
		if c.Options().ContextTimeoutEnabled {
			return c, nil
		}
		clone := c.WithTimeout(o.Timeout)
		clone.Options().ContextTimeoutEnabled = true
		return clone, nil
	case *redis.ClusterClient:
		switch {
		case !c.Options().ContextTimeoutEnabled:
			return nil, invalid("the Cluster client ignores deadlines: set ContextTimeoutEnabled, or take ClientOptions")
		case c.Options().ClusterSlots != nil:
			return nil, invalid("a client of redis.NewFailoverClusterClient routes keys by a table of its own, so that a script could run where its keys are not: take redis.NewFailoverClient, which follows the same master")
		case o.Tag == nil && !o.Split:
			return nil, invalid("a Cluster keeps keys in many slots, and a script reaches one: set Options.Tag to decide charges together in one slot, or Options.Split to decide slot by slot")
		}
		return c, nil
	case *redis.Ring:
		return nil, invalid("a Ring moves keys when a shard is down, and their counts begin again: take a client or a Cluster client")
	}
	return rdb, nil
}

// A command is a script call whose reply is numbers. It forbids go-redis to
// repeat it: a charge that timed out may have been made.
type command struct{ *redis.IntSliceCmd }

// NoRetry makes go-redis send the command once.
func (command) NoRetry() bool { return true }

// run returns a script's reply. args are the words of its command, of which the
// first two, verb and script, are filled in here; the fourth is the first key, and
// decides which node is asked. Its error is an *UnavailableError, or the context's
// own where that had ended before anything was sent.
func (s *store) run(ctx context.Context, op string, script *script, args []any) ([]int64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	end := s.budget.begin(time.Now())
	n, err := s.nodes.forKey(ctx, end, args[3].(string))
	if err != nil {
		s.nodes.reload()
		return nil, unavailable(op, err)
	}
	if wait, ok := n.breaker.allow(); !ok {
		s.nodes.reload()
		return nil, &UnavailableError{Op: op, Kind: KindOpen, RetryAfter: wait, Err: errOpen}
	}
	reply, err := s.send(ctx, n, end, script, args)
	if err != nil {
		return nil, unavailable(op, err)
	}
	return reply, nil
}

// send asks by the script's digest, and with its text only where Redis says
// that it does not have it. It asks again while a Cluster moves the keys from one
// node to another and serves them on neither. These replies say that nothing was
// done, so that asking again is safe; after any other failure it is not.
func (s *store) send(ctx context.Context, n *node, end *epoch, script *script, args []any) ([]int64, error) {
	wire := n.wire
	args[0], args[1] = "evalsha", script.digest
	for pause := time.Millisecond; ; {
		cmd := command{redis.NewIntSliceCmd(ctx, args...)}
		err := wire.process(ctx, end, cmd)
		switch {
		case err == nil:
			return cmd.Val(), nil
		case redis.HasErrorPrefix(err, "NOSCRIPT") && args[0] == "evalsha":
			args = slices.Clone(args) // the first command keeps its own
			args[0], args[1] = "eval", script.text
		case isRedirect(err) && wire == n.wire && s.nodes.cluster != nil:
			s.nodes.reload()
			wire = s.nodes.redirect
		case moving(err) && time.Until(end.end) >= pause && sleep(ctx, pause):
			pause = min(2*pause, 20*time.Millisecond)
		default:
			return nil, err
		}
	}
}

// isRedirect reports whether another node has the keys, or the node does not know
// who has.
func isRedirect(err error) bool {
	return redis.HasErrorPrefix(err, "MOVED") || redis.HasErrorPrefix(err, "ASK") || redis.HasErrorPrefix(err, "CLUSTERDOWN")
}

// moving reports whether the keys were on their way: some here and some there, or
// gone again each time that the client followed them.
func moving(err error) bool { return redis.HasErrorPrefix(err, "TRYAGAIN") || isRedirect(err) }

// sleep waits, and says whether the context did not end meanwhile. It does not
// begin a wait that the context's deadline would cut short.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
