package main

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	limit     = 3           // attempts of an account in one window
	window    = time.Minute // how long a window lasts
	keyPrefix = "rl:signin:"
)

// pair counts one attempt with two commands and returns the count.
// It calls gap between them. Redis does not know that EXPIRE should
// follow: if the server dies in the gap, the key has no expiry.
func pair(
	ctx context.Context, rdb *redis.Client, key string,
	window time.Duration, gap func(),
) (int64, error) {
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

// counter counts one attempt under key and returns the count.
type counter func(ctx context.Context, rdb *redis.Client, key string, window time.Duration, gap func()) (int64, error)

var (
	//go:embed conditional.lua
	conditionalLua string
	//go:embed nx.lua
	nxLua string
)

// byScript returns the counter that runs source. It has no gap: all its
// commands reach Redis as one.
func byScript(source string) counter {
	script := redis.NewScript(source)
	return func(ctx context.Context, rdb *redis.Client, key string, window time.Duration, _ func()) (int64, error) {
		return script.Run(ctx, rdb, []string{key}, int(window.Seconds())).Int64()
	}
}

// signIn returns the handler of a sign-in server: 200 up to the limit, 429
// above it. Two parameters are for this example only. crash=here stops the
// request in the gap and reports it, so that the example can kill the server
// there. seconds=1 shortens the window, so that a real window can end.
func signIn(count counter) func(*redis.Client, func(string)) http.Handler {
	return func(rdb *redis.Client, report func(string)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			account, window := r.FormValue("account"), window
			if seconds, err := strconv.Atoi(r.FormValue("seconds")); err == nil {
				window = time.Duration(seconds) * time.Second
			}
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
				fmt.Fprintf(w, "welcome, %s\n", account)
			}
		})
	}
}
