package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

// memory measures what a client's count takes, in each state.
func memory(ctx context.Context, l *lab.Lab) error {
	for _, s := range states {
		bytes, err := s.measure(ctx, l.Redis())
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := errors.Join(
			l.Value("bytes_"+s.name, fmt.Sprintf("%.0f", bytes)),
			l.Value("gb_"+s.name, fmt.Sprintf("%.0f", bytes*50e6/1e9)), // for 50 million clients
		); err != nil {
			return err
		}
	}
	return nil
}

// measure returns the bytes that one client's count takes in this state. What
// Redis does beside comes and goes, so that only a figure that came twice counts,
// within a hundredth, or the middle one of five.
func (s state) measure(ctx context.Context, rdb *redis.Client) (float64, error) {
	var seen []float64
	for len(seen) < 5 {
		now, err := s.once(ctx, rdb)
		if err != nil {
			return 0, err
		}
		if slices.ContainsFunc(seen, func(before float64) bool { return math.Abs(now-before) <= before/100 }) {
			return now, nil
		}
		seen = append(seen, now)
	}
	slices.Sort(seen)
	return seen[len(seen)/2], nil
}

// once returns the additional memory that Redis uses when it holds the counts of many clients, for
// each of them. That includes what the tables of Redis take, which MEMORY USAGE
// leaves out.
func (s state) once(ctx context.Context, rdb *redis.Client) (float64, error) {
	// A rehearsal: Redis keeps some statistics of each command from its first
	// use on, and they are no part of a count.
	if _, err := s.fill(ctx, rdb, 2); err != nil {
		return 0, err
	}
	before, err := s.fill(ctx, rdb, 0)
	if err != nil {
		return 0, err
	}
	after, err := s.fill(ctx, rdb, s.clients)
	return float64(after-before) / float64(s.clients), err
}

// fill returns the memory that Redis uses when it holds the counts of so many
// clients and nothing else.
func (s state) fill(ctx context.Context, rdb *redis.Client, clients int) (int64, error) {
	if err := rdb.FlushDB(ctx).Err(); err != nil {
		return 0, err
	}
	if clients > 0 {
		if err := s.store(ctx, rdb, clients); err != nil {
			return 0, err
		}
	}
	info, err := rdb.InfoMap(ctx, "memory", "keyspace").Result()
	if err != nil {
		return 0, err
	}
	if clients > 0 && !strings.HasPrefix(info["Keyspace"]["db0"], fmt.Sprintf("keys=%d,expires=%d,", clients, clients)) {
		return 0, fmt.Errorf("%d clients, but Redis holds %s", clients, info["Keyspace"]["db0"])
	}
	all, err := strconv.ParseInt(info["Memory"]["used_memory"], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("INFO memory: %w", err)
	}
	buffers, err := connections(ctx, rdb)
	return all - buffers, err
}

var totalMemory = regexp.MustCompile(` tot-mem=(\d+)`)

// connections returns the memory of the clients that are connected. It comes and
// goes by itself, and by more than a thousand counts differ in.
func connections(ctx context.Context, rdb *redis.Client) (int64, error) {
	list, err := rdb.ClientList(ctx).Result()
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, client := range totalMemory.FindAllStringSubmatch(list, -1) {
		bytes, err := strconv.ParseInt(client[1], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += bytes
	}
	return sum, nil
}
