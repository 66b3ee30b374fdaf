// Command exh5050 promises the incident EXH-5050 once more, for real: servers
// are killed between INCR and EXPIRE, three accounts stay locked out, a sweep
// mends their keys, and a limiter of one script leaks none.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

const (
	accounts = 1000
	fleet    = 6 // API servers, each a process of its own
)

// caught are the accounts that sign in at the instant of the deploy.
var caught = []string{"acct101", "acct402", "acct777"}

func main() {
	lab.Main(story,
		lab.Server{Name: "before", Handler: before},
		lab.Server{Name: "after", Handler: after})
}

// story tells the incident in order. Each chapter prints one line.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	leaked, err := leak(ctx, l)
	if err != nil {
		return err
	}
	if err := compare(ctx, l, leaked); err != nil {
		return err
	}
	return mend(ctx, l, leaked)
}

// leak signs every account in, kills three servers halfway through a sign-in,
// and gives the keys that are left without an expiry.
func leak(ctx context.Context, l *lab.Lab) ([]string, error) {
	var servers []*lab.Process
	for range fleet {
		server, err := l.Serve(ctx, "before")
		if err != nil {
			return nil, err
		}
		servers = append(servers, server)
	}
	if err := everybodySignsIn(ctx, servers); err != nil {
		return nil, err
	}
	for i, account := range caught {
		if err := killHalfway(ctx, servers[i], account); err != nil {
			return nil, err
		}
	}

	all, leaked, err := scan(ctx, l.Redis())
	switch {
	case err != nil:
		return nil, err
	case len(all) != accounts:
		return nil, fmt.Errorf("%d accounts signed in, but Redis holds %d keys", accounts, len(all))
	case len(leaked) != len(caught):
		return nil, fmt.Errorf("%d servers were killed halfway, but %d keys have no expiry", len(caught), len(leaked))
	}
	fmt.Printf("4.1 EXH-5050 before: %s sign-in keys · without an expiry %d: %s\n",
		lab.Thousands(len(all)), len(leaked), strings.Join(leaked, ", "))
	return leaked, errors.Join(l.Value("keys", lab.Thousands(len(all))), l.Value("leaked", len(leaked)))
}

