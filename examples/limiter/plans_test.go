package limiter

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const plansV1 = `{"version": 1, "tiers": {
	"basic": [{"name": "calls", "algorithm": "sliding counter", "quota": 100, "window": "1h"}],
	"pro":   [{"name": "calls", "algorithm": "sliding counter", "quota": 500, "window": "1h"}]}}`

func TestPlans(t *testing.T) {
	p, err := NewPlans([]byte(plansV1))
	if err != nil {
		t.Fatal(err)
	}
	c, ok := p.Charge("basic", "calls", 1, "ada")
	if !ok || c.Limit.Quota != 100 || c.Version != 1 {
		t.Fatalf("%+v, %t", c, ok)
	}
	for _, unknown := range [][2]string{{"constructor", "calls"}, {"", "calls"}, {"basic", ""}} {
		if _, ok := p.Charge(unknown[0], unknown[1], 1, "ada"); ok {
			t.Errorf("%q has a charge", unknown)
		}
	}
	l := newLimiter(t, sharedClient(t), Options{})
	if d := take(t, l, c); d.Version != 1 {
		t.Errorf("the decision says version %d", d.Version)
	}

	bad := map[string]string{
		"a negative quota in one tier": strings.Replace(strings.Replace(plansV1, `"version": 1`, `"version": 2`, 1), "500", "-5", 1),
		"an older version":             strings.Replace(plansV1, `"version": 1`, `"version": 0`, 1),
		"other limits, same version":   strings.Replace(plansV1, "500", "600", 1),
		"an unknown field":             strings.Replace(plansV1, `"quota": 500`, `"qouta": 500`, 1),
		"half of it":                   plansV1[:len(plansV1)/2],
		"two of them":                  plansV1 + plansV1,
		"an unknown algorithm":         strings.Replace(strings.Replace(plansV1, `"version": 1`, `"version": 2`, 1), "sliding counter", "guess", 1),
		"no quota":                     `{"version": 3, "tiers": {"basic": [{"name": "calls", "algorithm": "fixed window", "window": "1h"}]}}`,
		"a limit twice": `{"version": 3, "tiers": {"basic": [
			{"name": "calls", "algorithm": "fixed window", "quota": 1, "window": "1h"},
			{"name": "calls", "algorithm": "fixed window", "quota": 2, "window": "1h"}]}}`,
	}
	for what, text := range bad {
		var invalid *InvalidError
		if err := p.Load([]byte(text)); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", what, err)
		}
		if c, _ := p.Charge("pro", "calls", 1, "ada"); c.Limit.Quota != 500 || p.Version() != 1 {
			t.Errorf("%s: changed the plans", what)
		}
	}
	if n, err := p.Rejected(); n != int64(len(bad)) || err == nil {
		t.Errorf("rejected %d of %d, %v", n, len(bad), err)
	}
}

// A file is read like anything else, and its loss changes nothing but the age.
func TestPlansFile(t *testing.T) {
	p, err := NewPlans([]byte(plansV1))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Load(nil); err == nil {
		t.Error("nothing was loaded")
	}
	time.Sleep(2 * time.Millisecond)
	age := p.Age()
	if age < 2*time.Millisecond {
		t.Errorf("age %v", age)
	}
	name := filepath.Join(t.TempDir(), "plans.json")
	if err := os.WriteFile(name, []byte(plansV1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.LoadFile(name); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Rejected(); err != nil {
		t.Errorf("after a good load: %v", err)
	}
	if err := p.LoadFile(name + ".gone"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestFollow(t *testing.T) {
	rdb := sharedClient(t)
	name := "plans:" + rand.Text()
	p, err := NewPlans([]byte(plansV1))
	if err != nil {
		t.Fatal(err)
	}
	v2 := strings.Replace(strings.Replace(plansV1, `"version": 1`, `"version": 2`, 1), "500", "600", 1)
	if err := Publish(bg, rdb, name, []byte(v2)); err != nil { // before anyone listens
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(bg)
	done := make(chan error)
	go func() { done <- p.Follow(ctx, rdb, name) }()
	waitFor(t, "the stored plans came", func() bool { return p.Version() == 2 })
	waitFor(t, "it listens", func() bool { return rdb.PubSubNumSub(bg, name).Val()[name] == 1 })

	if err := Publish(bg, rdb, name, []byte("nonsense")); err == nil {
		t.Error("nonsense was sent")
	}
	rdb.Publish(bg, name, "nonsense")
	v3 := strings.Replace(v2, `"version": 2`, `"version": 3`, 1)
	if err := Publish(bg, rdb, name, []byte(v3)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the pushed plans came", func() bool { return p.Version() == 3 })
	if n, _ := p.Rejected(); n != 1 {
		t.Errorf("%d rejected, want the nonsense", n)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Follow ended with %v", err)
	}
}
