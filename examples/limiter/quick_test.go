package limiter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// short counts the short replies, which only the quick path returns.
type short struct{ replies atomic.Int64 }

func (*short) DialHook(next redis.DialHook) redis.DialHook { return next }

func (*short) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (n *short) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if c, ok := cmd.(command); ok && err == nil && len(c.Val()) < replyHead+replyCharge*cmd.Args()[2].(int) {
			n.replies.Add(1)
		}
		return err
	}
}

// Whichever way a call goes, the decision is the same, and so is every byte that
// is stored: one charge or several, of every algorithm, at the limit and far from
// it, through changes of plan and a clock that goes back.
func TestQuickWay(t *testing.T) {
	rdb := sharedClient(t)
	quick := &short{}
	rdb.AddHook(quick)
	clock := newModelClock()
	one := newLimiter(t, rdb, Options{Clock: clock.Now})
	two := newLimiter(t, rdb, Options{Clock: clock.Now})
	two.store.long = true
	dice := rand.New(rand.NewPCG(5350, 1))
	const steps = 5_000
	for step := range steps {
		clock.advance(time.Duration(dice.Int64N(900_000)-50_000) * time.Microsecond)
		charges := randomCharges(dice)
		got, want := take(t, one, charges...), take(t, two, charges...)
		got.nonce, want.nonce = 0, 0
		got.places, want.places = nil, nil // under another prefix
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("step %d, %+v:\n the quick way %+v\n the long way %+v", step, charges, got, want)
		}
		for _, c := range charges {
			stored := rdb.Get(bg, one.keys.place(c).key).Val()
			if other := rdb.Get(bg, two.keys.place(c).key).Val(); stored != other {
				t.Fatalf("step %d, %+v: the quick way stores %q, the long way %q", step, c, stored, other)
			}
		}
	}
	if n := quick.replies.Load(); n < steps/4 {
		t.Errorf("of %d calls %d went the quick way: the test compares little", steps, n)
	}
}

// A clock that begins at the beginning of time, or before, refuses like any other.
func TestClockBefore1970(t *testing.T) {
	rdb := sharedClient(t)
	for _, at := range []time.Time{{}, time.Unix(-5, 0), time.Unix(0, 0), time.UnixMicro(1)} {
		for _, a := range all {
			for _, long := range []bool{false, true} {
				l := newLimiter(t, rdb, Options{Clock: func() time.Time { return at }})
				l.store.long = long
				c := Charge{Subject: []string{"one"}, Limit: Limit{Name: "l", Algorithm: a, Quota: 2, Window: time.Minute}, Cost: 1}
				var got []bool
				for range 3 {
					got = append(got, take(t, l, c).Outcome == Allowed)
				}
				if want := []bool{true, true, false}; !slices.Equal(got, want) {
					t.Errorf("%v at %v, the long way %t: allowed %v, want %v", a, at, long, got, want)
				}
			}
		}
	}
}

// randomCharges are up to four charges of one subject, mostly of small costs.
func randomCharges(dice *rand.Rand) []Charge {
	charges := make([]Charge, 1+dice.IntN(maxQuick))
	for i := range charges {
		a := all[dice.IntN(len(all))]
		limit := Limit{Name: fmt.Sprintf("l%d", i), Algorithm: a, Quota: []int64{3, 20, 500}[dice.IntN(3)], Window: 7 * time.Second}
		if (a == TokenBucket || a == LeakyBucket) && dice.IntN(2) == 0 {
			limit.Burst = 1 + dice.Int64N(30)
		}
		if dice.IntN(20) > 0 { // or else the plan changes
			limit.Name = fmt.Sprint(limit.Name, "-", limit.Quota, "-", limit.Burst)
		}
		charges[i] = Charge{Subject: []string{"one"}, Limit: limit, Cost: 1 + dice.Int64N(1+dice.Int64N(4))}
	}
	return charges
}
