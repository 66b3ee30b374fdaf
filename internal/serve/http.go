package serve

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"time"
)

// livePath is the folder of what is added to pages. No page of a site lies
// there: names with a dot are none.
const livePath = "/.verbatim/"

//go:embed live
var live embed.FS

// types are the content types of what sites hold, the same on every machine.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".xml": "application/xml", ".txt": "text/plain; charset=utf-8",
	".md": "text/plain; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".pdf": "application/pdf",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon", ".woff2": "font/woff2", ".woff": "font/woff",
	".mp4": "video/mp4", ".webm": "video/webm", ".mp3": "audio/mpeg", ".wasm": "application/wasm",
	".webmanifest": "application/manifest+json",
}

// contentType gives the type of a file by its name.
func contentType(name string) string {
	if t, ok := types[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return "application/octet-stream"
}

// ServeHTTP answers this machine's GET and HEAD requests, and no others.
func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	switch {
	case !local(r.Host):
		http.Error(w, "only requests to localhost or a loopback address are answered", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this site is only read: GET or HEAD", http.StatusMethodNotAllowed)
	case r.URL.Path == livePath+"news":
		s.news(w, r)
	case strings.HasPrefix(r.URL.Path, livePath):
		file := strings.TrimPrefix(r.URL.Path, livePath)
		data, err := live.ReadFile("live/" + file)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		send(w, r, file, data)
	default:
		s.site(w, r)
	}
}

// send answers with a file: whole, or in the parts that are asked for, as players
// of films do.
func send(w http.ResponseWriter, r *http.Request, name string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("ETag", `"`+short(data)+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// sendPage answers with a page that says why there is no other.
func sendPage(w http.ResponseWriter, r *http.Request, status int, page []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType(".html"))
	h.Set("Content-Length", fmt.Sprint(len(page)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = w.Write(page) // who has gone away needs no answer
	}
}

// site answers with a file of the site. Pages get what keeps them fresh.
func (s *stage) site(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	a, _, err := s.answer(name)
	if err == nil && a.status == http.StatusOK && path.Ext(a.path) != ".html" {
		send(w, r, a.path, a.data)
		return
	}
	var page []byte
	if err == nil {
		page, err = s.page(name, a)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if a.status == http.StatusOK {
		send(w, r, ".html", page)
		return
	}
	sendPage(w, r, a.status, page)
}

// readsWithin is how long a page may leave its news unread.
const readsWithin = 10 * time.Second

// news tells an open page whenever something about it changes, until it is
// closed: one JSON object an event.
func (s *stage) news(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	control := http.NewResponseController(w)
	name, last := r.URL.Query().Get("page"), ""
	for {
		text, next, err := s.newsOf(name)
		if err != nil {
			return
		}
		if text != last {
			last = text
			_ = control.SetWriteDeadline(time.Now().Add(readsWithin)) // a test's recorder has none
			if _, err := fmt.Fprintf(w, "retry: 500\ndata: %s\n\n", text); err != nil || control.Flush() != nil {
				return
			}
		}
		select {
		case <-next:
		case <-r.Context().Done():
			return
		}
	}
}

// newsOf gives what is to be known about a page, and tells when to ask again.
func (s *stage) newsOf(name string) (string, <-chan struct{}, error) {
	a, next, err := s.answer(name)
	if err != nil {
		return "", nil, err
	}
	about, err := s.about(name, a)
	if err != nil {
		return "", nil, err
	}
	data, err := json.Marshal(about)
	return string(data), next, err
}
