package limiter

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestSweep(t *testing.T) {
	rdb := sharedClient(t)
	l := newLimiter(t, rdb, Options{})
	var keys []string
	for i := range 1000 {
		c := charge(long(all[i%len(all)], 5))
		c.Subject = []string{fmt.Sprint("user", i)}
		take(t, l, c)
		key, err := l.Key(c)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	leaked := []string{keys[101], keys[402], keys[777]}
	slices.Sort(leaked)
	for _, key := range leaked {
		rdb.Persist(bg, key)
	}
	list := l.keys.prefix + "list"
	rdb.LPush(bg, list, "x")
	t.Cleanup(func() { rdb.Del(bg, list) })

	before := expiries(t, rdb, keys)
	for _, step := range []struct {
		dry              bool
		leaked, repaired int
	}{{true, 3, 0}, {false, 3, 3}, {false, 0, 0}} {
		r, err := l.Sweep(bg, SweepOptions{Repair: !step.dry})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Leaked) != step.leaked || r.Repaired != step.repaired || r.Scanned < 1001 || !slices.Equal(r.Skipped, []string{list}) {
			t.Errorf("dry=%t: %+v", step.dry, r)
		}
		if step.leaked > 0 && !slices.Equal(r.Leaked, leaked) {
			t.Errorf("dry=%t found %q", step.dry, r.Leaked)
		}
	}
	for i, after := range expiries(t, rdb, keys) {
		switch {
		case slices.Contains(leaked, keys[i]):
			if after <= 0 || after > 600*24*time.Hour {
				t.Errorf("leaked %s has expiry %v", keys[i], after)
			}
		case (before[i] - after).Abs() > time.Minute: // it changes by the time that passes
			t.Errorf("%s had %v and has %v", keys[i], before[i], after)
		}
	}
	if rdb.Type(bg, list).Val() != "list" || rdb.PTTL(bg, list).Val() != -1 {
		t.Error("the list was touched")
	}
}

func expiries(t *testing.T, rdb *redis.Client, keys []string) []time.Duration {
	t.Helper()
	cmds, err := rdb.Pipelined(bg, func(p redis.Pipeliner) error {
		for _, key := range keys {
			p.PTTL(bg, key)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]time.Duration, len(keys))
	for i, cmd := range cmds {
		all[i] = cmd.(*redis.DurationCmd).Val()
	}
	return all
}
