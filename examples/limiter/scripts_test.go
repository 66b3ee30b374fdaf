package limiter

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// testdata/quick holds scripts up to the long way, as Redis gets them.
func TestQuickText(t *testing.T) {
	for name, kinds := range map[string][]Algorithm{
		"one.lua":   {FixedWindow},
		"three.lua": {LeakyBucket, FixedWindow, SlidingCounter},
	} {
		charges := make([]Charge, len(kinds))
		for i, a := range kinds {
			charges[i] = charge(long(a, 5))
		}
		got, _, ok := strings.Cut(quickScript(make([]place, len(kinds)), charges).text, "-- The long way begins")
		name = "testdata/quick/" + name
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !ok || got != string(want) {
			t.Errorf("%s is otherwise; -update accepts it:\n%s", name, difference(string(want), got))
		}
	}
}

// What a decision costs Redis is commands: so many, and no more.
func TestCommandsOfADecision(t *testing.T) {
	rdb := newServer(t).client(t)
	l := newLimiter(t, rdb, Options{})
	for _, row := range []struct {
		algorithms    []Algorithm
		admit, refuse string
	}{
		{[]Algorithm{FixedWindow}, "get 1, incrby 1, pttl 1, time 1", "get 1, pttl 1, time 1"},
		{[]Algorithm{FixedWindow, FixedWindow}, "get 2, incrby 2, pttl 2, time 1", "get 2, pttl 2, time 1"},
		{[]Algorithm{SlidingCounter}, "get 1, psetex 1, time 1", "get 2, pttl 1, time 1"},
		{[]Algorithm{TokenBucket}, "get 1, psetex 1, time 1", "get 2, pttl 1, time 1"},
		{[]Algorithm{TokenBucket, FixedWindow}, "get 2, incrby 1, psetex 1, pttl 1, time 1", "get 3, pttl 2, time 1"},
	} {
		charges := make([]Charge, len(row.algorithms))
		for i, a := range row.algorithms {
			charges[i] = Charge{Subject: []string{rand.Text()}, Limit: long(a, 3), Cost: 1}
		}
		take(t, l, charges...)
		if got := commandsOf(t, rdb, func() { take(t, l, charges...) }); got != row.admit {
			t.Errorf("%v: admitted by %s, want %s", row.algorithms, got, row.admit)
		}
		take(t, l, charges...)
		if got := commandsOf(t, rdb, func() { take(t, l, charges...) }); got != row.refuse {
			t.Errorf("%v: refused by %s, want %s", row.algorithms, got, row.refuse)
		}
	}
}

// commandsOf counts the commands that scripts ran meanwhile, in the alphabet's order.
func commandsOf(t *testing.T, rdb *redis.Client, do func()) string {
	t.Helper()
	if err := rdb.ConfigResetStat(bg).Err(); err != nil {
		t.Fatal(err)
	}
	do()
	var all []string
	for _, name := range []string{"get", "incrby", "psetex", "pttl", "set", "time"} {
		_, rest, ok := strings.Cut(rdb.Info(bg, "commandstats").Val(), "cmdstat_"+name+":calls=")
		if ok {
			n, _, _ := strings.Cut(rest, ",")
			all = append(all, name+" "+n)
		}
	}
	return strings.Join(all, ", ")
}

// A window that is only counted up keeps an expiry that is long enough, and gets
// one in place of what is not.
func TestCountingHeals(t *testing.T) {
	rdb := sharedClient(t)
	l := newLimiter(t, rdb, Options{})
	c := charge(long(FixedWindow, 100))
	key, err := l.Key(c)
	if err != nil {
		t.Fatal(err)
	}
	take(t, l, c)
	first := rdb.PTTL(bg, key).Val()
	take(t, l, c)
	if second := rdb.PTTL(bg, key).Val(); first <= c.Limit.Window-time.Minute || second > first {
		t.Errorf("expiry %v, then %v", first, second)
	}
	for what, spoil := range map[string]func(){
		"none":      func() { rdb.Persist(bg, key) },
		"too short": func() { rdb.PExpire(bg, key, time.Minute) },
	} {
		spoil()
		take(t, l, c)
		if got := rdb.PTTL(bg, key).Val(); got < c.Limit.Window-time.Minute {
			t.Errorf("%s: expiry %v after a call", what, got)
		}
	}
	if n := used(t, l, c); n != 4 {
		t.Errorf("used %d of 4 calls", n)
	}
}

// What looks like a count to Lua and not to INCRBY must not stop a script half way.
func TestStrangeCounts(t *testing.T) {
	rdb := sharedClient(t)
	clock := newModelClock()
	l := newLimiter(t, rdb, Options{Clock: clock.Now})
	good := charge(Limit{Name: "good", Algorithm: FixedWindow, Quota: 100, Window: time.Minute})
	bad := charge(Limit{Name: "bad", Algorithm: FixedWindow, Quota: 100, Window: time.Minute})
	key, err := l.Key(bad)
	if err != nil {
		t.Fatal(err)
	}
	index := clock.Now().UnixMicro() / time.Minute.Microseconds() % 1_000_000_000
	count := fmt.Sprintf("3%09d", index)
	for _, value := range []string{count + ".0", " " + count, "+" + count, "-" + count, count + "e0", fmt.Sprintf("0x%x", 3_000_000_000+index), "nan", "inf", ""} {
		rdb.Set(bg, key, value, time.Hour)
		before := used(t, l, good)
		if _, err := l.Take(bg, good, bad); err == nil {
			t.Errorf("%q was taken for a count", value)
		}
		if n := used(t, l, good); n != before {
			t.Errorf("%q: a call that failed charged %d", value, n-before)
		}
	}
	for value, want := range map[string]int64{ // used after a call
		"0" + count:                       4,
		"000":                             1,
		fmt.Sprintf("99%09d", index):      100,
		fmt.Sprintf("99999%09d", index):   99_999,
		fmt.Sprintf("9999999%09d", index): 9_999_999, // more than Lua holds exactly
	} {
		rdb.Set(bg, key, value, time.Hour)
		take(t, l, bad)
		if n := used(t, l, bad); n != want {
			t.Errorf("%q: used %d after a call, want %d", value, n, want)
		}
	}
}
