package main

import (
	"testing"
	"time"

	"verbatim/examples/lab/labtest"
)

// Alone, every counter is right: the race needs two.
func TestOneServer(t *testing.T) {
	l := labtest.Open(t)
	for name, count := range map[string]counter{"read-modify-write": readModifyWrite, "incr": incr, "script": script} {
		admitted := 0
		for range limit + 20 {
			allowed, err := count(t.Context(), l.Redis(), name)
			if err != nil {
				t.Fatal(err)
			}
			if allowed {
				admitted++
			}
		}
		if left := l.Redis().TTL(t.Context(), name).Val(); admitted != limit || left <= 0 || left > window {
			t.Errorf("%s: %d admitted, the key ends in %v; want %d, and within %v", name, admitted, left, limit, window)
		}
	}
}

// A key without an expiry gets one from the script, admitted or not, and from
// INCR never. One that has an expiry keeps it.
func TestExpiry(t *testing.T) {
	l := labtest.Open(t)
	ctx, rdb := t.Context(), l.Redis()
	const never = time.Duration(-1)
	for _, test := range []struct {
		what  string
		count counter
		used  int
		ends  time.Duration // after 1970, never for no expiry
		keeps bool
	}{
		{"incr within the limit", incr, 1, never, true},
		{"incr over the limit", incr, limit, never, true},
		{"script within the limit", script, 1, never, false},
		{"script over the limit", script, limit, never, false},
		{"script, key that ends", script, 1, 4102444800 * time.Second, true},
	} {
		if err := rdb.Set(ctx, test.what, test.used, 0).Err(); err != nil {
			t.Fatal(err)
		}
		if test.ends != never {
			rdb.ExpireAt(ctx, test.what, time.Unix(int64(test.ends/time.Second), 0))
		}
		if _, err := test.count(ctx, rdb, test.what); err != nil {
			t.Fatal(err)
		}
		ends, err := rdb.ExpireTime(ctx, test.what).Result()
		if keeps := ends == test.ends; err != nil || keeps != test.keeps {
			t.Errorf("%s: ends at %d, was to end at %d, %v", test.what, ends, test.ends, err)
		}
	}
}
