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

// The server's own paths. They cannot be those of a page, whose names never begin
// with a dot.
const (
	livePath   = "/.verbatim/"
	eventsPath = livePath + "events" // ?page= is the path of the page
)

// liveFiles holds the script, the style sheet and the templates that the server
// adds to pages.
//
//go:embed live
var liveFiles embed.FS

// contentTypes lists the content types by file extension. The tables of package
// mime depend on the machine.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".xml": "application/xml", ".txt": "text/plain; charset=utf-8",
	".md": "text/plain; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".pdf": "application/pdf",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon", ".woff2": "font/woff2", ".woff": "font/woff",
	".mp4": "video/mp4", ".webm": "video/webm", ".mp3": "audio/mpeg", ".wasm": "application/wasm",
	".webmanifest": "application/manifest+json",
}

// contentType returns the content type for a file name.
func contentType(name string) string {
	if t, ok := contentTypes[strings.ToLower(path.Ext(name))]; ok {
		return t
	}
	return "application/octet-stream"
}

// ServeHTTP answers GET and HEAD requests from this machine and refuses others.
func (pub *published) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	switch {
	case !isLocalHost(r.Host):
		http.Error(w, "only requests to localhost or a loopback address are answered", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this site is read-only: use GET or HEAD", http.StatusMethodNotAllowed)
	case r.URL.Path == eventsPath:
		pub.serveEvents(w, r)
	case strings.HasPrefix(r.URL.Path, livePath):
		file := strings.TrimPrefix(r.URL.Path, livePath)
		data, err := liveFiles.ReadFile("live/" + file)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		sendFile(w, r, file, data)
	default:
		pub.serveSite(w, r)
	}
}

// sendFile answers with a file, or with the ranges of it that the request names, as
// video players do. It sets an ETag, so that an unchanged file is not sent again.
func sendFile(w http.ResponseWriter, r *http.Request, name string, data []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("ETag", `"`+shortHash(data)+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// sendError answers with a page and the status of an error.
func sendError(w http.ResponseWriter, r *http.Request, status int, page []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType(".html"))
	h.Set("Content-Length", fmt.Sprint(len(page)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = w.Write(page) // fails only when the client is gone
	}
}

// serveSite answers with a file of the site. It adds the live script to pages.
func (pub *published) serveSite(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	res, _, err := pub.respond(name)
	if err == nil && res.status == http.StatusOK && path.Ext(res.path) != ".html" {
		sendFile(w, r, res.path, res.data)
		return
	}
	var page []byte
	if err == nil {
		page, err = pub.livePage(name, res)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if res.status == http.StatusOK {
		sendFile(w, r, ".html", page)
		return
	}
	sendError(w, r, res.status, page)
}

// writeTimeout is how long a client may take to read an event. A client that is
// slower is disconnected.
const writeTimeout = 10 * time.Second

// serveEvents sends server-sent events to an open page until it is closed: the
// page's state as a JSON object, now and after each change.
func (pub *published) serveEvents(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	control := http.NewResponseController(w)
	name, last := r.URL.Query().Get("page"), ""
	for {
		event, changed, err := pub.event(name)
		if err != nil {
			return
		}
		if event != last {
			last = event
			_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // a test's ResponseRecorder has no deadline
			if _, err := fmt.Fprintf(w, "retry: 500\ndata: %s\n\n", event); err != nil || control.Flush() != nil {
				return
			}
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// event returns the state of a page as JSON, and a channel that is closed when it
// may have changed.
func (pub *published) event(name string) (string, <-chan struct{}, error) {
	res, changed, err := pub.respond(name)
	if err != nil {
		return "", nil, err
	}
	state, err := pub.pageState(name, res)
	if err != nil {
		return "", nil, err
	}
	data, err := json.Marshal(state)
	return string(data), changed, err
}
