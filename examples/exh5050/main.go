// Command exh5050 promises the incident EXH-5050 once more, for real: servers
// are killed between INCR and EXPIRE, three accounts stay locked out, and one
// command both mends their keys and prevents the next leak.
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
)

const (
	accounts = 1000
	fleet    = 6 // API servers, each a process of its own
)

// caught are the accounts that sign in at the instant of the deploy.
var caught = []string{"acct101", "acct402", "acct777"}

func main() {
	lab.Main(story,
		lab.Server{Name: "before", Handler: signIn(pair)},
		lab.Server{Name: "after", Handler: signIn(script)})
}

// story tells the incident in order. Each chapter prints one line.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	leaked, err := leak(ctx, l)
	if err != nil {
		return err
	}
	if err := compare(ctx, l.Redis(), leaked); err != nil {
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
		thousands(len(all)), len(leaked), strings.Join(leaked, ", "))
	return leaked, nil
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
func compare(ctx context.Context, rdb *redis.Client, leaked []string) error {
	normal := keyPrefix + "normal"
	if _, err := pair(ctx, rdb, normal, time.Second, func() {}); err != nil {
		return err
	}
	fate, err := fateOf(ctx, rdb, normal, 3*time.Second)
	if err != nil {
		return err
	}
	first := ""
	for _, key := range leaked {
		count, err := rdb.Get(ctx, key).Int()
		if err != nil {
			return fmt.Errorf("read %s: %w", key, err)
		}
		ttl, err := rdb.TTL(ctx, key).Result()
		if err != nil {
			return err
		}
		state := fmt.Sprintf("count %d, TTL %d", count, int64(ttl))
		if first != "" && state != first {
			return fmt.Errorf("%s: %s, but %s: %s", leaked[0], first, key, state)
		}
		first = state
	}
	fmt.Printf("4.1 real 1 s expiry: normal key %s · leaked key %s\n", fate, first)
	return nil
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
// fixed server, and counts again.
func mend(ctx context.Context, l *lab.Lab, leaked []string) error {
	rdb := l.Redis()
	for _, key := range leaked {
		// NX: had somebody mended the key meanwhile, its deadline would stand.
		if err := rdb.ExpireNX(ctx, key, window).Err(); err != nil {
			return err
		}
	}
	server, err := l.Serve(ctx, "after")
	if err != nil {
		return err
	}
	account := fmt.Sprintf("acct%d", accounts+1)
	if err := attempt(ctx, server, url.Values{"account": {account}}); err != nil {
		return err
	}
	ttl, err := rdb.TTL(ctx, keyPrefix+account).Result()
	if err != nil {
		return err
	}
	_, left, err := scan(ctx, rdb)
	switch {
	case err != nil:
		return err
	case len(left) > 0:
		return fmt.Errorf("after the sweep these have no expiry: %s", strings.Join(left, ", "))
	}
	fmt.Printf("4.1 MR !5350: sweep with EXPIRE ... NX · keys without an expiry %d · new key from the NX script has an expiry: %s\n",
		len(left), yesNo(ttl > 0))
	return nil
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// thousands writes n, below a million, the English way: 1,000.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
