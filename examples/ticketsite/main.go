// Command ticketsite promises a look at a real outage: a web server asks a
// limiter before each request, its Redis is stopped between two rounds of
// requests, and every route then does what its policy says.
package main

import (
	"context"
	"expvar"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// route is one line of the table from which both the server and the middleware
// work.
type route struct {
	name   string
	path   string
	policy limiter.Fallback // what it does while the limiter cannot answer
}

var routes = []route{
	{"sign-in", "/sign-in", limiter.FailClosed}, // guessing passwords must stay slow
	{"seat map", "/seats", limiter.FailOpen},    // a picture of free seats harms nobody
}

// checkout stands in no table: somebody forgot it. The middleware cannot be made
// without a policy for such routes.
var checkout = route{"checkout", "/checkout", limiter.FailClosed}

func main() { lab.Main(story) }

// story sends one request to every route, stops Redis, and does it again.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	counts := new(expvar.Map).Init()
	guard, err := protect(l.Redis(), limiter.NewExpvarMetrics(counts))
	if err != nil {
		return err
	}
	site, err := serve(guard)
	if err != nil {
		return err
	}
	defer site.Close()

	up, err := visit(ctx, site, append(routes, checkout)...)
	if err != nil {
		return err
	}
	if n := caught(counts); n > 0 {
		return fmt.Errorf("with Redis up, the limiter failed %d times", n)
	}
	if err := l.Stop(ctx); err != nil {
		return err
	}
	down, err := visit(ctx, site, routes...)
	if err != nil {
		return err
	}
	fmt.Printf("4.2 Redis up: %s · Redis down: %s · limiter errors caught %d\n",
		round(up, route.label), round(down, route.labelWithPolicy), caught(counts))

	forgotten, err := visit(ctx, site, checkout)
	if err != nil {
		return err
	}
	fmt.Printf("4.2 in no table: Redis up: %s · Redis down: %s (%s by default)\n",
		checkout.label(up[len(routes)]), checkout.label(forgotten[0]), checkout.policy)
	return nil
}

// caught is how many errors of the limiter the middleware kept from clients.
func caught(counts *expvar.Map) int64 {
	n, _ := counts.Get("unavailable").(*expvar.Int)
	if n == nil {
		return 0
	}
	return n.Value()
}

// protect gives the middleware that stands before every route. An open route
// serves while the limiter cannot answer; a closed one answers 503, for nobody
// went over a limit, and says when to come back.
func protect(rdb *redis.Client, metrics limiter.Metrics) (func(http.Handler) http.Handler, error) {
	// Production would wait for milliseconds; a busy machine must not change
	// what this example prints.
	l, err := limiter.New(rdb, limiter.Options{Metrics: metrics, Timeout: 5 * time.Second, DialTimeout: 5 * time.Second})
	if err != nil {
		return nil, err
	}
	// [policies]
	policies := map[string]limiter.Policy{}
	for _, r := range routes {
		policies[r.path] = limiter.Policy{Charges: perMinute, Fallback: r.policy}
	}
	return l.Middleware(limiter.MiddlewareOptions{
		Routes:  policies,
		Default: limiter.Policy{Charges: perMinute, Fallback: checkout.policy},
	})
	// [/policies]
}

// quota is how many requests a minute an address may send to a route.
const quota = 100

var visitor = limiter.ByIP()

func perMinute(r *http.Request) []limiter.Charge {
	return []limiter.Charge{{
		Subject: visitor(r),
		Limit:   limiter.Limit{Name: r.Pattern, Algorithm: limiter.FixedWindow, Quota: quota, Window: time.Minute},
		Cost:    1,
	}}
}

// site is the server at work.
type site struct {
	http.Server
	url string
}

// serve starts the ticket site on a port of this machine.
func serve(guard func(http.Handler) http.Handler) (*site, error) {
	page := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprintln(w, "here you are:", req.URL.Path)
	})
	mux := http.NewServeMux()
	for _, r := range append(routes, checkout) {
		mux.Handle(r.path, guard(page))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &site{url: "http://" + listener.Addr().String()}
	s.Handler = mux
	go s.Serve(listener)
	return s, nil
}

// visit requests each of the routes once and gives the status codes, in order.
func visit(ctx context.Context, s *site, which ...route) ([]int, error) {
	var codes []int
	for _, r := range which {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+r.path, nil)
		if err != nil {
			return nil, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, fmt.Errorf("visit %s: %w", r.name, err)
		}
		response.Body.Close()
		codes = append(codes, response.StatusCode)
	}
	return codes, nil
}

// round writes what each route of the table answered.
func round(codes []int, label func(route, int) string) string {
	var words []string
	for i, r := range routes {
		words = append(words, label(r, codes[i]))
	}
	return strings.Join(words, ", ")
}

func (r route) label(code int) string { return fmt.Sprintf("%s %d", r.name, code) }

func (r route) labelWithPolicy(code int) string {
	return fmt.Sprintf("%s (%s)", r.label(code), r.policy)
}
