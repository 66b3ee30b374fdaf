// Command exh5050 runs the incident EXH-5050: servers are killed between INCR
// and EXPIRE, three accounts are locked out, and two scripts and a sweep are
// tried on the very keys that leaked.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"verbatim/examples/lab"
)

const (
	accounts = 1000
	fleet    = 6 // servers, each a process of its own
)

// caught are the accounts whose servers are killed in the gap.
var caught = []string{"acct101", "acct402", "acct777"}

func main() {
	lab.Main(story,
		lab.Server{Name: "pair", Handler: signIn(pair)},
		lab.Server{Name: "conditional", Handler: signIn(byScript(conditionalLua))},
		lab.Server{Name: "nx", Handler: signIn(byScript(nxLua))})
}

// incident is what the chapters share.
type incident struct {
	*lab.Lab
	pair *lab.Process // a server of the first version that was not killed
}

// story runs the chapters in order. Each prints a line or two.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	i := &incident{Lab: l}
	for _, chapter := range []func(context.Context) error{i.leak, i.compare, i.lockOut, i.tryConditional, i.tryNX, i.sweepAll} {
		if err := chapter(ctx); err != nil {
			return err
		}
	}
	return nil
}

// leak signs every account in, kills three servers in the gap, and counts the
// keys that have no expiry.
func (i *incident) leak(ctx context.Context) error {
	servers, err := startFleet(ctx, i.Lab, "pair", fleet)
	if err != nil {
		return err
	}
	i.pair = servers[fleet-1]
	if err := signInAll(ctx, servers); err != nil {
		return err
	}
	for n, account := range caught {
		if err := killInGap(ctx, servers[n], account); err != nil {
			return err
		}
	}
	keys, leaked, err := census(ctx, i.Redis(), keyPrefix+"*")
	if err != nil {
		return err
	}
	fmt.Printf("EXH-5050 before: %s sign-in keys · without an expiry %d: %s\n",
		lab.Thousands(keys), len(leaked), strings.Join(leaked, ", "))
	var all, expires int
	keyspace, err := i.Redis().InfoMap(ctx, "keyspace").Result()
	if err != nil {
		return err
	}
	if _, err := fmt.Sscanf(keyspace["Keyspace"]["db0"], "keys=%d,expires=%d", &all, &expires); err != nil {
		return fmt.Errorf("INFO keyspace: %w", err)
	}
	fmt.Printf("INFO keyspace: keys=%d, expires=%d\n", all, expires)
	return errors.Join(i.Value("keys", lab.Thousands(keys)), i.Value("leaked", len(leaked)), i.Value("expires", expires))
}

// compare counts a key without a crash, lets its real second pass, and looks at
// a leaked key afterwards.
func (i *incident) compare(ctx context.Context) error {
	normal := keyPrefix + "normal"
	if _, err := pair(ctx, i.Redis(), normal, time.Second, func() {}); err != nil {
		return err
	}
	if err := waitUntilGone(ctx, i.Redis(), normal); err != nil {
		return err
	}
	leaked, err := stateOf(ctx, i.Redis(), keyPrefix+caught[0])
	if err != nil {
		return err
	}
	fmt.Printf("real 1 s expiry: normal key gone · leaked key %s\n", leaked)
	return errors.Join(i.Value("count", leaked.count), i.Value("ttl", leaked.ttl))
}

// short makes a window of one second, which really ends while the example runs.
func short(account string) url.Values {
	return url.Values{"account": {account}, "seconds": {"1"}}
}

// statuses sends one attempt for each form and returns the answers' statuses.
func statuses(ctx context.Context, server *lab.Process, forms ...url.Values) (string, error) {
	var codes []string
	for _, form := range forms {
		code, err := attempt(ctx, server, form)
		if err != nil {
			return "", err
		}
		codes = append(codes, fmt.Sprint(code))
	}
	return strings.Join(codes, ", "), nil
}

