// Package tokenbucket holds the token bucket of the lesson "Designing a rate
// limiter" twice: for one process, and as a script for a fleet.
package tokenbucket

import (
	"context"
	_ "embed"

	"github.com/redis/go-redis/v9"
)

//go:embed bucket.lua
var source string

var script = redis.NewScript(source)

// Take takes cost tokens from the bucket under key, which holds at most
// capacity and gets rate new ones a second. It returns 0 if the tokens were
// there, otherwise the seconds until they will be.
func Take(ctx context.Context, rdb *redis.Client, key string, capacity, rate, cost float64) (wait int, err error) {
	return script.Run(ctx, rdb, []string{key}, capacity, rate, cost).Int()
}
