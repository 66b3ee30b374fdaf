package limiter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What strangers, and handlers, do to a middleware.

// limited puts a limiter with a plenty of quota in front of a handler.
func limited(t *testing.T, l *Limiter, o MiddlewareOptions, next http.HandlerFunc) http.Handler {
	t.Helper()
	if o.Default.Charges == nil {
		o.Default = Policy{by(long(FixedWindow, 100)), FailClosed}
	}
	wrap, err := l.Middleware(o)
	if err != nil {
		t.Fatal(err)
	}
	return wrap(next)
}

// A handler that panics has been served: the panic goes on, the charge stays.
func TestPanicStaysCharged(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	h := limited(t, l, MiddlewareOptions{}, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	r := httptest.NewRequest("GET", "/", nil)
	func() {
		defer func() {
			if got := recover(); got != http.ErrAbortHandler {
				t.Errorf("the panic became %v", got)
			}
		}()
		h.ServeHTTP(httptest.NewRecorder(), r)
	}()
	if n := used(t, l, by(long(FixedWindow, 100))(r)[0]); n != 1 {
		t.Errorf("used %d, want 1", n)
	}
}

// A handler can flush what it has, and take the connection over, as for a
// WebSocket.
func TestHandlerHasTheConnection(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	server := httptest.NewServer(limited(t, l, MiddlewareOptions{DraftHeaders: true}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			io.WriteString(w, "first")
			w.(http.Flusher).Flush()
			<-r.Context().Done() // the rest never comes
			return
		}
		c, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		buf.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello")
		buf.Flush()
	}))
	defer server.Close()

	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	in := bufio.NewReader(c)
	answer, err := http.ReadResponse(in, nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v, %v", answer, err)
	}
	if text, err := io.ReadAll(in); string(text) != "hello" {
		t.Errorf("%q, %v", text, err)
	}

	ctx, leave := context.WithCancel(bg)
	defer leave()
	r, _ := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
	stream, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	first := make([]byte, 5)
	if _, err := io.ReadFull(stream.Body, first); string(first) != "first" || stream.Header.Get("RateLimit") == "" {
		t.Errorf("%q, %v, RateLimit %q", first, err, stream.Header.Get("RateLimit"))
	}
}

// Routes are patterns, whatever a client does to method, host and path; what has
// no pattern is the default's.
func TestRoutes(t *testing.T) {
	mux := http.NewServeMux()
	for _, pattern := range []string{"GET /seats/{id}", "/files/{rest...}", "/docs/", "example.com/admin/{$}"} {
		mux.HandleFunc(pattern, func(http.ResponseWriter, *http.Request) {})
	}
	for _, row := range []struct{ method, target, want string }{
		{"GET", "/seats/7", "GET /seats/{id}"},
		{"HEAD", "/seats/7", "GET /seats/{id}"},
		{"GET", "/seats/7?id=8&id=9", "GET /seats/{id}"},
		{"GET", "/seats/%2e%2e%2fadmin", "GET /seats/{id}"},
		{"GET", "/seats/7/", ""},
		{"GET", "//seats/7", "GET /seats/{id}"}, // a redirect to it
		{"GET", "/docs", "/docs/"},              // likewise
		{"GET", "/docs/../seats/7", "GET /seats/{id}"},
		{"POST", "/seats/7", ""},
		{"OPTIONS", "/seats/7", ""},
		{"OPTIONS", "/files/a/b", "/files/{rest...}"},
		{"GET", "http://example.com:8443/admin/", "example.com/admin/{$}"},
		{"GET", "http://other.example/admin/", ""},
		{"GET", "/constructor", ""},
	} {
		if got := MuxRoute(mux)(httptest.NewRequest(row.method, row.target, nil)); got != row.want {
			t.Errorf("%s %s: %q, want %q", row.method, row.target, got, row.want)
		}
	}
}

// The route "" is no route that a table has by chance, and a table that changes
// later changes nothing.
func TestUnlistedRoute(t *testing.T) {
	l := down(t, Options{})
	routes := map[string]Policy{"GET /": {by(long(FixedWindow, 1)), FailOpen}}
	h := limited(t, l, MiddlewareOptions{Route: RoutePattern, Routes: routes}, func(http.ResponseWriter, *http.Request) {})
	routes[""] = routes["GET /"]
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil)) // no mux before it: no pattern
	if w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d, want the default's 503", w.Code)
	}
}

// A request that has no time left is refused aloud: to say nothing is to say 200.
func TestEndedContextIsAnswered(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	h := limited(t, l, MiddlewareOptions{}, func(http.ResponseWriter, *http.Request) { t.Error("served") })
	ctx, cancel := context.WithDeadline(bg, time.Now().Add(-time.Second))
	defer cancel()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
}

