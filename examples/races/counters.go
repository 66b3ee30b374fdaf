package main

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/tokenbucket"
)

const (
	limit  = 100
	window = time.Minute
)

// A counter decides one request of the client whose count is under key.
type counter func(ctx context.Context, rdb *redis.Client, key string) (allowed bool, err error)

// counters are the ways to decide, by the names under which servers run them.
var counters = map[string]counter{
	"read-modify-write": readModifyWrite,
	"incr":              incr,
	"script":            script,
	"bucket":            bucket,
}

// read returns the count under key, 0 if there is none.
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

// incr lets Redis add and reply in one command, so that no two requests get
// the same count.
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

// checkAndCount reads, checks and writes as one command. SET … NX creates the
// key, with its expiry, before INCR counts.
var checkAndCount = redis.NewScript(`
	local count = tonumber(redis.call('GET', KEYS[1]) or 0)
	if count >= tonumber(ARGV[1]) then return 0 end
	redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
	redis.call('INCR', KEYS[1])
	return 1`)

func script(ctx context.Context, rdb *redis.Client, key string) (bool, error) {
	return checkAndCount.Run(ctx, rdb, []string{key}, limit, int(window.Seconds())).Bool()
}

// [/script]

// bucket takes a token. It refills so slowly that the run gets no new one.
func bucket(ctx context.Context, rdb *redis.Client, key string) (bool, error) {
	const perDay = 1.0 / (24 * 3600)
	wait, err := tokenbucket.Take(ctx, rdb, key, limit, perDay, 1)
	return wait == 0, err
}
