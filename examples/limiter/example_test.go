package limiter_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"verbatim/examples/limiter"
)

// connect returns a client of a Redis for the examples: an emulator in this
// process, so that they run anywhere.
func connect() (redis.UniversalClient, func()) {
	server, err := miniredis.Run()
	if err != nil {
		panic(err)
	}
	o := limiter.ClientOptions(server.Addr())
	o.ReadTimeout = time.Minute // these examples are to run on the busiest machine
	rdb := redis.NewUniversalClient(o)
	return rdb, func() { rdb.Close(); server.Close() }
}

func Example() {
	rdb, closeRedis := connect()
	defer closeRedis()
	l, err := limiter.New(rdb, limiter.Options{Timeout: time.Minute})
	if err != nil {
		fmt.Println(err)
		return
	}
	signIn := limiter.Limit{Name: "sign-in", Algorithm: limiter.SlidingLog, Quota: 3, Window: time.Minute}
	for n := range 4 {
		d, err := l.Take(context.Background(), limiter.Charge{Subject: []string{"user", "ada"}, Limit: signIn, Cost: 1})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(n+1, d.Outcome, d.Remaining)
	}
	// Output:
	// 1 allowed 2
	// 2 allowed 1
	// 3 allowed 0
	// 4 limited 0
}

// Two limits on two subjects in one round trip: where one refuses, neither is
// charged.
func ExampleLimiter_Take() {
	rdb, closeRedis := connect()
	defer closeRedis()
	l, _ := limiter.New(rdb, limiter.Options{Timeout: time.Minute})
	own := limiter.Limit{Name: "tenant", Algorithm: limiter.TokenBucket, Quota: 40, Window: time.Hour}
	shared := limiter.Limit{Name: "shared", Algorithm: limiter.TokenBucket, Quota: 100, Window: time.Hour}
	call := func(tenant string, cost int64) {
		d, err := l.Take(context.Background(),
			limiter.Charge{Subject: []string{"tenant", tenant}, Limit: own, Cost: cost},
			limiter.Charge{Subject: []string{"all"}, Limit: shared, Cost: cost})
		fmt.Println(tenant, cost, d.Outcome, d.Violated, err)
	}
	call("north", 40)
	call("north", 1)
	call("south", 30)
	call("east", 31)
	call("east", 30)
	// Output:
	// north 40 allowed [] <nil>
	// north 1 limited [tenant] <nil>
	// south 30 allowed [] <nil>
	// east 31 limited [shared] <nil>
	// east 30 allowed [] <nil>
}

func ExampleLimiter_Refund() {
	rdb, closeRedis := connect()
	defer closeRedis()
	l, _ := limiter.New(rdb, limiter.Options{Timeout: time.Minute})
	ctx := context.Background()
	upload := limiter.Charge{
		Subject: []string{"user", "ada"}, Cost: 8,
		Limit: limiter.Limit{Name: "megabytes", Algorithm: limiter.SlidingLog, Quota: 10, Window: time.Hour},
	}
	d, _ := l.Take(ctx, upload)
	fmt.Println("taken", d.Granted, "remaining", d.Remaining)
	for range 2 { // the upload failed, and someone reports it twice
		back, _ := l.Refund(ctx, d.ID(), upload)
		fmt.Println("given back", back.Results[0].Granted, "remaining", back.Remaining)
	}
	// Output:
	// taken 8 remaining 2
	// given back 8 remaining 10
	// given back 0 remaining 10
}

