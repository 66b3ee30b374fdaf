// Command ticketsite promises a look at a real outage: a web server asks a
// limiter before each request, its Redis is stopped between two rounds of
// requests, and every route then does what its policy says.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab"
)

// policy is what a route does while the limiter cannot answer.
type policy string

const (
	open   policy = "open"   // serve, uncounted
	closed policy = "closed" // refuse, although nobody went over a limit
)

// route is one line of the table from which both the server and the middleware
// work: a route cannot be added without its policy.
type route struct {
	name   string
	path   string
	policy policy
}

var routes = []route{
	{"sign-in", "/sign-in", closed}, // guessing passwords must stay slow
	{"seat map", "/seats", open},    // a picture of free seats harms nobody
}

func main() { lab.Main(story) }

// story sends one request to every route, stops Redis, and does it again.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	guard := &middleware{limiter: &limiter{l.Redis()}}
	site, err := serve(guard)
	if err != nil {
		return err
	}
	defer site.Close()

	up, err := visit(ctx, site)
	if err != nil {
		return err
	}
	if n := guard.caught.Load(); n > 0 {
		return fmt.Errorf("with Redis up, the limiter failed %d times", n)
	}
	if err := l.Stop(ctx); err != nil {
		return err
	}
	down, err := visit(ctx, site)
	if err != nil {
		return err
	}
	if n := guard.caught.Load(); n != int64(len(routes)) {
		return fmt.Errorf("with Redis down, the limiter failed %d times in %d requests", n, len(routes))
	}

	fmt.Printf("4.2 Redis up: %s · Redis down: %s · limiter errors caught %d\n",
		round(up, route.label), round(down, route.labelWithPolicy), guard.caught.Load())
	return nil
}

// middleware asks the limiter before it lets a request through.
type middleware struct {
	limiter *limiter
	caught  atomic.Int64 // errors of the limiter, none of which reached a client
}

// protect puts the middleware before a route's handler. 429 tells a client
// that it went over a limit. During an outage nobody did, so a closed route
// answers 503, and says when to come back.
func (m *middleware) protect(r route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		allowed, err := m.limiter.allow(req.Context(), r.name)
		if err != nil {
			m.caught.Add(1)
		}
		switch {
		case err != nil && r.policy == open:
			next.ServeHTTP(w, req)
		case err != nil:
			w.Header().Set("Retry-After", "5")
			http.Error(w, "cannot check the limit, try again soon", http.StatusServiceUnavailable)
		case !allowed:
			http.Error(w, "too many requests", http.StatusTooManyRequests)
		default:
			next.ServeHTTP(w, req)
		}
	})
}

// limiter counts the requests of a route, a hundred a minute.
type limiter struct{ rdb *redis.Client }

var countNX = redis.NewScript(`
	local n = redis.call('INCR', KEYS[1])
	redis.call('EXPIRE', KEYS[1], 60, 'NX')
	return n`)

// allow says whether one more request may pass. An error means that nobody
// knows, which is neither yes nor no.
func (l *limiter) allow(ctx context.Context, name string) (bool, error) {
	// A visitor must not wait for a limiter longer than for the page.
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	n, err := countNX.Run(ctx, l.rdb, []string{"rl:" + name}).Int64()
	return n <= 100, err
}

// site is the server at work.
type site struct {
	http.Server
	url string
}

// serve starts the ticket site on a port of this machine.
func serve(m *middleware) (*site, error) {
	page := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprintln(w, "here you are:", req.URL.Path)
	})
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(r.path, m.protect(r, page))
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

// visit requests every route once and gives the status codes, in order.
func visit(ctx context.Context, s *site) ([]int, error) {
	var codes []int
	for _, r := range routes {
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

// round writes what each route answered.
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
