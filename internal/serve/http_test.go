package serve

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"verbatim/internal/site"
)

// testSite renders and publishes a small site.
func testSite(t testing.TB) *published {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"content/index.md": "# Home\n\n- [A](a.md)\n", "content/a.md": "# A\n\nText.\n", "content/t.csv": "a,b\n", "content/deep/x.bin": "x",
	} {
		writeFile(t, root, name, text)
	}
	live, err := site.OpenLive(t.Context(), site.Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	snapshot, err := live.Refresh(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	pub := newPublished(false)
	pub.setSnapshot(snapshot)
	return pub
}

// request sends a request and returns the response. The headers are pairs of a name
// and a value.
func request(pub *published, method, host, path string, headers ...string) *http.Response {
	r := httptest.NewRequest(method, "http://placeholder/", nil)
	r.Host, r.URL.Path = host, path
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	w := httptest.NewRecorder()
	pub.ServeHTTP(w, r)
	return w.Result()
}

func TestRequests(t *testing.T) {
	pub := testSite(t)
	for _, row := range rows[struct {
		Method, Host, Path string
		Status             int
		Type, Has          string
	}](t, "requests.jsonl") {
		response := request(pub, row.Method, row.Host, row.Path)
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		got := response.Header.Get("Content-Type")
		if response.StatusCode != row.Status || !strings.HasPrefix(got, row.Type) || !strings.Contains(string(body), row.Has) {
			t.Errorf("%s %s%s: %d, %s\n%s", row.Method, row.Host, row.Path, response.StatusCode, got, body)
		}
		if row.Method == http.MethodHead && len(body) > 0 {
			t.Errorf("HEAD %s has a body", row.Path)
		}
		if h := response.Header; h.Get("Cache-Control") != "no-store" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: %v", row.Method, row.Path, h)
		}
	}
}

// TestRangesAndETags checks that ranges are served, as video players request them,
// and that an unchanged file is not sent again.
func TestRangesAndETags(t *testing.T) {
	pub := testSite(t)
	whole := request(pub, http.MethodGet, "localhost", "/t.csv")
	tag := whole.Header.Get("ETag")
	for _, row := range []struct {
		path, header, value string
		status              int
		body                string
	}{
		{"/t.csv", "Range", "bytes=2-2", http.StatusPartialContent, "b"},
		{"/t.csv", "Range", "bytes=-2", http.StatusPartialContent, "b\n"},
		{"/t.csv", "Range", "bytes=99-", http.StatusRequestedRangeNotSatisfiable, ""},
		{"/t.csv", "If-None-Match", tag, http.StatusNotModified, ""},
		{"/t.csv", "If-None-Match", `"other"`, http.StatusOK, "a,b\n"},
		{"/t.csv", "If-Match", `"other"`, http.StatusPreconditionFailed, ""},
		{"/a.html", "Range", "bytes=0-8", http.StatusPartialContent, "<!doctype"},
		{"/nothing.html", "Range", "bytes=0-8", http.StatusNotFound, ""},
		{"/.verbatim/live.js", "Range", "bytes=0-1", http.StatusPartialContent, "//"},
	} {
		response := request(pub, http.MethodGet, "localhost", row.path, row.header, row.value)
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != row.status || row.body != "" && string(body) != row.body {
			t.Errorf("%s with %s: %s: got %d, %q", row.path, row.header, row.value, response.StatusCode, body)
		}
	}
}

// pipeListener is a net.Listener that accepts one connection, Conn.
type pipeListener struct {
	net.Conn
	once   sync.Once
	closed chan bool
}

func (p *pipeListener) Accept() (conn net.Conn, err error) {
	if p.once.Do(func() { conn = p.Conn }); conn != nil {
		return conn, nil
	}
	<-p.closed
	return nil, net.ErrClosed
}

func (p *pipeListener) Close() error   { close(p.closed); return nil }
func (p *pipeListener) Addr() net.Addr { return p.LocalAddr() }

// TestEventsUnread checks that a client which never reads its events is
// disconnected after writeTimeout.
func TestEventsUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		closed := make(chan bool)
		pub := newPublished(false)
		web := &http.Server{Handler: pub, ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				close(closed)
			}
		}}
		go web.Serve(&pipeListener{Conn: server, closed: make(chan bool)})
		begin := time.Now()
		if _, err := io.WriteString(client, "GET /.verbatim/events?page=a.html HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		<-closed
		if took := time.Since(begin); took != writeTimeout {
			t.Errorf("the connection was closed after %s, want %s", took, writeTimeout)
		}
		web.Close()
	})
}

// TestPolicy checks that the content security policy of a served page permits
// requests for events and is otherwise the theme's.
func TestPolicy(t *testing.T) {
	pub := testSite(t)
	rendered, _ := pub.snapshot.File("a.html")
	body, err := io.ReadAll(request(pub, http.MethodGet, "localhost", "/a.html").Body)
	if err != nil {
		t.Fatal(err)
	}
	before := `content="default-src 'none'; script-src 'self'`
	if !strings.Contains(string(rendered), before) {
		t.Fatal("the policy of the theme changed: change this test and check policyStart")
	}
	if want := `content="connect-src 'self'; default-src 'none'; script-src 'self'`; !strings.Contains(string(body), want) {
		t.Errorf("the page's policy is not %s\n%s", want, body)
	}
}

// FuzzRequest checks that every request receives one of the expected statuses, and
// that requests for a foreign host are refused.
func FuzzRequest(f *testing.F) {
	for _, host := range []string{"localhost:1", "[::1]:2", "evil.example", "[", "127.0.0.1:x", ""} {
		for _, path := range []string{"/", "/a.html", "/../a.html", "//", "/.verbatim/live.js", "/.verbatim/../a.html", "/deep", "\x00"} {
			f.Add(host, path)
		}
	}
	pub := testSite(f)
	f.Fuzz(func(t *testing.T, host, path string) {
		if path == eventsPath {
			return // its response does not end
		}
		response := request(pub, http.MethodGet, host, path)
		if !isLocalHost(host) && response.StatusCode != http.StatusForbidden {
			t.Errorf("Host %q got %d", host, response.StatusCode)
		}
		if isLocalHost(host) && response.StatusCode != http.StatusOK && response.StatusCode != http.StatusNotFound {
			t.Errorf("%q got %d", path, response.StatusCode)
		}
	})
}
