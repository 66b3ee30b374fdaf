package serve

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verbatim/internal/site"
)

// shown draws a small site once.
func shown(t testing.TB) *stage {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"content/index.md": "# Home\n\n- [A](a.md)\n", "content/a.md": "# A\n\nText.\n", "content/t.csv": "a,b\n", "content/deep/x.bin": "x",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
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
	s := newStage(false)
	s.show(snapshot)
	return s
}

func ask(s *stage, method, host, path string) *http.Response {
	r := httptest.NewRequest(method, "http://placeholder/", nil)
	r.Host, r.URL.Path = host, path
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func TestRequests(t *testing.T) {
	s := shown(t)
	for _, row := range rows[struct {
		Method, Host, Path string
		Status             int
		Type, Has          string
	}](t, "requests.jsonl") {
		response := ask(s, row.Method, row.Host, row.Path)
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

// A page may ask this server for news, and its policy is else as it was.
func TestPolicy(t *testing.T) {
	s := shown(t)
	drawn, _ := s.snapshot.File("a.html")
	body, err := io.ReadAll(ask(s, http.MethodGet, "localhost", "/a.html").Body)
	if err != nil {
		t.Fatal(err)
	}
	before := `content="default-src 'none'; script-src 'self'`
	if !strings.Contains(string(drawn), before) {
		t.Fatal("the theme's policy is another now: is it still found?")
	}
	if want := `content="connect-src 'self'; default-src 'none'; script-src 'self'`; !strings.Contains(string(body), want) {
		t.Errorf("the page's policy is not %s\n%s", want, body)
	}
}

// Whatever a request says, it is answered, and only this machine is.
func FuzzRequest(f *testing.F) {
	for _, host := range []string{"localhost:1", "[::1]:2", "evil.example", "[", "127.0.0.1:x", ""} {
		for _, path := range []string{"/", "/a.html", "/../a.html", "//", "/.verbatim/live.js", "/.verbatim/../a.html", "/deep", "\x00"} {
			f.Add(host, path)
		}
	}
	s := shown(f)
	f.Fuzz(func(t *testing.T, host, path string) {
		if path == livePath+"news" {
			return // it does not end
		}
		response := ask(s, http.MethodGet, host, path)
		if !local(host) && response.StatusCode != http.StatusForbidden {
			t.Errorf("Host %q got %d", host, response.StatusCode)
		}
		if local(host) && response.StatusCode != http.StatusOK && response.StatusCode != http.StatusNotFound {
			t.Errorf("%q got %d", path, response.StatusCode)
		}
	})
}
