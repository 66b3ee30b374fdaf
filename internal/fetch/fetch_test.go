package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const limit = 20 << 20

// zeros writes n zero bytes in pieces of 1 MiB and stops when the client is gone.
func zeros(w io.Writer, n int) {
	piece := make([]byte, 1<<20)
	for range n / len(piece) {
		if _, err := w.Write(piece); err != nil {
			return
		}
	}
}

// writeText answers with a body of HTML.
func writeText(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, body)
}

// handle is the handler of the test server: one kind of response for each path.
// A path that begins with a number redirects as many times.
func handle(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/page":
		writeText(w, "<p>the page")
	case "/headers":
		writeText(w, fmt.Sprintf("cookie %q, proxy %q", r.Header.Get("Cookie"), r.Header.Get("Proxy-Connection")))
	case "/cookie":
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		http.Redirect(w, r, "/headers", http.StatusFound)
	case "/gzip", "/bomb":
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		if r.URL.Path == "/bomb" {
			zeros(z, 200<<20)
		} else {
			_, _ = io.WriteString(z, "<p>the page")
		}
		_ = z.Close()
	case "/brotli":
		w.Header().Set("Content-Encoding", "br")
		writeText(w, "\x0b\x05\x80")
	case "/forbidden":
		http.Error(w, "no", http.StatusForbidden)
	case "/busy":
		w.Header().Set("Retry-After", "120")
		http.Error(w, "later", http.StatusTooManyRequests)
	case "/busy-until":
		w.Header().Set("Retry-After", "Sun, 29 Nov 2026 18:00:00 GMT")
		http.Error(w, "later", http.StatusServiceUnavailable)
	case "/empty":
		w.WriteHeader(http.StatusNoContent)
	case "/slow":
		writeText(w, "<p>the")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "/silent":
		<-r.Context().Done()
	case "/declared":
		w.Header().Set("Content-Length", fmt.Sprint(200<<20))
		zeros(w, 200<<20)
	case "/endless":
		zeros(w, 200<<20)
	case "/cut":
		w.Header().Set("Content-Length", "100")
		writeText(w, "<p>the page")
	case "/to":
		http.Redirect(w, r, r.URL.Query().Get("url"), http.StatusFound)
	default:
		redirect(w, r)
	}
}

func redirect(w http.ResponseWriter, r *http.Request) {
	n := 0
	if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil {
		http.NotFound(w, r)
		return
	}
	next := "/page"
	if n > 1 {
		next = fmt.Sprintf("/%d", n-1)
	}
	http.Redirect(w, r, next, http.StatusMovedPermanently)
}

// serve starts a test server, with https when tls is set.
func serve(t *testing.T, tls bool) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(handle))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if tls {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// TestGet downloads each kind of response from a test server. URL in path and
// final stands for the server's address.
func TestGet(t *testing.T) {
	s := serve(t, false)
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // Get must ignore it
	for _, c := range []struct {
		name, path  string
		final, body string // of the page
		want        string // the beginning of the error, "" when there is a page
	}{
		{"a page", "URL/page", "URL/page", "<p>the page", ""},
		{"gzip", "URL/gzip", "URL/gzip", "<p>the page", ""},
		{"ten redirects", "URL/10", "URL/page", "<p>the page", ""},
		{"eleven redirects", "URL/11", "", "", "redirects more than 10 times"},
		{"no cookies", "URL/cookie", "URL/headers", `cookie "", proxy ""`, ""},
		{"not found", "URL/nowhere", "", "", "answers 404 Not Found"},
		{"forbidden", "URL/forbidden", "", "", "answers 403 Forbidden"},
		{"too many", "URL/busy", "", "", "answers 429 Too Many Requests: try again in 120 seconds"},
		{"unavailable", "URL/busy-until", "", "", "answers 503 Service Unavailable: try again after Sun, 29 Nov 2026 18:00:00 GMT"},
		{"no content", "URL/empty", "", "", "answers 204 No Content"},
		{"an encoding of its own", "URL/brotli", "", "", `answers in the encoding "br", which was not requested`},
		{"200 MB", "URL/declared", "", "", "is larger than 20 MB"},
		{"200 MB, not declared", "URL/endless", "", "", "is larger than 20 MB"},
		{"gzip bomb", "URL/bomb", "", "", "is larger than 20 MB"},
		{"ends too early", "URL/cut", "", "", "ended before the page was complete"},
		{"redirect to a file", "URL/to?url=file:///etc/passwd", "", "", "leads to a file: address; only http and https are fetched"},
		{"no server", "http://127.0.0.1:1/", "", "", "cannot be reached: dial tcp 127.0.0.1:1:"},
		{"a file", "file:///etc/passwd", "", "", "leads to a file: address; only http and https are fetched"},
		{"no host", "http:///page", "", "", "names no host"},
		{"a password", strings.Replace(s.URL, "//", "//me:secret@", 1) + "/page", "", "", "holds a user name or a password, which would be recorded"},
		{"no address", "http://a b/", "", "", "is not an address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &Fetcher{MaxBytes: limit, AllowPrivate: true}
			p, err := f.Get(context.Background(), strings.Replace(c.path, "URL", s.URL, 1))
			if c.want != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if final := strings.Replace(c.final, "URL", s.URL, 1); p.URL != final || string(p.Body) != c.body {
				t.Errorf("got %s %q, want %s %q", p.URL, p.Body, final, c.body)
			}
		})
	}
}

