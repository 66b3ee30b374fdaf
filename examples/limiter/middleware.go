package limiter

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Policy says how one route is limited.
type Policy struct {
	// Charges are what a request costs and whom; none admits it unlimited. It
	// sees every request of the route: HEAD is one of GET's, and a browser's
	// preflight (OPTIONS), which no pattern with a method has, the default's.
	Charges func(*http.Request) []Charge
	// Fallback decides while Redis is away. It must be chosen.
	Fallback Fallback
}

// MiddlewareOptions are the choices of a Middleware.
type MiddlewareOptions struct {
	// Routes are the policies by route, Default is that of every other route
	// and must be given: a new route is limited even if it was not listed.
	Routes  map[string]Policy
	Default Policy
	// Mux is the ServeMux whose patterns the Routes are. Every route must be one
	// of them when Middleware is called: register the handlers first.
	Mux *http.ServeMux
	// Route names the route of a request, where Mux does not. Routes need one of
	// the two. RoutePattern is for a middleware behind a ServeMux.
	Route func(*http.Request) string

	// DraftHeaders writes RateLimit and RateLimit-Policy as
	// draft-ietf-httpapi-ratelimit-headers has them, for the tightest limit and
	// for all limits.
	DraftHeaders bool
	// LegacyHeaders writes X-RateLimit-Limit, -Remaining and -Reset (seconds
	// from now) for the tightest limit.
	LegacyHeaders bool
	// RetryDate writes Retry-After as a date rather than in seconds.
	RetryDate bool

	// Invalid is called with a request whose charges cannot be decided, such as one
	// without a subject: the client receives only a 500.
	Invalid func(r *http.Request, err error)
}

// MuxRoute names a request's route by the pattern that mux would serve it with,
// "POST /sign-in", or "" for none.
func MuxRoute(mux *http.ServeMux) func(*http.Request) string {
	return func(r *http.Request) string {
		_, pattern := mux.Handler(r)
		return pattern
	}
}

// RoutePattern names a request's route by its r.Pattern, for a middleware around the
// handlers of an http.ServeMux. In front of the mux it names none: use Mux.
func RoutePattern(r *http.Request) string { return r.Pattern }

type decisionKey struct{}

// DecisionOf is the decision that admitted a request, for its handler.
func DecisionOf(ctx context.Context) (Decision, bool) {
	d, ok := ctx.Value(decisionKey{}).(Decision)
	return d, ok
}

// Middleware limits the requests to a handler. Over a limit they are answered
// 429; where Redis is away and the route is closed, 503; never one for the
// other. Both have Retry-After where waiting helps, a problem+json body, and are
// not to be cached. What a LeakyBucket admits waits here for its turn: Limit.Burst
// bounds the queue, and a deadline of the request's context the wait. A decision
// made without Redis is marked X-RateLimit-Degraded.
//
// The handler has the server's own ResponseWriter, so that it can flush, or take
// the connection over. What it was charged stays charged however it ends, in a
// panic too: DecisionOf has the ID to refund it by.
//
// The error is an *InvalidError for a policy without charges or fallback, and for
// Routes that no request can have: without Mux or Route, or that the Mux lacks.
func (l *Limiter) Middleware(o MiddlewareOptions) (func(http.Handler) http.Handler, error) {
	if err := o.Default.validate("the default policy"); err != nil {
		return nil, err
	}
	for route, p := range o.Routes {
		if err := p.validate(fmt.Sprintf("the policy of route %q", route)); err != nil {
			return nil, err
		}
	}
	if err := o.routes(); err != nil {
		return nil, err
	}
	if o.Invalid == nil {
		o.Invalid = func(*http.Request, error) {}
	}
	o.Routes = maps.Clone(o.Routes) // the caller's may change, and requests read it
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if d, ok := l.admit(w, r, o); ok {
				next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), decisionKey{}, d)))
			}
		})
	}, nil
}