// Chance makes a wait longer, never shorter than the breaker stays open.
func TestJitterOnlyUpward(t *testing.T) {
	for _, row := range []struct {
		open        time.Duration
		least, most int
	}{{0, 1, 3}, {300 * time.Millisecond, 1, 3}, {4200 * time.Millisecond, 5, 7}} {
		for range 200 {
			w := httptest.NewRecorder()
			refuse(w, httptest.NewRequest("GET", "/", nil), MiddlewareOptions{}, &UnavailableError{RetryAfter: row.open, Err: errOpen})
			n, err := strconv.Atoi(w.Header().Get("Retry-After"))
			if err != nil || n < row.least || n > row.most {
				t.Fatalf("open for %v: Retry-After %q", row.open, w.Header().Get("Retry-After"))
			}
		}
	}
}

// Whoever cannot be told from others must not get in for free, nor break the
// route: charges without a subject are a 500 that the site hears of, and Everyone
// is the subject to end with.
func TestNobodyInParticular(t *testing.T) {
	l := newLimiter(t, sharedClient(t), Options{})
	ask := func(id Identity) (status int, heard error) {
		limit := long(FixedWindow, 1)
		h := limited(t, l, MiddlewareOptions{
			Default: Policy{func(r *http.Request) []Charge {
				return []Charge{{Subject: id(r), Limit: limit, Cost: 1}}
			}, FailOpen},
			Invalid: func(_ *http.Request, err error) { heard = err },
		}, func(http.ResponseWriter, *http.Request) {})
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = "@" // a Unix socket
		h.ServeHTTP(w, r)
		return w.Code, heard
	}
	var invalid *InvalidError
	if status, err := ask(ByIP()); status != 500 || !errors.As(err, &invalid) {
		t.Errorf("no subject: %d, %v", status, err)
	}
	for _, want := range []int{200, 429} {
		if status, err := ask(FirstOf(ByAPIKey("X-Api-Key"), ByIP(), Everyone)); status != want || err != nil {
			t.Errorf("everyone: %d, %v, want %d", status, err, want)
		}
	}
}

// A header as long as a server takes makes no key longer, and what a client wrote
// in front of our proxy's entry is not read.
func TestHugeHeaders(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "10.0.0.1:80"
	r.Header.Set("X-Api-Key", strings.Repeat("k", 1<<20))
	r.Header.Set("X-Forwarded-For", strings.Repeat("10.0.0.1,", 1<<17)+" 198.51.100.1, 10.0.0.2")
	k := &keyspace{prefix: DefaultPrefix}
	for want, id := range map[string]Identity{
		"key":          ByAPIKey("X-Api-Key"),
		"198.51.100.1": ByIP(netip.MustParsePrefix("10.0.0.0/8")),
		"h:":           ByUser(func(r *http.Request) string { return r.Header.Get("X-Api-Key") }),
	} {
		c := charge(long(FixedWindow, 1))
		c.Subject = id(r)
		if key := k.place(c).key; len(key) > 100 || !strings.Contains(key, want) {
			t.Errorf("%d bytes: %.100s", len(key), key)
		}
	}
}

// Fields keep to structured fields (RFC 9651): integers of at most 15 digits,
// strings of printable ASCII. The body names limits as they are called.
func TestExtremeFields(t *testing.T) {
	w := httptest.NewRecorder()
	name := "a\"b\\c\r\n<é>\x00"
	limit := Limit{Name: name, Algorithm: TokenBucket, Quota: MaxQuota, Burst: MaxQuota, Window: MaxWindow}
	r := Result{Limit: limit, Outcome: Limited, Used: 2 * MaxQuota, Remaining: MaxQuota, RetryAfter: 1<<63 - 1, ResetAfter: 1<<63 - 1}
	d := Decision{Outcome: Limited, Results: []Result{r, r}, Violated: []string{name, name}, RetryAfter: r.RetryAfter}
	o := MiddlewareOptions{DraftHeaders: true, LegacyHeaders: true}
	writeHeaders(w.Header(), o, d)
	tooMany(w, o, d)
	for name, values := range w.Header() {
		for _, value := range values {
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) || tooLong.MatchString(value) {
				t.Errorf("%s: %q", name, value)
			}
		}
	}
	if after := w.Header().Get("Retry-After"); after != "9223372037" {
		t.Errorf("Retry-After %s", after)
	}
	var p problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || len(p.Violated) != 1 || p.Violated[0] != name {
		t.Errorf("%s: %v", w.Body, err)
	}
}

var tooLong = regexp.MustCompile(`[0-9]{16}`)

// sfString is a string of structured fields.
var sfString = regexp.MustCompile(`^"(?:[ !#-\[\]-~]|\\["\\])*"$`)

func FuzzQuoted(f *testing.F) {
	f.Add(`a"b\c`)
	f.Add("line\r\nbreak")
	f.Fuzz(func(t *testing.T, name string) {
		if got := quoted(name); !sfString.MatchString(got) {
			t.Errorf("%q is %s", name, got)
		}
	})
}
