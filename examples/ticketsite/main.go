// Command ticketsite runs an outage: a web server asks its limiter before each
// request, Redis is stopped, and every route does what its policy says.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"verbatim/examples/lab"
)

func main() { lab.Main(story) }

// story sends one request to each route, stops Redis, and does it again.
// Checkout is not in the policy table: its author forgot it.
func story(ctx context.Context, l *lab.Lab) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	s := &site{rdb: l.Redis()}
	base, stop, err := s.serve()
	if err != nil {
		return err
	}
	defer stop()

	up, err := visit(ctx, base, "/sign-in", "/seats", "/checkout")
	if err != nil {
		return err
	}
	if n := s.caught.Load(); n > 0 {
		return fmt.Errorf("the limiter failed %d times although Redis was up", n)
	}
	if err := l.Stop(ctx); err != nil {
		return err
	}
	down, err := visit(ctx, base, "/sign-in", "/seats")
	if err != nil {
		return err
	}
	fmt.Printf("Redis up: sign-in %d, seat map %d · Redis down: sign-in %d (closed), seat map %d (open) · limiter errors caught %d\n",
		up[0], up[1], down[0], down[1], s.caught.Load())
	forgotten, err := visit(ctx, base, "/checkout")
	if err != nil {
		return err
	}
	fmt.Printf("checkout, not in the table: Redis up %d · Redis down %d (closed by default) · limiter errors caught %d\n",
		up[2], forgotten[0], s.caught.Load())
	return nil
}

// serve starts the site on a port of this machine. It returns the address and
// a function that stops the site.
func (s *site) serve() (base string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "here you are:", r.URL.Path)
	})
	server := &http.Server{Handler: s.limited(page)}
	go server.Serve(listener)
	return "http://" + listener.Addr().String(), server.Close, nil
}

// visit sends one request to each path and returns the answers' statuses.
func visit(ctx context.Context, base string, paths ...string) ([]int, error) {
	var codes []int
	for _, path := range paths {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err != nil {
			return nil, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil, fmt.Errorf("visit %s: %w", path, err)
		}
		response.Body.Close()
		codes = append(codes, response.StatusCode)
	}
	return codes, nil
}
