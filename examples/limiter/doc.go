// Package limiter promises that a limit holds across any number of servers: each
// call is decided once, in one place, by one clock, and charged at most once.
//
// The counts live in Redis. A call names charges, each so many units of a limit
// on behalf of a subject, and a script in Redis decides all of them together, in
// one round trip: all are charged, or none is.
//
//	l, err := limiter.New(redis.NewUniversalClient(limiter.ClientOptions("redis:6379")), limiter.Options{})
//	...
//	d, err := l.Take(ctx,
//		limiter.Charge{Subject: []string{"ip", ip}, Limit: perSecond, Cost: 1},
//		limiter.Charge{Subject: []string{"key", key}, Limit: perHour, Cost: 1})
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
// admitted above a limit. While a slot moves, a call some of whose keys have moved
// is tried again until its time is over.
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
