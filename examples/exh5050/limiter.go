package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	limit  = 3           // attempts per window
	window = time.Minute // from an account's first attempt

	keyPrefix = "rl:signin:"
)

// A counter counts one attempt under key, in a window that opens with the
// first, and gives the count so far. It calls gap wherever a crash could fall
// between two commands.
type counter func(ctx context.Context, rdb *redis.Client, key string, window time.Duration, gap func()) (int64, error)

// pair is the limiter before the fix. Redis cannot know that the second
// command was meant to follow the first, so a server that dies in the gap
// leaves a count that never expires.
func pair(ctx context.Context, rdb *redis.Client, key string, window time.Duration, gap func()) (int64, error) {
	n, err := rdb.Incr(ctx, key).Result()
	if err != nil {
		return 0, err
	}
	if n == 1 {
		gap()
		err = rdb.Expire(ctx, key, window).Err()
	}
	return n, err
}

// countNX is both commands as one: Redis runs a script from start to end,
// whatever becomes of the client that sent it. NX sets an expiry only where
// there is none, so it may run on every attempt: a running window keeps its
// deadline, and a key that leaked before the fix gets one at last.
var countNX = redis.NewScript(`
	local n = redis.call('INCR', KEYS[1])
	redis.call('EXPIRE', KEYS[1], ARGV[1], 'NX')
	return n`)

// script is the limiter after the fix. It has no gap to call.
func script(ctx context.Context, rdb *redis.Client, key string, window time.Duration, _ func()) (int64, error) {
	return countNX.Run(ctx, rdb, []string{key}, int(window.Seconds())).Int64()
}

// signIn makes the API server that counts with count: 200 within the limit,
// 429 above it. A request that says crash=here stops in the gap, as if the
// deploy had reached its server at that instant, and reports the account.
func signIn(count counter) func(*redis.Client, func(string)) http.Handler {
	return func(rdb *redis.Client, report func(string)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			account := r.FormValue("account")
			gap := func() {
				if r.FormValue("crash") == "here" {
					report(account)
					select {} // until this process is killed
				}
			}
			n, err := count(r.Context(), rdb, keyPrefix+account, window, gap)
			switch {
			case err != nil:
				http.Error(w, err.Error(), http.StatusInternalServerError)
			case n > limit:
				http.Error(w, "too many attempts", http.StatusTooManyRequests)
			default:
				fmt.Fprintf(w, "attempt %d of %d\n", n, limit)
			}
		})
	}
}