// routes checks that requests can have the routes, and fills in Route.
func (o *MiddlewareOptions) routes() error {
	switch {
	case o.Mux != nil && o.Route != nil:
		return invalid("Mux and Route both name the routes: give one")
	case o.Mux != nil:
		o.Route = MuxRoute(o.Mux)
	case o.Route != nil: // whose names are its own
		return nil
	case len(o.Routes) > 0:
		return invalid("the policies of Routes apply to no request: give the Mux whose patterns they are, or a Route function")
	default:
		o.Route = func(*http.Request) string { return "" }
		return nil
	}
	for _, route := range slices.Sorted(maps.Keys(o.Routes)) {
		r := sample(route)
		if r == nil {
			return invalid("route %q is no pattern of a ServeMux", route)
		}
		if got := o.Route(r); got != route {
			return invalid("route %q is no pattern of the mux, which serves such a request by %q", route, got)
		}
	}
	return nil
}

// wildcard matches a wildcard of a pattern.
var wildcard = regexp.MustCompile(`\{[^}]*\}`)

// sample makes a request that a pattern of a ServeMux matches, and few others do;
// nil for what is no pattern.
func sample(pattern string) *http.Request {
	method, rest, ok := strings.Cut(pattern, " ")
	if !ok {
		method, rest = "GET", pattern
	}
	host, path, ok := strings.Cut(strings.TrimLeft(rest, " \t"), "/")
	if !ok {
		return nil
	}
	path = "/" + wildcard.ReplaceAllStringFunc(path, func(name string) string {
		if name == "{$}" {
			return ""
		}
		return "sample-" + rand.Text()
	})
	if strings.HasSuffix(path, "/") && !strings.HasSuffix(rest, "{$}") {
		path += "sample-" + rand.Text() // all that is below the folder
	}
	return &http.Request{Method: method, Host: host, URL: &url.URL{Path: path}, Header: http.Header{}}
}

func (p Policy) validate(what string) error {
	if p.Charges == nil {
		return invalid("%s has no charges", what)
	}
	if !p.Fallback.known() {
		return invalid("%s has no fallback: choose FailOpen, FailClosed, FailLocal or FailOpenAlways", what)
	}
	return nil
}

// admit decides a request, and answers it unless it is admitted.
func (l *Limiter) admit(w http.ResponseWriter, r *http.Request, o MiddlewareOptions) (Decision, bool) {
	p, ok := o.Routes[o.Route(r)]
	if !ok {
		p = o.Default
	}
	charges := p.Charges(r)
	if len(charges) == 0 {
		return Decision{Outcome: Allowed}, true
	}
	d, err := l.Decide(r.Context(), p.Fallback, charges...)
	if err != nil {
		refuse(w, r, o, err)
		return d, false
	}
	writeHeaders(w.Header(), o, d)
	if d.Outcome != Allowed {
		tooMany(w, o, d)
		return d, false
	}
	if d.Delay > 0 && !sleep(r.Context(), d.Delay) { // its turn comes too late, or the client left
		writeRetryAfter(w.Header(), o, d.Delay)
		writeProblem(w, problem{Type: problemCapacity, Title: "The queue is longer than the request may wait", Status: http.StatusServiceUnavailable})
		return d, false
	}
	return d, true
}

// refuse answers a request without a decision. It also answers if the context has
// ended: the client may still wait, and without an answer it would receive a 200.
func refuse(w http.ResponseWriter, r *http.Request, o MiddlewareOptions, err error) {
	var wrong *InvalidError
	if errors.As(err, &wrong) {
		o.Invalid(r, err)
		writeProblem(w, problem{Type: problemOurs, Title: "The rate limit of this route is misconfigured", Status: http.StatusInternalServerError})
		return
	}
	var down *UnavailableError
	after := time.Second
	if errors.As(err, &down) {
		after = max(after, down.RetryAfter)
	}
	// A second or two of chance keep the clients from coming back in step.
	after += mathrand.N(2 * time.Second)
	writeRetryAfter(w.Header(), o, after)
	writeProblem(w, problem{Type: problemCapacity, Title: "The rate limiter is unavailable", Status: http.StatusServiceUnavailable})
}

// tooMany answers a request that a limit refused.
func tooMany(w http.ResponseWriter, o MiddlewareOptions, d Decision) {
	p := problem{Type: problemQuota, Title: "Too many requests", Status: http.StatusTooManyRequests, Violated: slices.Compact(slices.Clone(d.Violated))}
	if d.Outcome == Impossible {
		p.Title = "The request costs more than its limit ever admits"
	} else {
		writeRetryAfter(w.Header(), o, d.RetryAfter)
	}
	writeProblem(w, p)
}
