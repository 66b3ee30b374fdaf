package main

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	limit  = 100
	window = time.Minute
)

// A counter decides one request of the client whose count is under key.
type counter func(ctx context.Context, rdb *redis.Client, key string) (allowed bool, err error)

// [read-modify-write]

// read and write are the limiter that looks right and is not: between the two,
// any other server may read the same count.
func read(ctx context.Context, rdb *redis.Client, key string) (int, error) {
	count, err := rdb.Get(ctx, key).Int()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	return count, err
}

func write(ctx context.Context, rdb *redis.Client, key string, count int) error {
	if err := rdb.Set(ctx, key, count, 0).Err(); err != nil {
		return err
	}
	return rdb.Expire(ctx, key, window).Err()
}

func readModifyWrite(ctx context.Context, rdb *redis.Client, key string) (bool, error) {
	count, err := read(ctx, rdb, key)
	if err != nil || count >= limit {
		return false, err
	}
	return true, write(ctx, rdb, key, count+1)
}

// [/read-modify-write]

// incr lets Redis add and answer in one command, so that no two requests are
// told the same count. Only its EXPIRE can get lost.
func incr(ctx context.Context, rdb *redis.Client, key string) (bool, error) {
	count, err := rdb.Incr(ctx, key).Result()
	if err != nil {
		return false, err
	}
	if count == 1 {
		err = rdb.Expire(ctx, key, window).Err()
	}
	return count <= limit, err
}

// [script]

// checkAndCount is read, check and write once more, as a script: from its first
// line to its last Redis does nothing else. NX gives an expiry to a key that has
// none, be it new or left over from a crash.
var checkAndCount = redis.NewScript(`
	local count = tonumber(redis.call('GET', KEYS[1]) or 0)
	local allowed = count < tonumber(ARGV[1])
	if allowed then redis.call('INCR', KEYS[1]) end
	redis.call('EXPIRE', KEYS[1], ARGV[2], 'NX')
	return allowed and 1 or 0`)

func script(ctx context.Context, rdb *redis.Client, key string) (bool, error) {
	return checkAndCount.Run(ctx, rdb, []string{key}, limit, int(window.Seconds())).Bool()
}

// [/script]
