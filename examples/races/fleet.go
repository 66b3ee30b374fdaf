package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

// server answers what the story asks of each server process: read a count,
// write one, or decide n requests one after another with a counter and say how
// many it admitted.
func server(rdb *redis.Client, _ func(string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, key := r.Context(), r.FormValue("key")
		n, err := strconv.Atoi(r.FormValue("n"))
		reply := 0
		switch do := r.FormValue("do"); do {
		case "read":
			reply, err = read(ctx, rdb, key)
		case "write":
			err = errors.Join(err, write(ctx, rdb, key, n))
		default:
			count, known := counters[do]
			if !known {
				err = fmt.Errorf("no counter %q", do)
			}
			for i := 0; i < n && err == nil; i++ {
				var allowed bool
				if allowed, err = count(ctx, rdb, key); allowed {
					reply++
				}
			}
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, reply)
	})
}

// fleet is the server processes.
type fleet []*lab.Process

// startFleet starts n servers.
func startFleet(ctx context.Context, l *lab.Lab, n int) (fleet, error) {
	var f fleet
	for range n {
		p, err := l.Serve(ctx, "server")
		if err != nil {
			return nil, err
		}
		f = append(f, p)
	}
	return f, nil
}

// ask sends a question to every server at the same time and returns their
// replies, in the order of the servers. n gives each server its number.
func (f fleet) ask(ctx context.Context, do, key string, n func(server int) int) ([]int, error) {
	replies, failures := make([]int, len(f)), make([]error, len(f))
	var wg sync.WaitGroup
	for i, p := range f {
		form := url.Values{"do": {do}, "key": {key}, "n": {strconv.Itoa(n(i))}}
		wg.Go(func() { replies[i], failures[i] = get(ctx, p.URL+"/?"+form.Encode()) })
	}
	wg.Wait()
	return replies, errors.Join(failures...)
}

// get returns the number with which a server answers.
func get(ctx context.Context, address string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(body)))
	}
	return strconv.Atoi(string(body))
}

func sum(numbers []int) int {
	total := 0
	for _, n := range numbers {
		total += n
	}
	return total
}