// TestSlow checks that Get returns in time when a server sends nothing or never
// ends its response, and when the context is cancelled.
func TestSlow(t *testing.T) {
	s := serve(t, false)
	for _, path := range []string{"/slow", "/silent"} {
		f := &Fetcher{MaxBytes: limit, AllowPrivate: true, timeout: 50 * time.Millisecond}
		_, err := f.Get(context.Background(), s.URL+path)
		if err == nil || err.Error() != "did not answer in full within 50ms" {
			t.Errorf("%s: got %v", path, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (&Fetcher{MaxBytes: limit, AllowPrivate: true}).Get(ctx, s.URL+"/page"); !errors.Is(err, context.Canceled) {
		t.Errorf("after ^C: got %v", err)
	}
}

func TestTLS(t *testing.T) {
	secure, plain := serve(t, true), serve(t, false)
	f := &Fetcher{MaxBytes: limit, AllowPrivate: true}
	if _, err := f.Get(context.Background(), secure.URL+"/page"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate: got %v", err)
	}
	f.roots = x509.NewCertPool()
	f.roots.AddCert(secure.Certificate())
	p, err := f.Get(context.Background(), secure.URL+"/page")
	if err != nil || !bytes.Equal(p.Body, []byte("<p>the page")) {
		t.Errorf("https: got %v %v", p, err)
	}
	_, err = f.Get(context.Background(), secure.URL+"/to?url="+url.QueryEscape(plain.URL+"/page"))
	if want := "redirects from https to http, to " + plain.URL + "/page"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	p, err = f.Get(context.Background(), plain.URL+"/to?url="+url.QueryEscape(secure.URL+"/page"))
	if err != nil || p.URL != secure.URL+"/page" {
		t.Errorf("from http to https: got %v %v", p, err)
	}
}

// TestPrivate checks that Get never connects to a private server, whether the
// address, its name or a redirect leads there.
func TestPrivate(t *testing.T) {
	var connections atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { connections.Add(1) }))
	defer private.Close()
	port := private.URL[strings.LastIndexByte(private.URL, ':'):]
	f := &Fetcher{MaxBytes: limit}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0"} {
		var refused *AddressError
		if _, err := f.Get(context.Background(), "http://"+host+port); !errors.As(err, &refused) {
			t.Errorf("%s: got %v, want it refused", host, err)
		}
	}
	// The redirecting server is local, too: its two checks, of the URL and of the
	// connection, pass here as if its address were public.
	redirecting := serve(t, false)
	checked := 0
	f.checkAddress = func(a netip.Addr) error {
		if checked++; checked <= 2 {
			return nil
		}
		return checkPublic(a)
	}
	var refused *AddressError
	if _, err := f.Get(context.Background(), redirecting.URL+"/to?url="+url.QueryEscape("http://localhost"+port)); !errors.As(err, &refused) {
		t.Errorf("a redirect: got %v, want it refused", err)
	}
	if n := connections.Load(); n > 0 || checked < 3 {
		t.Errorf("the private server was contacted %d times; %d addresses were checked", n, checked)
	}
}

func TestCheckPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"8.8.8.8": true, "2606:4700::1111": true, "172.32.0.1": true, "100.128.0.1": true, "11.0.0.1": true,
		"127.0.0.1": false, "127.255.255.254": false, "0.0.0.0": false, "10.1.2.3": false, "172.16.0.1": false,
		"172.31.255.255": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false,
		"100.127.255.255": false, "224.0.0.1": false, "255.255.255.255": false, "::": false, "::1": false,
		"fe80::1": false, "fe80::1%eth0": false, "fd00::1": false, "ff02::1": false, "64:ff9b::7f00:1": false,
		"64:ff9b:1::1": false, "::ffff:8.8.8.8": false, "::ffff:127.0.0.1": false, "::7f00:1": false,
		"2002:7f00:1::": false, "2001:0:1::1": false,
	} {
		if got := checkPublic(netip.MustParseAddr(address)) == nil; got != want {
			t.Errorf("checkPublic(%s) is nil: %v, want %v", address, got, want)
		}
	}
}
