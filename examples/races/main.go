// Command races shows the race of a limiter that reads, checks and writes: how
// many requests 20 server processes admit above the limit, first in the worst
// order and then in whatever order happens, and that INCR and scripts admit none.
package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verbatim/examples/lab"
)

const (
	servers  = 20  // processes
	each     = 120 // requests that every server gets
	requests = servers * each
)

func main() { lab.Main(story, lab.Server{Name: "server", Handler: server}) }

// race is what the chapters share.
type race struct {
	*lab.Lab
	fleet
}

// story runs the chapters in order. Each prints its row.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	f, err := startFleet(ctx, l, servers)
	if err != nil {
		return err
	}
	r := &race{l, f}
	fmt.Printf(row, lab.Thousands(requests)+" requests", "admitted", "counted")
	return errors.Join(l.Value("limit", limit), r.lockstep(ctx), r.asItComes(ctx), r.atomically(ctx))
}

// row is narrow enough for a telephone.
const row = "%-20s%9s%9s\n"

// lockstep is the worst case: all servers read, and only then all write. They
// all write the same number, so that a whole round counts as one request.
func (r *race) lockstep(ctx context.Context) error {
	const key = "rl:lockstep"
	admitted := 0
	for range each {
		counts, err := r.ask(ctx, "read", key, func(int) int { return 0 })
		if err != nil {
			return err
		}
		if counts[0] >= limit { // all have read the same, and refuse
			continue
		}
		if _, err := r.ask(ctx, "write", key, func(server int) int { return counts[server] + 1 }); err != nil {
			return err
		}
		admitted += len(counts)
	}
	return r.outcome(ctx, "lockstep", "GET, SET in lockstep", key, admitted)
}

// flood sends every server its requests, all servers at the same time, and
// returns how many were admitted.
func (r *race) flood(ctx context.Context, counter, key string) (int, error) {
	admitted, err := r.ask(ctx, counter, key, func(int) int { return each })
	return sum(admitted), err
}

// asItComes forces no order. How many are admitted is different each time; that
// it is more than the limit is not.
func (r *race) asItComes(ctx context.Context) error {
	const tries = 10
	for try := range tries {
		admitted, err := r.flood(ctx, "read-modify-write", fmt.Sprintf("rl:asitcomes:%d", try))
		if err != nil {
			return err
		}
		if admitted > limit {
			fmt.Printf(row, "GET, SET as it comes", fmt.Sprintf("> %d", limit), "varies")
			return nil
		}
	}
	return fmt.Errorf("in %d tries, no two of %d servers read the same count", tries, servers)
}

// atomically sends the same requests through the counters that leave no gap
// between reading and writing.
func (r *race) atomically(ctx context.Context) error {
	for _, c := range []struct{ name, text string }{
		{"incr", "INCR, then check"},
		{"script", "one script"},
	} {
		key := "rl:" + c.name
		admitted, err := r.flood(ctx, c.name, key)
		if err != nil {
			return err
		}
		if err := r.outcome(ctx, c.name, c.text, key, admitted); err != nil {
			return err
		}
	}
	admitted, err := r.flood(ctx, "bucket", "rl:bucket")
	if err != nil {
		return err
	}
	left, err := r.Redis().HGet(ctx, "rl:bucket", "tokens").Float64()
	fmt.Printf(row, "token-bucket script", lab.Thousands(admitted), fmt.Sprintf("%.0f left", left))
	return errors.Join(err, r.Value("bucket_admitted", admitted))
}

// outcome prints and records how many requests were admitted under a key, and
// how many its count says.
func (r *race) outcome(ctx context.Context, name, text, key string, admitted int) error {
	count, err := read(ctx, r.Redis(), key)
	if err != nil {
		return err
	}
	fmt.Printf(row, text, lab.Thousands(admitted), lab.Thousands(count))
	return errors.Join(
		r.Value(name+"_admitted", lab.Thousands(admitted)),
		r.Value(name+"_count", lab.Thousands(count)))
}
