package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// verb is something that an example may do to its Redis.
type verb struct {
	name  string
	mends bool
	do    func(context.Context, *Redis, url.Values) error
}

var verbs = []verb{
	{"stop", false, func(ctx context.Context, r *Redis, _ url.Values) error { return r.Stop(ctx) }},
	{"start", true, func(ctx context.Context, r *Redis, _ url.Values) error { return r.Start(ctx) }},
	{"pause", false, func(ctx context.Context, r *Redis, _ url.Values) error { return r.Pause(ctx) }},
	{"resume", true, func(ctx context.Context, r *Redis, _ url.Values) error { return r.Resume(ctx) }},
	{"partition", false, func(_ context.Context, r *Redis, q url.Values) error { return r.Partition(q.Get("mode")) }},
	{"heal", true, func(ctx context.Context, r *Redis, _ url.Values) error { return r.Heal(ctx) }},
	{"slow", false, slow},
}

// maxDelay keeps a mistyped delay from looking like a hang.
const maxDelay = 10 * time.Second

func slow(_ context.Context, r *Redis, q url.Values) error {
	ms, err := strconv.Atoi(q.Get("ms"))
	if err != nil || ms < 0 || ms > int(maxDelay.Milliseconds()) {
		return &requestError{fmt.Sprintf("slow needs ms=0 to ms=%d, not %q", maxDelay.Milliseconds(), q.Get("ms"))}
	}
	return r.Slow(time.Duration(ms) * time.Millisecond)
}

// requestError is the caller's mistake.
type requestError struct{ text string }

func (e *requestError) Error() string { return e.text }

// Control serves the verbs with which an example breaks and mends its Redis, at
// a loopback URL that cannot be guessed: POST URL/stop answers 204 once Redis is
// stopped, or 4xx or 5xx with one line of text. In a cluster a verb acts on
// every node, or on the one that the query names: node=1 is the first. What
// mends answers once all the nodes that run work together. The URL is dead after
// close, which also ends requests that are under way, and when ctx ends.
func Control(ctx context.Context, i Instance) (url string, close func(), err error) {
	l, err := listenLow()
	if err != nil {
		return "", nil, fmt.Errorf("serve the control url: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	secret := "/" + newPassword() + "/"
	server := &http.Server{
		Handler:           &control{instance: i, prefix: secret},
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    16 << 10,
	}
	go func() { _ = server.Serve(l) }() // it returns when closed
	context.AfterFunc(ctx, func() { server.Close() })
	end := func() {
		cancel()
		server.Close()
	}
	return "http://" + l.Addr().String() + strings.TrimSuffix(secret, "/"), end, nil
}

type control struct {
	instance Instance
	prefix   string // the secret path, "/…/"
}

func (c *control) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	name, known := strings.CutPrefix(req.URL.Path, c.prefix)
	switch {
	case !loopbackHost(req.Host):
		// A page in a browser that renamed itself to this address.
		http.Error(w, "only for this machine", http.StatusForbidden)
		return
	case !known:
		http.NotFound(w, req)
		return
	case req.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	for _, v := range verbs {
		if v.name == name {
			answer(w, c.do(req.Context(), v, req.URL.Query()))
			return
		}
	}
	http.Error(w, fmt.Sprintf("no verb is called %q: %s", name, strings.Join(verbNames(), ", ")), http.StatusNotFound)
}

// do applies a verb to the nodes that the query names.
func (c *control) do(ctx context.Context, v verb, query url.Values) error {
	nodes := c.instance.nodes()
	if named := query.Get("node"); named != "" {
		n, err := strconv.Atoi(named)
		if err != nil || n < 1 || n > len(nodes) {
			return &requestError{fmt.Sprintf("node needs to be 1 to %d, not %q", len(nodes), named)}
		}
		nodes = nodes[n-1 : n]
	}
	for _, node := range nodes {
		if err := v.do(ctx, node, query); err != nil {
			return err
		}
	}
	if !v.mends {
		return nil
	}
	return c.instance.waitReady(ctx)
}

func answer(w http.ResponseWriter, err error) {
	var request *requestError
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.As(err, &request):
		http.Error(w, oneLine(err), http.StatusBadRequest)
	default:
		http.Error(w, oneLine(err), http.StatusInternalServerError)
	}
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

func verbNames() (names []string) {
	for _, v := range verbs {
		names = append(names, v.name)
	}
	return names
}

// loopbackHost reports whether a request's Host is this machine by address or as
// localhost.
func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}
