package browsertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/rogpeppe/go-internal/txtar"

	build "verbatim/internal/site"
)

// librarySite builds the site of testdata/library.txtar, with enough chapters for an
// index of several files, and returns its directory.
func librarySite(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/library.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var chapters []txtar.File
	home := &archive.Files[0]
	home.Data = slices.Clip(home.Data) // else append would overwrite the next file of the archive
	for n := 1; n <= 12; n++ {
		home.Data = fmt.Appendf(home.Data, "- [Chapter %d](chapter%02d.md)\n", n, n)
		text := fmt.Sprintf("# Chapter %d\n\nHere as everywhere.", n)
		for i := range 150 {
			text += fmt.Sprintf(" %c%dword%d", 'a'+i%26, i, n)
		}
		chapters = append(chapters, txtar.File{Name: fmt.Sprintf("content/chapter%02d.md", n), Data: []byte(text + "\n")})
	}
	archive.Files = append(archive.Files, chapters...)
	root := t.TempDir()
	if err := txtar.Write(archive, root); err != nil {
		t.Fatal(err)
	}
	report, err := build.Build(t.Context(), build.Config{Root: root})
	if err != nil || report.Wrong(false) {
		t.Fatalf("build the library: %v\n%+v", err, report)
	}
	dir := filepath.Join(root, "public")
	if files, _ := filepath.Glob(filepath.Join(dir, "search", "t-*.js")); len(files) < 2 {
		t.Fatalf("the index has too few files for these tests: %q", files)
	}
	return dir
}

// searchCase is a line of testdata/search.jsonl: what a reader types, the status of the
// search, and each result as "title › section → URL".
type searchCase struct {
	Why, Type, Says string
	Finds           []string
}

// queries returns the cases of testdata/search.jsonl.
func queries(t *testing.T) (all []searchCase) {
	t.Helper()
	data, err := os.ReadFile("testdata/search.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var q searchCase
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, q)
	}
	return all
}

// searchResult is what the search page shows.
type searchResult struct {
	Says  string   `json:"says"`
	Finds []string `json:"finds"`
}

// currentResult is an expression for the current searchResult.
const currentResult = `{
	says: dom.text(document.querySelector(".search [role=status]")),
	finds: dom.all(".found a").map(a => dom.text(a) + " → " + a.getAttribute("href")),
}`

// expectResults waits until the search shows the results of a case, and fails the test
// if it does not.
func (b *tab) expectResults(want searchCase) {
	b.Helper()
	wanted, err := json.Marshal(searchResult{want.Says, append([]string{}, want.Finds...)})
	if err != nil {
		b.Fatal(err)
	}
	b.until(`JSON.stringify(` + currentResult + `) === JSON.stringify(` + string(wanted) + `)`)
	got := eval[searchResult](b, `(`+currentResult+`)`)
	if got.Says != want.Says || !slices.Equal(got.Finds, want.Finds) {
		b.Errorf("%s: %q shows\n%q, want\n%q", want.Why, want.Type, got, want)
	}
}

// typeQuery replaces the query by a single input event, so that the page searches once.
func (b *tab) typeQuery(query string) {
	b.Helper()
	b.run(`document.querySelector("#v-query").select()`)
	b.pressKeys(kb.Backspace)
	if _, err := chromedp.Call(chromium.ctx, input.InsertText, input.InsertTextParams{Text: query}); err != nil {
		b.Fatalf("type %q: %v", query, err)
	}
}

// TestSearch runs the cases of testdata/search.jsonl from a file:// URL. It checks that
// no query adds elements to the page and that only files of the index are requested.
func TestSearch(t *testing.T) {
	b := openTab(t, "file://"+librarySite(t))
	b.load("search.html")
	b.clearRecorded()
	for _, q := range queries(t) {
		b.typeQuery(q.Type)
		b.expectResults(q)
	}
	errs, requests := b.recorded()
	if len(errs) > 0 {
		t.Errorf("errors in the browser: %q", errs)
	}
	if away := slices.DeleteFunc(requests, func(r string) bool { return strings.HasPrefix(r, b.base+"/search/") }); len(away) > 0 {
		t.Errorf("the search requests %q", away)
	}
	if made := eval[int](b, `dom.all(".found :not(li, a, p, span), .search [role=status] *").length`); made > 0 {
		t.Errorf("a query added %d elements", made)
	}
}

// TestSearchAddress checks that the URL of a search repeats the search, whatever
// characters the query contains.
func TestSearchAddress(t *testing.T) {
	b := openTab(t, serve(t, librarySite(t)))
	const query = `zebra %00 & <zebra># +`
	b.load("search.html")
	b.typeQuery(query)
	address := eval[string](b, "location.href")
	b.loadURL(address)
	if got := eval[string](b, `document.querySelector("#v-query").value`); got != query {
		t.Errorf("%s restores %q, want %q", address, got, query)
	}
	b.until(`dom.all(".found a").length`)
	if n := eval[int](b, `dom.all(".found a").length`); n != 1 {
		t.Errorf("%s finds %d pages, want 1", address, n)
	}
	b.load("search.html?q=%E0%A4%A") // not UTF-8
	b.typeQuery("quagga")
	b.until(`dom.all(".found a").length`)
	if n := eval[int](b, `dom.all(".found a").length`); n != 1 {
		t.Errorf("after an invalid URL the search finds %d pages, want 1", n)
	}
}