// lockOut lets a leaked account and a healthy one try on both sides of a real
// second.
func (i *incident) lockOut(ctx context.Context) error {
	leaked, healthy := short(caught[0]), short("healthy")
	first, err := statuses(ctx, i.pair, leaked, leaked, leaked)
	if err != nil {
		return err
	}
	early, err := statuses(ctx, i.pair, healthy)
	if err != nil {
		return err
	}
	if err := waitUntilGone(ctx, i.Redis(), keyPrefix+"healthy"); err != nil {
		return err
	}
	second, err := statuses(ctx, i.pair, leaked)
	if err != nil {
		return err
	}
	late, err := statuses(ctx, i.pair, healthy)
	if err != nil {
		return err
	}
	fmt.Printf("locked out: %s %s · 1 s later %s\n", caught[0], first, second)
	fmt.Printf("healthy account: %s · 1 s later %s\n", early, late)
	return waitUntilGone(ctx, i.Redis(), keyPrefix+"healthy")
}

// tryConditional deploys the script that sets an expiry at count 1.
func (i *incident) tryConditional(ctx context.Context) error {
	server, err := i.Serve(ctx, "conditional")
	if err != nil {
		return err
	}
	fresh, err := i.expiryOfNew(ctx, server, "acct1001")
	if err != nil {
		return err
	}
	code, err := statuses(ctx, server, short(caught[0]))
	if err != nil {
		return err
	}
	_, leaked, err := census(ctx, i.Redis(), keyPrefix+"*")
	if err != nil {
		return err
	}
	fmt.Printf("conditional script: new key has an expiry: %s · %s %s · keys without an expiry %d\n",
		fresh, caught[0], code, len(leaked))
	return i.Value("left_by_condition", len(leaked))
}

// tryNX deploys the script that sets an expiry wherever none is.
func (i *incident) tryNX(ctx context.Context) error {
	server, err := i.Serve(ctx, "nx")
	if err != nil {
		return err
	}
	code, err := statuses(ctx, server, short(caught[0]))
	if err != nil {
		return err
	}
	if err := waitUntilGone(ctx, i.Redis(), keyPrefix+caught[0]); err != nil {
		return err
	}
	later, err := statuses(ctx, server, url.Values{"account": {caught[0]}})
	if err != nil {
		return err
	}
	_, leaked, err := census(ctx, i.Redis(), keyPrefix+"*")
	if err != nil {
		return err
	}
	fmt.Printf("script with NX: %s %s · 1 s later %s · keys without an expiry %d\n",
		caught[0], code, later, len(leaked))
	return i.Value("left_by_nx", len(leaked))
}

// sweepAll repairs the keys whose accounts have not tried again.
func (i *incident) sweepAll(ctx context.Context) error {
	server, err := i.Serve(ctx, "nx")
	if err != nil {
		return err
	}
	repaired, err := sweep(ctx, i.Redis(), keyPrefix+"*", window)
	if err != nil {
		return err
	}
	_, leaked, err := census(ctx, i.Redis(), keyPrefix+"*")
	if err != nil {
		return err
	}
	fresh, err := i.expiryOfNew(ctx, server, "acct1002")
	if err != nil {
		return err
	}
	fmt.Printf("MR !5350: sweep with EXPIRE ... NX · keys without an expiry %d · new key from the NX script has an expiry: %s\n",
		len(leaked), fresh)
	return i.Value("repaired", repaired)
}

// expiryOfNew signs an account in for the first time and returns "yes" if its
// key has an expiry afterwards, "no" if not.
func (i *incident) expiryOfNew(ctx context.Context, server *lab.Process, account string) (string, error) {
	if _, err := statuses(ctx, server, url.Values{"account": {account}}); err != nil {
		return "", err
	}
	s, err := stateOf(ctx, i.Redis(), keyPrefix+account)
	if s.ttl > 0 {
		return "yes", err
	}
	return "no", err
}
