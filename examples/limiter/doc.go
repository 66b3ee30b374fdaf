// Package limiter limits rates across any number of servers: each call is decided
// once, in one place, by one clock, and charged at most once.
//
// The counts live in Redis. A call names charges, each so many units of a limit
// on behalf of a subject, and a script in Redis decides all of them together, in
// one round trip: all are charged, or none is.
//
//	rdb := redis.NewUniversalClient(limiter.ClientOptions("redis:6379"))
//	l, err := limiter.New(rdb, limiter.Options{})
//	...
//	d, err := l.Take(ctx,
//		limiter.Charge{Subject: []string{"ip", ip}, Limit: perSecond},
//		limiter.Charge{Subject: []string{"key", key}, Limit: perHour, Cost: 5})
//	switch {
//	case err != nil: // no decision: what now is your policy, see below
//	case d.Outcome == limiter.Allowed: // go on
//	default: // come back after d.RetryAfter; d.Violated says whose limits refused
//	}
//
// One Limiter serves a whole program. A limit is a value: its name, algorithm,
// window and subject make the key, its quota is compared anew in every call. A
// charge without a Cost costs 1.
//
// # Decisions and failures
//
// A [Decision] is Allowed, Limited (too little is left now; RetryAfter says when
// there will be enough) or Impossible (the charge is more than the limit ever
// has). It names every limit that refused. A Redis that gives no decision is an
// [*UnavailableError], which is not Limited: answer Limited with 429, and an
// UnavailableError by the policy of the route. [Limiter.Decide] and
// [Limiter.Middleware] do that.
//
//	over a limit                                 429, Retry-After
//	no decision, and the route fails closed      503, Retry-After
//	no decision, and the route fails open        served, marked degraded
//	no decision, and the route fails local       this server's share decides
//
// [UnavailableError.Kind] is the reason: a timeout, no connection, a wrong password, a
// missing permission, no memory, a replica, a key of another program, a script that
// could not run. A wrong password or a missing permission stays until an operator
// mends it, so that it does not open a route, unless its Fallback is
// [FailOpenAlways]. A key of another program is not deleted, because it is not the
// limiter's: the error and the log name it.
//
// An [*InvalidError] is a mistake of the program, such as a negative cost, no
// subject, or a request id that was used for other charges. Nothing was charged.
//
// # In front of a handler
//
// A [Policy] defines for a route whom a request charges, and what happens without
// Redis. Routes are a ServeMux's patterns, and those not listed have the default,
// which must be given. A route that the mux does not have is an error at start-up.
//
//	client := limiter.FirstOf(limiter.ByUser(signedIn), limiter.ByIP(ourProxies...), limiter.Everyone)
//	calls := func(r *http.Request) []limiter.Charge {
//		return []limiter.Charge{{Subject: client(r), Limit: perMinute}}
//	}
//	limited, err := l.Middleware(limiter.MiddlewareOptions{
//		Mux:     mux,
//		Routes:  map[string]limiter.Policy{"GET /seats": {Charges: calls, Fallback: limiter.FailOpen}},
//		Default: limiter.Policy{Charges: calls, Fallback: limiter.FailClosed},
//	})
//	...
//	http.ListenAndServe(addr, limited(mux))
//
// An identity must be hard to change for whoever is to be limited: an address
// behind proxies of yours, a user who has signed in, an API key that was checked.
// With unchecked keys, a client that invents one is a new client each time.
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
//	token bucket      199             103          28 bytes
//	leaky bucket      100             4 (starts)   28 bytes
//
// So the counter and the buckets cure the double burst where two windows meet,
// and only the log holds every minute to 100. A fixed window is aligned to the
// clock. A leaky bucket admits into a queue: Decision.Delay says when to start.
//
// A sliding counter also refuses clients that keep to a small limit, because it
// rounds up what is left of the window before: at a steady 0.9 calls a second it
// admits 30 of 54 at a limit of 1 a second, 510 of 540 at ten times both, and all at
// a hundred times. For small quotas take a token bucket.
//
// A FixedWindow counts up to 10^12 ([MaxQuota]: bytes, cents), a SlidingLog up to
// [MaxLogQuota]. Counters and buckets count millionths of a unit in doubles and go
// up to [MaxRateQuota]; more is refused, because it would not be exact.
//
// # What is stored
//
// Use, in units, never a time at which something is allowed again: so a new
// quota or burst is right from the next call on, in the middle of a window. What
// becomes of use when the quota changes is [Limit.OnChange]: kept by default,
// scaled, or reset. No client then waits longer than the new limit takes to refill:
// what is in a bucket above its new capacity is forgiven, and a bucket drains at the
// old rate up to the first call under the new quota. Only
// what was admitted counts, unless Limit.CountRefused says otherwise. Every write
// sets an expiry, and a call that meets a key without one gives it one;
// [Limiter.Sweep] finds those that are not used any more.
// What was taken before a change that scales or resets, or lowers the quota, is not
// refunded any more; after one that scales, nor is what is taken within a second: a
// clock that steps back by less cannot tell the two apart.
//
// # Refunds and repeats
//
// [Limiter.Refund] returns what a decision took, by its ID, each charge once,
// and only as far as it still counts. Keep IDs on the server: they are not signed,
// and a client that invents one could empty a window. A call that timed out may have been
// charged: the error says Unknown, and the limiter does not repeat it. A caller
// whose requests have ids can, with [Limiter.TakeOnce]: a repetition returns the
// first decision, with the same ID, and after a Refund it is charged anew.
//
// A refund from a bucket returns what has not drained since it was taken, as though it
// had begun to drain at once. So a late refund on a fast bucket returns little: more
// could be units that others took.
//
// # Redis that is slow or away
//
// A call ends after Options.Timeout, or when its context does: at once, also
// when that is cancelled while Redis is asked. After a few round trips in a row that
// failed, and 200 ms or longer without an answer, the breaker opens, and calls fail
// at once, except for one probe in each pause; the first answer closes it. Callers
// who leave, or whose deadlines are short, do not count. go-redis must respect contexts
// for that: make the client from [ClientOptions], or let [New] make a copy that
// does, without its hooks. Replies of error, such as WRONGTYPE, OOM or READONLY, are
// no decisions, and no reason to open the breaker. Calls that share a round trip go
// out with a context of the limiter's own, so that a client's hooks see no caller's
// trace for them.
//
// A fallback records no decisions: [Limiter.Refund] of what it admitted returns nothing,
// not to the local share either, because without a record a second refund looks like
// the first.
//
// # Redis Cluster
//
// A script reaches the keys of one slot. With Options.Tag the caller says which
// subjects live together, all of a tenant's say, and charges on them stay all or
// nothing. With Options.Split the charges of a call may live anywhere: each slot
// decides its own at the same time, and if one refuses, the others are refunded. Until
// then other calls may be refused too early; none is admitted above a limit.
//
// Each node has its own queue and breaker, so that a silent master costs only its
// own keys. A network error makes the client read the topology again, and a shard
// whose replica took over decides again within two seconds. That needs a client
// that does not wait long for a node that is gone: [ClientOptions] sets 25 ms, the
// 3 s of go-redis' own default are too long. Calls go to the nodes' own clients:
// put hooks on these, by ClusterClient.OnNewNode.
//
// A client of redis.NewFailoverClusterClient is refused, because it routes keys by a
// table of its own; redis.NewFailoverClient follows the same master.
//
// While a slot moves, redirections are followed, and a call some of whose keys
// have moved is tried again until its time is over. One that would make a new key
// beside others is served by no node until the slot has moved: charges on several
// keys of which one has no use yet, a refund, a request with an id. It ends as an
// UnavailableError, and charged nothing. A call on one key is served all the while;
// Options.Packed makes one key of all limits of a subject. Such a key keeps the
// record of every limit that it ever had for as long as it lives, some 30 bytes
// each: names and windows that change all the time belong in keys of their own.
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
//     script may not run can stop it halfway. [Limiter.Sweep] also needs SCAN,
//     [Limiter.Check] INFO, [Publish] WATCH, MULTI, EXEC and PUBLISH, and
//     [Plans.Follow] SUBSCRIBE; a Cluster client needs CLUSTER SLOTS.
//   - Say of each route what an hour without a limit would cost, and what an hour
//     without the route, and choose its [Fallback]. FailLocal needs Options.Servers.
//   - Begin a new limit with Limit.Shadow, and look at whom it would have refused.
//   - Options.Metrics: [NewExpvarMetrics] counts, [NewSlogMetrics] logs the
//     breaker and each new kind of failure, [MetricsList] is both; by default the
//     latter logs to slog.Default. Alert on "breaker.open" and "unavailable.KIND".
//   - Retry a charge only with [Limiter.TakeOnce].
//   - Where another limiter had these keys before, run [Limiter.Sweep] once, and
//     again with SweepOptions.Repair when you have read its report.
//
// # What it does not guarantee
//
// Redis loses data: a restart without persistence, a failover to a replica that is
// behind, or a maxmemory policy that evicts let clients begin again, by as much as
// was lost. [Limiter.Check] warns of the last. Clocks of Redis servers differ: after
// a failover to one that is behind, windows last longer by the difference. A clock
// that goes back by more than a window is noticed: what is in use counts from then
// on, and everybody is served again within a window. A clock that goes back by less
// makes windows longer by as much.
//
// A Redis that does not let scripts read TIME (some serverless ones) cannot be used:
// only one clock for all servers makes decisions agree.
//
// Redis 5.0 or later; tested with 7.0.
package limiter
