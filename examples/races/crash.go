package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

const crashKey = "rl:crash"

// stopsAfterIncr makes a server that counts one request and goes no further,
// so that it can be killed before its EXPIRE.
func stopsAfterIncr(rdb *redis.Client, report func(string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := rdb.Incr(r.Context(), crashKey).Err(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		report("counted")
		select {} // until this process is killed
	})
}

// crash kills a server between its INCR and its EXPIRE. The count is right even
// then, and nothing will ever end it: later requests find it above 1 and leave
// the expiry alone. The script's first call mends it.
func crash(ctx context.Context, l *lab.Lab) error {
	if err := killAfterIncr(ctx, l); err != nil {
		return err
	}
	admitted, err := flood(ctx, l.Redis(), incr, crashKey)
	if err != nil {
		return err
	}
	count, err := read(ctx, l.Redis(), crashKey)
	if err != nil {
		return err
	}
	before, err := expires(ctx, l.Redis())
	if err != nil {
		return err
	}
	if _, err := script(ctx, l.Redis(), crashKey); err != nil {
		return err
	}
	after, err := expires(ctx, l.Redis())
	if err != nil {
		return err
	}
	fmt.Printf("killed after INCR, then %s requests\n", lab.Thousands(requests))
	fmt.Printf("  %d more admitted, count %s\n  expires: %s\n", admitted, lab.Thousands(count), before)
	fmt.Printf("one call of the script\n  expires: %s\n", after)
	return l.Value("crash_admitted", admitted)
}

// killAfterIncr lets a server count one request and kills it before its next
// command.
func killAfterIncr(ctx context.Context, l *lab.Lab) error {
	server, err := l.Serve(ctx, "stops after INCR")
	if err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() {
		response, err := http.Get(server.URL)
		if err == nil {
			response.Body.Close()
		}
		answered <- err
	}()
	if _, err := server.Report(); err != nil {
		return err
	}
	server.Kill()
	if err := <-answered; err == nil {
		return errors.New("the server answered, and should have died before")
	}
	return nil
}

// expires says whether the crashed server's key will end by itself.
func expires(ctx context.Context, rdb *redis.Client) (string, error) {
	left, err := rdb.TTL(ctx, crashKey).Result()
	switch {
	case err != nil:
		return "", err
	case left == -1: // what Redis answers for a key without an expiry
		return "never", nil
	case left == -2:
		return "", fmt.Errorf("%s is gone", crashKey)
	}
	return "within a minute", nil
}
