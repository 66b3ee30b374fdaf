// Command races promises the race of a limiter that reads, checks and writes:
// how many it lets through beyond the limit, first with every step in an order
// that is made sure of, then as it comes; and that INCR and a script let through
// none. What INCR leaves open is the expiry, which a killed server shows.
package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

const (
	servers  = 20
	each     = 120 // requests that every server gets
	requests = servers * each
)

func main() {
	lab.Main(story, lab.Server{Name: "stops after INCR", Handler: stopsAfterIncr})
}

// story tells the race in order. Each chapter prints its outcome.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	if err := errors.Join(
		l.Value("limit", limit),
		l.Value("servers", servers),
		l.Value("requests", lab.Thousands(requests)),
	); err != nil {
		return err
	}
	for _, chapter := range []func(context.Context, *lab.Lab) error{twoServers, manyServers, crash} {
		if err := chapter(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// twoServers is the smallest case: one request is left, and two servers read
// before either writes.
func twoServers(ctx context.Context, l *lab.Lab) error {
	const key = "rl:two"
	rdb := l.Redis()
	if err := write(ctx, rdb, key, limit-1); err != nil {
		return err
	}
	fmt.Println("two servers, one request left")
	counts := map[string]int{}
	for _, server := range []string{"A", "B"} {
		count, err := read(ctx, rdb, key)
		if err != nil {
			return err
		}
		counts[server] = count
		fmt.Printf("  server %s  GET %s -> %d\n", server, key, count)
	}
	admitted := 0
	for _, server := range []string{"A", "B"} {
		if counts[server] >= limit {
			continue
		}
		admitted++
		if err := write(ctx, rdb, key, counts[server]+1); err != nil {
			return err
		}
		fmt.Printf("  server %s  SET %s %d\n", server, key, counts[server]+1)
	}
	count, err := read(ctx, rdb, key)
	if err != nil {
		return err
	}
	fmt.Printf("  %d admitted, the count is %d\n", admitted, count)
	return nil
}

// row is narrow enough for a telephone.
const row = "%-20s%9s%9s\n"

// manyServers sends the same requests through each counter.
func manyServers(ctx context.Context, l *lab.Lab) error {
	fmt.Printf(row, lab.Thousands(requests)+" requests", "admitted", "counted")
	for _, part := range []func(context.Context, *lab.Lab) error{lockstep, asItComes, atomically} {
		if err := part(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// lockstep is the worst case: all servers read, and only then all write. What
// they write is the same number, so that a whole round counts as one request.
func lockstep(ctx context.Context, l *lab.Lab) error {
	const key = "rl:lockstep"
	admitted := 0
	for range each {
		var counts [servers]int
		err := together(func(server int) (err error) {
			counts[server], err = read(ctx, l.Redis(), key)
			return err
		})
		if err != nil {
			return err
		}
		err = together(func(server int) error {
			if counts[server] >= limit {
				return nil
			}
			return write(ctx, l.Redis(), key, counts[server]+1)
		})
		if err != nil {
			return err
		}
		for _, count := range counts {
			if count < limit {
				admitted++
			}
		}
	}
	return tell(ctx, l, outcome{"lockstep", "GET, SET in lockstep", key, admitted})
}

// asItComes forces nothing. How many get through is different each time; that
// it is more than the limit is not.
func asItComes(ctx context.Context, l *lab.Lab) error {
	const tries = 10
	for try := range tries {
		admitted, err := flood(ctx, l.Redis(), readModifyWrite, fmt.Sprintf("rl:asitcomes:%d", try))
		if err != nil {
			return err
		}
		if admitted > limit {
			fmt.Printf(row, "GET, SET as it comes", fmt.Sprintf("> %d", limit), "varies")
			return nil
		}
	}
	return fmt.Errorf("%d times %d servers at once, and no two of them met", tries, servers)
}

// atomically sends the same requests through the two counters that leave no gap
// between reading and writing.
func atomically(ctx context.Context, l *lab.Lab) error {
	for _, c := range []struct {
		name, text string
		count      counter
	}{
		{"incr", "INCR, then check", incr},
		{"script", "one script", script},
	} {
		key := "rl:" + c.name
		admitted, err := flood(ctx, l.Redis(), c.count, key)
		if err != nil {
			return err
		}
		if err := tell(ctx, l, outcome{c.name, c.text, key, admitted}); err != nil {
			return err
		}
	}
	return nil
}

// flood sends every server its requests, all servers at once, and gives how
// many were admitted.
func flood(ctx context.Context, rdb *redis.Client, count counter, key string) (int, error) {
	var admitted atomic.Int64
	err := together(func(int) error {
		for range each {
			allowed, err := count(ctx, rdb, key)
			if err != nil {
				return err
			}
			if allowed {
				admitted.Add(1)
			}
		}
		return nil
	})
	return int(admitted.Load()), err
}

// together runs work once for every server, all at once, and returns when the
// last is done.
func together(work func(server int) error) error {
	var failures [servers]error
	var wg sync.WaitGroup
	for server := range servers {
		wg.Go(func() { failures[server] = work(server) })
	}
	wg.Wait()
	return errors.Join(failures[:]...)
}

// outcome is what came of many requests under one key.
type outcome struct {
	name     string // of its values
	text     string
	key      string
	admitted int
}

// tell prints an outcome and records it.
func tell(ctx context.Context, l *lab.Lab, o outcome) error {
	count, err := read(ctx, l.Redis(), o.key)
	if err != nil {
		return err
	}
	fmt.Printf(row, o.text, lab.Thousands(o.admitted), lab.Thousands(count))
	return errors.Join(
		l.Value(o.name+"_admitted", lab.Thousands(o.admitted)),
		l.Value(o.name+"_count", lab.Thousands(count)))
}
