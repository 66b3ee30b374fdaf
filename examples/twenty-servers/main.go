// Command twenty-servers runs a fleet: twenty server processes behind
// a balancer that deals requests out in turn, first with a count in each server's
// own memory, then with one in Redis.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"verbatim/examples/lab"
)

const (
	fleet = 20
	share = 105 // requests that each server gets: more than the quota
)

// designs are the paths at which every server serves both.
var designs = []string{"flawed", "mended"}

func main() {
	lab.Main(story, lab.Server{Name: "server", Handler: server})
}

// story sends the same requests to both designs, ends one server as a deploy
// would, and asks its successor.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	var servers []*lab.Process
	for range fleet {
		server, err := l.Serve(ctx, "server")
		if err != nil {
			return err
		}
		servers = append(servers, server)
	}
	before := map[string]*tally{}
	for _, design := range designs {
		t, err := deal(ctx, servers, design)
		if err != nil {
			return err
		}
		before[design] = t
	}
	servers[0].Kill()
	successor, err := l.Serve(ctx, "server")
	if err != nil {
		return err
	}
	fmt.Printf("%d servers, %d a minute for each user, %s requests of one user\n",
		fleet, quota, lab.Thousands(fleet*share))
	for _, design := range designs {
		after, err := deal(ctx, []*lab.Process{successor}, design)
		if err != nil {
			return err
		}
		if err := before[design].tell(l, after); err != nil {
			return err
		}
	}
	return nil
}

// tally is how one design answered.
type tally struct {
	design            string
	admitted, refused int
	status            int  // of the refusals
	retryAfter        bool // whether they said when to come back
}

// deal sends a user's requests to the servers in turn, as a round-robin
// balancer does, with one under way at every server.
func deal(ctx context.Context, servers []*lab.Process, design string) (*tally, error) {
	t := &tally{design: design}
	for range share {
		answers := make([]answer, len(servers))
		var wg sync.WaitGroup
		for i, server := range servers {
			wg.Go(func() { answers[i] = get(ctx, server.URL+"/"+design+"?user=ada") })
		}
		wg.Wait()
		for _, a := range answers {
			if err := t.count(a); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// answer is what a client sees of its answer.
type answer struct {
	status     int
	retryAfter bool
	err        error
}

// get sends one request and reads its answer.
func get(ctx context.Context, url string) answer {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return answer{err: err}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{err: err}
	}
	io.Copy(io.Discard, response.Body) // to the end, so that the connection is used again
	response.Body.Close()
	return answer{response.StatusCode, response.Header.Get("Retry-After") != "", nil}
}

// count adds an answer to the tally. One that neither admits nor refuses is an
// error: it would say something about a server, and nothing about its limit.
func (t *tally) count(a answer) error {
	switch {
	case a.err != nil:
		return a.err
	case a.status == http.StatusOK:
		t.admitted++
	case a.status == http.StatusForbidden, a.status == http.StatusTooManyRequests:
		t.refused++
		t.status, t.retryAfter = a.status, a.retryAfter
	default:
		return fmt.Errorf("%s: a server answered %d", t.design, a.status)
	}
	return nil
}

// tell prints and records what came of the requests, and of those to the
// server that was started afterwards.
func (t *tally) tell(l *lab.Lab, after *tally) error {
	refusal := strconv.Itoa(t.status)
	if t.retryAfter {
		refusal += " and Retry-After"
	}
	fmt.Printf("%s: %s admitted, %s refused with %s\n", t.design, lab.Thousands(t.admitted), lab.Thousands(t.refused), refusal)
	fmt.Printf("  a server that was started anew admits %d more\n", after.admitted)
	return errors.Join(
		l.Value(t.design+"_admitted", lab.Thousands(t.admitted)),
		l.Value(t.design+"_after_restart", after.admitted))
}
