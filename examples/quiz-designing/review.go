package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

// blocks: 4 servers shorten 25,000 addresses each. A server whose block of
// numbers is used up fetches the next 1,000 with one INCRBY. How many calls is
// that, if no two addresses get one code?
func blocks(ctx context.Context, l *lab.Lab) (string, error) {
	const servers, each, size = 4, 25_000, 1000
	calls := 0
	codes := make(map[string]bool, servers*each)
	next, left := make([]int64, servers), make([]int, servers)
	for n := range servers * each {
		s := n % servers
		if left[s] == 0 {
			end, err := l.Redis().IncrBy(ctx, "ids", size).Result()
			if err != nil {
				return "", err
			}
			next[s], left[s] = end-size, size
			calls++
		}
		code := base62(next[s])
		if codes[code] {
			return "", fmt.Errorf("the code %s twice", code)
		}
		codes[code] = true
		next[s]++
		left[s]--
	}
	return lab.Thousands(calls), nil
}

// base62 writes a number with the digits and both cases of the alphabet.
func base62(n int64) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if n < 62 {
		return digits[n : n+1]
	}
	return base62(n/62) + digits[n%62:n%62+1]
}

// claim: two servers draw the same short code at the same moment. How many of
// them take it for theirs, if each looks first and then writes, and if each
// writes with SET … NX?
func claim(ctx context.Context, l *lab.Lab) (string, error) {
	rdb := l.Redis()
	free := 0
	for range 2 { // both look before either writes
		n, err := rdb.Exists(ctx, "code:looked").Result()
		if err != nil {
			return "", err
		}
		if n == 0 {
			free++
		}
	}
	looked := 0
	for server := range free {
		if err := rdb.Set(ctx, "code:looked", server, 0).Err(); err != nil {
			return "", err
		}
		looked++
	}
	claimed := 0
	for server := range 2 {
		err := rdb.SetArgs(ctx, "code:claimed", server, redis.SetArgs{Mode: "NX", TTL: time.Hour}).Err()
		switch {
		case errors.Is(err, redis.Nil): // the other server has it
		case err != nil:
			return "", err
		default:
			claimed++
		}
	}
	return fmt.Sprintf("%d, then %d", looked, claimed), nil
}