// A closed route without its Redis answers 503, an open one serves.
func ExampleLimiter_Middleware() {
	rdb, closeRedis := connect()
	l, _ := limiter.New(rdb, limiter.Options{Timeout: time.Minute})
	limit := limiter.Limit{Name: "calls", Algorithm: limiter.SlidingLog, Quota: 2, Window: time.Minute}
	client := limiter.ByIP()
	charges := func(r *http.Request) []limiter.Charge {
		return []limiter.Charge{{Subject: client(r), Limit: limit, Cost: 1}}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /seats", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /sign-in", func(http.ResponseWriter, *http.Request) {})
	limited, err := l.Middleware(limiter.MiddlewareOptions{
		Route:   limiter.MuxRoute(mux),
		Routes:  map[string]limiter.Policy{"GET /seats": {Charges: charges, Fallback: limiter.FailOpen}},
		Default: limiter.Policy{Charges: charges, Fallback: limiter.FailClosed},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	ask := func(method, path string) int {
		w := httptest.NewRecorder()
		limited(mux).ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w.Code
	}
	fmt.Println("with Redis:", ask("GET", "/seats"), ask("POST", "/sign-in"), ask("GET", "/seats"))
	closeRedis()
	fmt.Println("without:", ask("GET", "/seats"), ask("POST", "/sign-in"))
	// Output:
	// with Redis: 200 200 429
	// without: 200 503
}

// The errors that a caller distinguishes.
func ExampleUnavailableError() {
	rdb, closeRedis := connect()
	l, _ := limiter.New(rdb, limiter.Options{Timeout: time.Minute})
	closeRedis()
	limit := limiter.Limit{Name: "calls", Algorithm: limiter.FixedWindow, Quota: 5, Window: time.Minute}
	_, err := l.Take(context.Background(), limiter.Charge{Subject: []string{"ada"}, Limit: limit, Cost: 1})
	var down *limiter.UnavailableError
	fmt.Println("no decision:", errors.As(err, &down), "may be charged:", down.Unknown)

	_, err = l.Take(context.Background(), limiter.Charge{Subject: []string{"ada"}, Limit: limit, Cost: -1})
	var invalid *limiter.InvalidError
	fmt.Println("our mistake:", errors.As(err, &invalid))
	// Output:
	// no decision: true may be charged: false
	// our mistake: true
}

// A plan that changes in mid-window: what was used stays used, and the rest of the
// new quota is there at once.
func ExamplePlans() {
	rdb, closeRedis := connect()
	defer closeRedis()
	l, _ := limiter.New(rdb, limiter.Options{Timeout: time.Minute})
	snapshot := `{"version": %d, "tiers": {"basic": [
		{"name": "calls", "algorithm": "sliding log", "quota": %d, "window": "1h"}]}}`
	plans, err := limiter.NewPlans(fmt.Appendf(nil, snapshot, 1, 100))
	if err != nil {
		fmt.Println(err)
		return
	}
	call := func(cost int64) {
		c, _ := plans.Charge("basic", "calls", cost, "user", "ada")
		d, _ := l.Take(context.Background(), c)
		fmt.Println("plans", d.Version, d.Outcome, "remaining", d.Remaining)
	}
	call(100)
	call(1)
	fmt.Println(plans.Load(fmt.Appendf(nil, snapshot, 2, -500)))
	fmt.Println(plans.Load(fmt.Appendf(nil, snapshot, 2, 500)))
	call(1)
	// Output:
	// plans 1 allowed remaining 0
	// plans 1 limited remaining 0
	// limiter: plans: tier "basic": limit "calls": quota -500 is not from 0 to 999999999
	// <nil>
	// plans 2 allowed remaining 399
}

// Without its Redis each of four servers admits a quarter of the limit.
func ExampleLimiter_Decide() {
	rdb, closeRedis := connect()
	closeRedis()
	l, _ := limiter.New(rdb, limiter.Options{Timeout: time.Minute, Servers: 4})
	search := limiter.Charge{
		Subject: []string{"user", "ada"}, Cost: 1,
		Limit: limiter.Limit{Name: "searches", Algorithm: limiter.FixedWindow, Quota: 8, Window: time.Hour},
	}
	for range 3 {
		d, err := l.Decide(context.Background(), limiter.FailLocal, search)
		fmt.Println(d.Outcome, "degraded:", d.Degraded, err)
	}
	// Output:
	// allowed degraded: true <nil>
	// allowed degraded: true <nil>
	// limited degraded: true <nil>
}

// A payment whose answer was lost on the way is sent again, and counts once.
func ExampleLimiter_TakeOnce() {
	rdb, closeRedis := connect()
	defer closeRedis()
	l, _ := limiter.New(rdb, limiter.Options{Timeout: time.Minute})
	payment := limiter.Charge{
		Subject: []string{"account", "7"}, Cost: 1,
		Limit: limiter.Limit{Name: "payments", Algorithm: limiter.SlidingLog, Quota: 5, Window: time.Hour},
	}
	for _, id := range []string{"9f3a", "9f3a", "c71e"} {
		d, err := l.TakeOnce(context.Background(), id, payment)
		fmt.Println(id, d.Outcome, d.Remaining, err)
	}
	// Output:
	// 9f3a allowed 4 <nil>
	// 9f3a allowed 4 <nil>
	// c71e allowed 3 <nil>
}

// A limit in shadow refuses no call and reports which it would have refused.
func ExampleLimit_shadow() {
	rdb, closeRedis := connect()
	defer closeRedis()
	l, _ := limiter.New(rdb, limiter.Options{Timeout: time.Minute})
	calls := limiter.Charge{
		Subject: []string{"user", "ada"}, Cost: 1,
		Limit: limiter.Limit{Name: "calls", Algorithm: limiter.SlidingLog, Quota: 1, Window: time.Hour, Shadow: true},
	}
	for range 2 {
		d, _ := l.Take(context.Background(), calls)
		fmt.Println(d.Outcome, d.Shadowed)
	}
	// Output:
	// allowed []
	// allowed [calls]
}
