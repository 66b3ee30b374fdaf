// Package limiter promises that a limit holds across any number of servers: each
// call is decided once, in one place, by one clock, and charged at most once.
//
// The counts live in Redis. A call names charges, each so many units of a limit
// on behalf of a subject, and a script in Redis decides all of them together, in
// one round trip: all are charged, or none is.
//
//	rdb := redis.NewUniversalClient(limiter.ClientOptions("redis:6379"))
//	l, err := limiter.New(rdb, limiter.Options{})
//	...
//	d, err := l.Take(ctx,
//		limiter.Charge{Subject: []string{"ip", ip}, Limit: perSecond, Cost: 1},
//		limiter.Charge{Subject: []string{"key", key}, Limit: perHour, Cost: 1})
//	switch {
//	case err != nil: // no decision: what now is your policy, see below
//	case d.Outcome == limiter.Allowed: // go on
//	default: // come back after d.RetryAfter; d.Violated says whose limits refused
//	}
//
// One Limiter serves a whole program. A limit is a value: its name, algorithm,
// window and subject make the key, its quota is compared anew in every call.
//
// # Decisions and failures
//
// A [Decision] is Allowed, Limited (too little is left now; RetryAfter says when
// there will be enough) or Impossible (the charge is more than the limit ever
// has). It names every limit that refused. A Redis that gives no decision is an
// [*UnavailableError], which is never to be taken for Limited: answer 429 to the
// one and what the route's policy says to the other. [Limiter.Decide] and
// [Limiter.Middleware] do that.
//
//	over a limit                                 429, Retry-After
//	no decision, and the route fails closed      503, Retry-After
//	no decision, and the route fails open        served, marked degraded
//	no decision, and the route fails local       this server's share decides
//
// An [*InvalidError] is a mistake of the program, such as a negative cost or no
// subject. Nothing was sent.
//
// # In front of a handler
//
// A [Policy] says for each route whom a request charges, and what happens without
// Redis. Routes are a ServeMux's patterns, and those not listed have the default,
// which must be given.
//
//	client := limiter.FirstOf(limiter.ByUser(signedIn), limiter.ByIP(ourProxies...), limiter.Everyone)
//	calls := func(r *http.Request) []limiter.Charge {
//		return []limiter.Charge{{Subject: client(r), Limit: perMinute, Cost: 1}}
//	}
//	limited, err := l.Middleware(limiter.MiddlewareOptions{
//		Route:   limiter.MuxRoute(mux),
//		Routes:  map[string]limiter.Policy{"GET /seats": {Charges: calls, Fallback: limiter.FailOpen}},
//		Default: limiter.Policy{Charges: calls, Fallback: limiter.FailClosed},
//	})
//	...
//	http.ListenAndServe(addr, limited(mux))
//
// An identity must be hard to change for whoever is to be limited: an address
// behind proxies of yours, a user who has signed in, an API key that was checked.
// A key that nobody has checked makes its inventor a new client each time.
//
// # Choosing an algorithm
//
// The most that one client gets through when it tries every 10 ms, at a limit of
// 100 a minute, after a quiet time:
//
//	                  in any minute   in any 2 s   memory
//	fixed window      200             200          one integer
//	sliding log       100             100          4 bytes for each unit
//	sliding counter   199             103          11 bytes
//	token bucket      199             103          14 bytes
//	leaky bucket      100             4 (starts)   14 bytes
//
// So the counter and the buckets cure the double burst where two windows meet,
// and only the log holds every minute to 100. A fixed window is aligned to the
// clock. A leaky bucket admits into a queue: Decision.Delay says when to start.
//
// # What is stored
//
// Use, in units, never a time at which something is allowed again: so a new
// quota or burst is right from the next call on, in the middle of a window. Only
// what was admitted counts, unless Limit.CountRefused says otherwise. Every write
// sets an expiry, and a call that meets a key without one gives it one;
// [Limiter.Sweep] finds those that nobody asks about any more.
//
// # Refunds and repeats
//
// [Limiter.Refund] gives back what a decision took, by its ID, once, and only as
// far as it still counts. A call that timed out may have been charged: the error
// says Unknown, and the limiter does not repeat it. A caller whose requests have
// ids can, with [Limiter.TakeOnce].
//
// # Redis that is slow or away
//
// A call ends after Options.Timeout, or when its context does: at once, also
// when that is cancelled while Redis is asked. After a few
// failures in a row the breaker opens, and calls fail at once, except for one
// probe in each pause. go-redis must obey contexts for that: make the client from
// [ClientOptions], or let [New] make a copy that does. Replies of error, such as
// WRONGTYPE, OOM or READONLY, are no decisions, and no reason to open the breaker.
//
// # Redis Cluster
//
// A script reaches the keys of one slot. With Options.Tag the caller says which
// subjects live together, all of a tenant's say, and charges on them stay all or
// nothing. With Options.Split the charges of a call may live anywhere: each slot
// decides its own at the same time, and what was taken is given back where another
// refuses. While that is on its way others may be refused too early; nobody is
// admitted above a limit.
//
// While a slot moves, redirections are followed, and a call some of whose keys
// have moved is tried again until its time is over. One that would make a new key
// beside others is served by no node until the slot has moved: charges on several
// keys of which one has no use yet, a refund, a request with an id. It ends as an
// UnavailableError, and charged nothing. A call on one key is served all the while;
// Options.Packed makes one key of all limits of a subject.
//
// # Plans
//
// [Plans] are limits by tier that change while the program runs, from a file
// ([Plans.LoadFile]) or from Redis ([Publish], [Plans.Follow]). A snapshot with
// any mistake is rejected whole. A new quota holds from the next call on: who has
// used 100 of 100 has 400 left of 500, and who has used 400 of 500 has none left of
// 100. Watch [Plans.Age]: it grows while pushes are lost.
//
// # Before it counts
//
//   - Give it a Redis of its own, or one that never evicts; [Limiter.Check] warns.
//   - If its users are restricted, let the limiter's run EVAL, EVALSHA, TIME, GET,
//     SET, PSETEX, INCRBY, PTTL, PEXPIRE, DEL, EXISTS and TYPE; a command that a
//     script may not run can stop it halfway.
//   - Say of each route what an hour without a limit would cost, and what an hour
//     without the route, and choose its [Fallback]. FailLocal needs Options.Servers.
//   - Begin a new limit with Limit.Shadow, and look at whom it would have refused.
//   - Options.Metrics: [NewExpvarMetrics] counts, [NewSlogMetrics] logs the
//     breaker, [MetricsList] is both. Alert on "breaker.open" and "unavailable".
//   - Retry a charge only with [Limiter.TakeOnce].
//   - Where another limiter had these keys before, run [Limiter.Sweep] once.
//
// # What it does not promise
//
// Redis forgets: a restart without persistence, a failover to a replica that is
// behind, or a maxmemory policy that evicts let clients begin again, by as much as
// was lost. [Limiter.Check] warns of the last. Clocks of Redis servers differ: after
// a failover to one that is behind, windows last longer by the difference.
//
// Redis 5.0 or later; tested with 7.0.
package limiter