// TestSearchKeys checks that keys work in the search as in any page: only Tab moves to
// the results, Enter follows them, Escape empties the box.
func TestSearchKeys(t *testing.T) {
	b := openTab(t, serve(t, librarySite(t)))
	b.load("search.html")
	const focus = `(document.activeElement.id || dom.text(document.activeElement))`
	b.pressKeys("/")
	if at := eval[string](b, `document.activeElement.tagName`); at != "BODY" {
		t.Errorf("/ moves the focus to %s", at)
	}
	b.typeQuery("token")
	b.until(`dom.all(".found a").length === 2`)
	b.pressKeys(kb.Enter + kb.ArrowDown + kb.ArrowUp + kb.ArrowLeft + kb.ArrowRight)
	if at := eval[string](b, focus+` + location.pathname`); at != "v-query/search.html" {
		t.Errorf("Enter and the arrow keys lead from the box to %s", at)
	}
	b.pressKeys(kb.Tab)
	if at := eval[string](b, focus); at != "Token buckets" || !eval[bool](b, "dom.hasFocusRing()") {
		t.Errorf("Tab leads to %q, or its ring is missing", at)
	}
	b.pressKeys(kb.Tab)
	if at := eval[string](b, focus); !strings.HasPrefix(at, "Queues") {
		t.Errorf("Tab leads on to %q", at)
	}
	b.run(`document.querySelector("#v-query").focus()`)
	b.pressKeys(kb.Escape)
	b.expectResults(searchCase{Why: "Escape empties the box", Type: "token"})
	if left := eval[string](b, `document.querySelector("#v-query").value + location.search`); left != "" {
		t.Errorf("Escape leaves %q", left)
	}
	b.typeQuery("quagga")
	b.until(`dom.all(".found a").length === 1`)
	b.pressKeys(kb.Tab + kb.Enter)
	b.waitForPage("/buckets.html")
	if at := eval[string](b, `location.pathname + location.hash`); at != "/buckets.html#refilling" {
		t.Errorf("Enter on a result leads to %s", at)
	}
}

// TestSearchAccessibility checks that the accessibility tree contains a search landmark,
// a named search box, a status and a list of links.
func TestSearchAccessibility(t *testing.T) {
	b := openTab(t, serve(t, librarySite(t)))
	b.load("search.html")
	b.typeQuery("token")
	b.until(`dom.all(".found a").length === 2`)
	tree, err := chromedp.Call(chromium.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	parents := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		parents[n.NodeID] = n
	}
	var nodes []string // "name: role in parent's role in …"
	for _, n := range tree.Nodes {
		roles := role(n)
		for p := parents[n.ParentID]; p != nil; p = parents[p.ParentID] {
			roles += " in " + role(p)
		}
		nodes = append(nodes, name(n)+": "+roles)
	}
	for _, want := range []string{
		"Search the lessons: searchbox in search in main",
		"2 pages: StaticText in status in search in main",
		"Token buckets: link in listitem in list in search in main",
		"Queues & <i>doors</i>: link in listitem in list in search in main",
	} {
		if !slices.ContainsFunc(nodes, func(m string) bool { return strings.HasPrefix(m, want) }) {
			t.Errorf("the tree lacks %q; in the search it has %q", want, slices.DeleteFunc(slices.Clone(nodes), func(m string) bool { return !strings.Contains(m, " in search") }))
		}
	}
}

// TestSearchOrder checks that a file of the index which loads late, or fails to load,
// does not replace the results of a newer query, and that a failed file is requested
// again.
func TestSearchOrder(t *testing.T) {
	files := http.FileServer(http.Dir(librarySite(t)))
	for _, c := range []struct {
		when    string
		respond func(w http.ResponseWriter, r *http.Request)
	}{
		{"late", files.ServeHTTP},
		{"never", http.NotFound},
	} {
		t.Run(c.when, func(t *testing.T) {
			held, release := make(chan string, 1), make(chan struct{})
			var first atomic.Bool // the next request for a file of words is the first
			first.Store(true)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/search/t-") || !first.CompareAndSwap(true, false) {
					files.ServeHTTP(w, r)
					return
				}
				held <- r.URL.Path
				<-release
				c.respond(w, r)
			}))
			defer server.Close()
			releaseOnce := sync.OnceFunc(func() { close(release) })
			defer releaseOnce() // else Close would never return
			b := openTab(t, server.URL)
			b.load("search.html")
			b.typeQuery("admitted")
			var file string
			select {
			case file = <-held:
			case <-time.After(timeout):
				t.Fatal("no file of words is requested")
			}
			b.run(`const script = dom.all("script").find(s => s.src.endsWith(` + jsString(file) + `));
				window.loaded = new Promise(done => ["load", "error"].forEach(e => script.addEventListener(e, done)))`)
			b.typeQuery("zebra") // in another file
			want := searchCase{"the newer query", "zebra", "1 page", []string{"Queues & <i>doors</i> › The doorman's constructor → queues.html#the-doormans-constructor"}}
			b.expectResults(want)
			releaseOnce()
			b.run("await loaded;" + twoFrames)
			b.expectResults(want)
			b.typeQuery("admitted")
			b.expectResults(searchCase{"again", "admitted", "1 page", []string{"Token buckets → buckets.html"}})
		})
	}
}

// TestSearchFails checks that the page says when the index cannot be loaded, and that
// Enter tries again.
func TestSearchFails(t *testing.T) {
	files := http.FileServer(http.Dir(librarySite(t)))
	var broken atomic.Bool
	broken.Store(true)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() && strings.HasPrefix(r.URL.Path, "/search/") {
			http.NotFound(w, r)
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	b := openTab(t, server.URL)
	b.load("search.html")
	b.typeQuery("quagga")
	b.expectResults(searchCase{Why: "no index", Type: "quagga", Says: "The search index could not be loaded. Press Enter to try again."})
	broken.Store(false)
	b.pressKeys(kb.Enter)
	b.expectResults(searchCase{"the index is back", "quagga", "1 page", []string{"Token buckets › Refilling → buckets.html#refilling"}})
}
