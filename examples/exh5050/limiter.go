package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/limiter"
)

const (
	attempts = 3           // that an account has in a window
	window   = time.Minute // how long one lasts

	keyPrefix = "rl:signin:"
)

// pair is the limiter before the fix: it counts one attempt under key, in a
// window that opens with the first, and gives the count so far. It calls gap
// between its two commands. Redis cannot know that the second was meant to
// follow the first, so a server that dies in the gap leaves a count that never
// expires.
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

// before is the API server that counts with pair: 200 within the limit, 429
// above it. A request that says crash=here stops in the gap, as if the deploy had
// reached its server at that instant, and reports the account.
func before(rdb *redis.Client, report func(string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account := r.FormValue("account")
		gap := func() {
			if r.FormValue("crash") == "here" {
				report(account)
				select {} // until this process is killed
			}
		}
		n, err := pair(r.Context(), rdb, keyPrefix+account, window, gap)
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		case n > attempts:
			http.Error(w, "too many attempts", http.StatusTooManyRequests)
		default:
			welcome(w, r)
		}
	})
}

// after is the API server with the course's limiter: counting and the expiry are
// one script, which also gives an expiry to a counter that it finds without one.
func after(rdb *redis.Client, _ func(string)) http.Handler {
	l, err := newLimiter(rdb)
	if err != nil {
		log.Fatal(err)
	}
	guard, err := l.Middleware(limiter.MiddlewareOptions{Default: limiter.Policy{
		Charges:  func(r *http.Request) []limiter.Charge { return []limiter.Charge{signIn(r.FormValue("account"))} },
		Fallback: limiter.FailClosed,
	}})
	if err != nil {
		log.Fatal(err)
	}
	return guard(http.HandlerFunc(welcome))
}

// newLimiter waits for Redis longer than production would: a busy machine must
// not change what this example prints.
func newLimiter(rdb *redis.Client) (*limiter.Limiter, error) {
	return limiter.New(rdb, limiter.Options{Timeout: 5 * time.Second, DialTimeout: 5 * time.Second})
}

// signIn is the charge for one attempt of an account.
func signIn(account string) limiter.Charge {
	return limiter.Charge{
		Subject: []string{"account", account},
		Limit:   limiter.Limit{Name: "signin", Algorithm: limiter.FixedWindow, Quota: attempts, Window: window},
		Cost:    1,
	}
}

func welcome(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "welcome, %s\n", r.FormValue("account"))
}