// everybodySignsIn sends one attempt for each account but the caught ones,
// spread over all servers at once.
func everybodySignsIn(ctx context.Context, servers []*lab.Process) error {
	failures := make([]error, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		wg.Go(func() {
			for n := i + 1; n <= accounts && failures[i] == nil; n += len(servers) {
				account := fmt.Sprintf("acct%d", n)
				if !slices.Contains(caught, account) {
					failures[i] = attempt(ctx, server, url.Values{"account": {account}})
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

// killHalfway lets a server count the account's attempt and kills it before
// its next command. The client sees a connection that breaks, and no answer.
func killHalfway(ctx context.Context, server *lab.Process, account string) error {
	answered := make(chan error, 1)
	go func() {
		answered <- attempt(ctx, server, url.Values{"account": {account}, "crash": {"here"}})
	}()
	if _, err := server.Report(); err != nil {
		return err
	}
	server.Kill()
	if err := <-answered; err == nil {
		return fmt.Errorf("%s was answered by a server that should have died before", account)
	}
	return nil
}

// attempt sends one sign-in. Anything but 200 is an error.
func attempt(ctx context.Context, server *lab.Process, form url.Values) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/sign-in?"+form.Encode(), nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	io.Copy(io.Discard, response.Body) // to the end, so that the connection is used again
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: sign-in answered %s", form.Get("account"), response.Status)
	}
	return nil
}

// scan gives all sign-in keys, and those of them without an expiry, sorted.
// SCAN may show a key twice, so the keys are gathered in a set.
func scan(ctx context.Context, rdb *redis.Client) (all map[string]bool, leaked []string, err error) {
	all = map[string]bool{}
	keys := rdb.Scan(ctx, 0, keyPrefix+"*", 500).Iterator()
	for keys.Next(ctx) {
		all[keys.Val()] = true
	}
	if err := keys.Err(); err != nil {
		return nil, nil, err
	}

	ttls := map[string]*redis.DurationCmd{}
	_, err = rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for key := range all {
			ttls[key] = p.TTL(ctx, key)
		}
		return nil
	})
	for key, ttl := range ttls {
		if ttl.Val() == noExpiry {
			leaked = append(leaked, key)
		}
	}
	slices.Sort(leaked)
	return all, leaked, err
}

// noExpiry is what TTL answers for a key without one. The client hands its
// bare -1 on, which as a Duration reads as nanoseconds.
const noExpiry time.Duration = -1

// compare lets one real second pass over a key that was counted without a
// crash, and looks at both kinds of key afterwards.
func compare(ctx context.Context, l *lab.Lab, leaked []string) error {
	rdb, normal := l.Redis(), keyPrefix+"normal"
	if _, err := pair(ctx, rdb, normal, time.Second, func() {}); err != nil {
		return err
	}
	fate, err := fateOf(ctx, rdb, normal, 10*time.Second)
	if err != nil {
		return err
	}
	first, err := stateOf(ctx, rdb, leaked[0])
	if err != nil {
		return err
	}
	for _, key := range leaked[1:] {
		state, err := stateOf(ctx, rdb, key)
		if err != nil {
			return err
		}
		if state != first {
			return fmt.Errorf("%s: %s, but %s: %s", leaked[0], first, key, state)
		}
	}
	fmt.Printf("4.1 real 1 s expiry: normal key %s · leaked key %s\n", fate, first)
	return errors.Join(l.Value("count", first.count), l.Value("ttl", first.ttl))
}

// state is what Redis holds under a key: TTL -1 is no expiry.
type state struct{ count, ttl int64 }

func (s state) String() string { return fmt.Sprintf("count %d, TTL %d", s.count, s.ttl) }

func stateOf(ctx context.Context, rdb *redis.Client, key string) (state, error) {
	count, err := rdb.Get(ctx, key).Int64()
	if err != nil {
		return state{}, fmt.Errorf("read %s: %w", key, err)
	}
	ttl, err := rdb.TTL(ctx, key).Result()
	return state{count, int64(ttl)}, err
}

// fateOf watches a key until it goes, or until patience ends.
func fateOf(ctx context.Context, rdb *redis.Client, key string, patience time.Duration) (string, error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		n, err := rdb.Exists(ctx, key).Result()
		if err != nil {
			return "", err
		}
		if n == 0 {
			return "gone", nil
		}
	}
	return "", fmt.Errorf("%s is still there after %v", key, patience)
}

// mend sweeps the keys that were found, lets a new account sign in through the
// repaired server, takes the expiry from its counter as a leak would have, and
// lets it sign in again.
func mend(ctx context.Context, l *lab.Lab, leaked []string) error {
	repaired, left, err := sweep(ctx, l.Redis(), leaked)
	if err != nil {
		return err
	}
	server, err := l.Serve(ctx, "after")
	if err != nil {
		return err
	}
	account := fmt.Sprintf("acct%d", accounts+1)
	fresh, err := signInAndLook(ctx, l.Redis(), server, account)
	if err != nil {
		return err
	}
	if err := l.Redis().Persist(ctx, fresh.key).Err(); err != nil {
		return err
	}
	healed, err := signInAndLook(ctx, l.Redis(), server, account)
	if err != nil {
		return err
	}
	fmt.Printf("4.1 MR !5350: sweep repaired %d · keys without an expiry %d · new key has an expiry: %s\n",
		repaired, left, yesNo(fresh.expires))
	fmt.Printf("4.1 a key that lost its expiry has one after the next attempt: %s\n", yesNo(healed.expires))
	return l.Value("repaired", repaired)
}

// sweep gives every key without an expiry one, looks once more, and tells how
// many were repaired and how many are left. It fails unless it found the keys
// that the census found.
func sweep(ctx context.Context, rdb *redis.Client, leaked []string) (repaired, left int, err error) {
	lim, err := newLimiter(rdb)
	if err != nil {
		return 0, 0, err
	}
	report, err := lim.Sweep(ctx, limiter.SweepOptions{Life: window})
	if err != nil {
		return 0, 0, err
	}
	if !slices.Equal(report.Leaked, leaked) {
		return 0, 0, fmt.Errorf("the sweep found %q, the census %q", report.Leaked, leaked)
	}
	after, err := lim.Sweep(ctx, limiter.SweepOptions{DryRun: true})
	return report.Repaired, len(after.Leaked), err
}

// counted is an account's counter in the repaired server.
type counted struct {
	key     string
	expires bool
}

func signInAndLook(ctx context.Context, rdb *redis.Client, server *lab.Process, account string) (counted, error) {
	if err := attempt(ctx, server, url.Values{"account": {account}}); err != nil {
		return counted{}, err
	}
	lim, err := newLimiter(rdb)
	if err != nil {
		return counted{}, err
	}
	key, err := lim.Key(signIn(account))
	if err != nil {
		return counted{}, err
	}
	ttl, err := rdb.TTL(ctx, key).Result()
	return counted{key, ttl > 0}, err
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
