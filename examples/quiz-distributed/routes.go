package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"verbatim/examples/lab"
	"verbatim/examples/limiter"
)

// handler answers a request, or leaves that to its caller by an error.
type handler func(w http.ResponseWriter, r *http.Request) error

// allower is what the middleware calls its limiter: the course's, a hundred
// requests a minute for each tenant and route.
type allower struct{ limiter *limiter.Limiter }

// Allow reports whether one more request may pass. An error is neither yes nor no.
func (a allower) Allow(ctx context.Context, tenant, route string) (bool, error) {
	d, err := a.limiter.Take(ctx, limiter.Charge{
		Subject: []string{"tenant", tenant},
		Limit:   limiter.Limit{Name: route, Algorithm: limiter.FixedWindow, Quota: 100, Window: time.Minute},
		Cost:    1,
	})
	return d.Outcome == limiter.Allowed, err
}

type site struct{ limiter allower }

func tenantOf(r *http.Request) string { return r.Header.Get("X-Tenant") }

// The middleware of question 2, mistakes included: the lesson quotes it.

// [middleware]
var policy = map[string]string{"sign-in": "closed", "seat map": "open"}

func (s *site) limited(route string, next handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		ok, err := s.limiter.Allow(r.Context(), tenantOf(r), route)
		if err != nil {
			p, known := policy[route]
			if !known {
				return err
			}
			ok = p == "open"
		}
		if !ok {
			w.WriteHeader(429)
			return nil
		}
		return next(w, r)
	}
}

// [/middleware]

// ServeHTTP sends a request through the middleware to its route, whose page is
// always there. Where a handler returns an error, the answer is 500.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page := func(w http.ResponseWriter, _ *http.Request) error {
		_, err := fmt.Fprintln(w, "here you are")
		return err
	}
	route := strings.TrimPrefix(r.URL.Path, "/")
	if err := s.limited(route, page)(w, r); err != nil {
		http.Error(w, "something went wrong", http.StatusInternalServerError)
	}
}

// routes is question 2. The middleware above is in front of every route. Redis is
// stopped, and sign-in, the seat map and checkout get one request each. What do
// they answer?
func routes(ctx context.Context, l *lab.Lab) (string, error) {
	lim, err := newLimiter(l, nil)
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: &site{allower{lim}}}
	go server.Serve(listener)
	defer server.Close()

	base := "http://" + listener.Addr().String() + "/"
	tell("routes", "               %s", strings.Join(asked, ", "))
	if _, err := visit(ctx, base, "Redis runs"); err != nil {
		return "", err
	}
	if err := l.Stop(ctx); err != nil {
		return "", err
	}
	answer, err := visit(ctx, base, "Redis stopped")
	if err != nil {
		return "", err
	}
	return answer, l.Start(ctx)
}

// asked are the routes that get one request each.
var asked = []string{"sign-in", "seat map", "checkout"}

// visit sends the requests and returns the status codes.
func visit(ctx context.Context, base, when string) (string, error) {
	var codes []string
	for _, route := range asked {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+url.PathEscape(route), nil)
		if err != nil {
			return "", err
		}
		request.Header.Set("X-Tenant", "t1")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		response.Body.Close()
		codes = append(codes, fmt.Sprint(response.StatusCode))
	}
	all := strings.Join(codes, ", ")
	tell("routes", "%-15s%s", when, all)
	return all, nil
}
