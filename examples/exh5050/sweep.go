package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// census returns how many keys match pattern, and which of them
// have no expiry. SCAN may return a key twice, hence the map.
func census(
	ctx context.Context, rdb *redis.Client, pattern string,
) (keys int, leaked []string, err error) {
	seen := map[string]bool{}
	scan := rdb.Scan(ctx, 0, pattern, 500).Iterator()
	for scan.Next(ctx) {
		key := scan.Val()
		ttl, err := rdb.TTL(ctx, key).Result()
		if err != nil {
			return 0, nil, err
		}
		if ttl == -1 && !seen[key] { // no expiry
			leaked = append(leaked, key)
		}
		seen[key] = true
	}
	slices.Sort(leaked)
	return len(seen), leaked, scan.Err()
}

// sweep sends EXPIRE … NX to every key that matches pattern, and
// returns how many got an expiry. The others keep theirs.
func sweep(
	ctx context.Context, rdb *redis.Client, pattern string,
	window time.Duration,
) (repaired int, err error) {
	scan := rdb.Scan(ctx, 0, pattern, 500).Iterator()
	for scan.Next(ctx) {
		set, err := rdb.ExpireNX(ctx, scan.Val(), window).Result()
		if err != nil {
			return repaired, err
		}
		if set {
			repaired++
		}
	}
	return repaired, scan.Err()
}

// state is what Redis holds under a key: TTL -1 is no expiry.
type state struct{ count, ttl int64 }

func (s state) String() string { return fmt.Sprintf("count %d, TTL %d", s.count, s.ttl) }

// stateOf returns the state of a key that exists.
func stateOf(ctx context.Context, rdb *redis.Client, key string) (state, error) {
	count, err := rdb.Get(ctx, key).Int64()
	if err != nil {
		return state{}, fmt.Errorf("read %s: %w", key, err)
	}
	ttl, err := rdb.TTL(ctx, key).Result()
	if ttl > 0 {
		ttl /= time.Second
	}
	return state{count, int64(ttl)}, err
}

// waitUntilGone returns when Redis has deleted key. It fails after 10 s.
func waitUntilGone(ctx context.Context, rdb *redis.Client, key string) error {
	const patience = 10 * time.Second
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		n, err := rdb.Exists(ctx, key).Result()
		if err != nil || n == 0 {
			return err
		}
	}
	return fmt.Errorf("%s still exists after %v", key, patience)
}
