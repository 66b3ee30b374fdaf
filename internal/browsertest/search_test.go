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

// library builds the site of testdata/library.txtar, with chapters enough for
// an index of several files, and gives its folder.
func library(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/library.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var chapters []txtar.File
	home := &archive.Files[0]
	home.Data = slices.Clip(home.Data) // the archive is one piece of memory
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

// asked is a line of testdata/search.jsonl: what a reader types, what the
// search says, and each result as "title › section → address".
type asked struct {
	Why, Type, Says string
	Finds           []string
}

func queries(t *testing.T) (all []asked) {
	t.Helper()
	data, err := os.ReadFile("testdata/search.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var q asked
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, q)
	}
	return all
}

// found is what the search shows.
type found struct {
	Says  string   `json:"says"`
	Finds []string `json:"finds"`
}

const foundNow = `{
	says: look.text(document.querySelector(".search [role=status]")),
	finds: look.all(".found a").map(a => look.text(a) + " → " + a.getAttribute("href")),
}`

// finds waits until the search shows what is wanted, and complains where it
// never does.
func (b *tab) finds(want asked) {
	b.Helper()
	wanted, err := json.Marshal(found{want.Says, append([]string{}, want.Finds...)})
	if err != nil {
		b.Fatal(err)
	}
	b.until(`JSON.stringify(` + foundNow + `) === JSON.stringify(` + string(wanted) + `)`)
	got := eval[found](b, `(`+foundNow+`)`)
	if got.Says != want.Says || !slices.Equal(got.Finds, want.Finds) {
		b.Errorf("%s: %q shows\n%q, want\n%q", want.Why, want.Type, got, want)
	}
}

// ask types a query in place of the last, in one go, so that the page draws one
// answer.
func (b *tab) ask(query string) {
	b.Helper()
	b.run(`document.querySelector("#v-query").select()`)
	b.press(kb.Backspace)
	if _, err := chromedp.Call(chromium.ctx, input.InsertText, input.InsertTextParams{Text: query}); err != nil {
		b.Fatalf("type %q: %v", query, err)
	}
}

// TestSearch types from a disk what readers type; nothing that they type is
// more than text.
func TestSearch(t *testing.T) {
	b := open(t, "file://"+library(t))
	b.load("search.html")
	b.look()
	b.forget()
	for _, q := range queries(t) {
		b.ask(q.Type)
		b.finds(q)
	}
	faults, requests := b.noticed()
	if len(faults) > 0 {
		t.Errorf("faults: %q", faults)
	}
	if away := slices.DeleteFunc(requests, func(r string) bool { return strings.HasPrefix(r, b.base+"/search/") }); len(away) > 0 {
		t.Errorf("the search asks for %q", away)
	}
	if made := eval[int](b, `look.all(".found :not(li, a, p, span), .search [role=status] *").length`); made > 0 {
		t.Errorf("%d elements of the results are no results", made)
	}
}

// TestSearchAddress: the address of a search is one to keep, whatever it holds.
func TestSearchAddress(t *testing.T) {
	b := open(t, serve(t, library(t)))
	const query = `zebra %00 & <zebra># +`
	b.load("search.html")
	b.look()
	b.ask(query)
	address := eval[string](b, "location.href")
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(address))
	b.look()
	if got := eval[string](b, `document.querySelector("#v-query").value`); got != query {
		t.Errorf("%s brings back %q, want %q", address, got, query)
	}
	b.until(`look.all(".found a").length`)
	if n := eval[int](b, `look.all(".found a").length`); n != 1 {
		t.Errorf("%s finds %d pages, want 1", address, n)
	}
	b.load("search.html?q=%E0%A4%A") // no UTF-8
	b.look()
	b.ask("quagga")
	b.until(`look.all(".found a").length`)
	if n := eval[int](b, `look.all(".found a").length`); n != 1 {
		t.Errorf("after a broken address the search finds %d pages, want 1", n)
	}
}

// TestSearchKeys: the keys do in the search what they do in any page. The
// results are links, and no key but Tab leads to them.
func TestSearchKeys(t *testing.T) {
	b := open(t, serve(t, library(t)))
	b.load("search.html")
	b.look()
	const focus = `(document.activeElement.id || look.text(document.activeElement))`
	b.press("/")
	if at := eval[string](b, `document.activeElement.tagName`); at != "BODY" {
		t.Errorf("/ moves the focus to %s", at)
	}
	b.ask("token")
	b.until(`look.all(".found a").length === 2`)
	b.press(kb.Enter + kb.ArrowDown + kb.ArrowUp + kb.ArrowLeft + kb.ArrowRight)
	if at := eval[string](b, focus+` + location.pathname`); at != "v-query/search.html" {
		t.Errorf("Enter and the arrow keys lead from the box to %s", at)
	}
	b.press(kb.Tab)
	if at := eval[string](b, focus); at != "Token buckets" || !eval[bool](b, "look.ring()") {
		t.Errorf("Tab leads to %q, or its ring is missing", at)
	}
	b.press(kb.Tab)
	if at := eval[string](b, focus); !strings.HasPrefix(at, "Queues") {
		t.Errorf("Tab leads on to %q", at)
	}
	b.run(`document.querySelector("#v-query").focus()`)
	b.press(kb.Escape)
	b.finds(asked{Why: "Escape empties the box", Type: "token"})
	if left := eval[string](b, `document.querySelector("#v-query").value + location.search`); left != "" {
		t.Errorf("Escape leaves %q", left)
	}
	b.ask("quagga")
	b.until(`look.all(".found a").length === 1`)
	b.press(kb.Tab + kb.Enter)
	b.arrives("/buckets.html")
	if at := eval[string](b, `location.pathname + location.hash`); at != "/buckets.html#refilling" {
		t.Errorf("Enter on a result leads to %s", at)
	}
}

// TestSearchSpoken: a screen reader meets a search landmark, a search box with
// a name, a status and a list of links.
func TestSearchSpoken(t *testing.T) {
	b := open(t, serve(t, library(t)))
	b.load("search.html")
	b.look()
	b.ask("token")
	b.until(`look.all(".found a").length === 2`)
	tree, err := chromedp.Call(chromium.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	parents := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range tree.Nodes {
		parents[n.NodeID] = n
	}
	// met is a role, a name and the roles around it.
	var met []string
	for _, n := range tree.Nodes {
		around := role(n)
		for p := parents[n.ParentID]; p != nil; p = parents[p.ParentID] {
			around += " in " + role(p)
		}
		met = append(met, name(n)+": "+around)
	}
	for _, want := range []string{
		"Search the lessons: searchbox in search in main",
		"2 pages: StaticText in status in search in main",
		"Token buckets: link in listitem in list in search in main",
		"Queues & <i>doors</i>: link in listitem in list in search in main",
	} {
		if !slices.ContainsFunc(met, func(m string) bool { return strings.HasPrefix(m, want) }) {
			t.Errorf("nobody is told %q; near it: %q", want, slices.DeleteFunc(slices.Clone(met), func(m string) bool { return !strings.Contains(m, " in search") }))
		}
	}
}

// TestSearchOrder: an answer that comes late, or not at all, does not take the
// place of what was asked after it; and what could not be loaded is asked again.
func TestSearchOrder(t *testing.T) {
	files := http.FileServer(http.Dir(library(t)))
	for _, c := range []struct {
		how    string
		answer func(w http.ResponseWriter, r *http.Request)
	}{
		{"late", files.ServeHTTP},
		{"not at all", http.NotFound},
	} {
		t.Run(c.how, func(t *testing.T) {
			held, release := make(chan string, 1), make(chan struct{})
			var first atomic.Bool // file of words
			first.Store(true)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasPrefix(r.URL.Path, "/search/t-") || !first.CompareAndSwap(true, false) {
					files.ServeHTTP(w, r)
					return
				}
				held <- r.URL.Path
				<-release
				c.answer(w, r)
			}))
			defer server.Close()
			letGo := sync.OnceFunc(func() { close(release) })
			defer letGo() // or Close would wait for ever
			b := open(t, server.URL)
			b.load("search.html")
			b.look()
			b.ask("admitted")
			var file string
			select {
			case file = <-held:
			case <-time.After(patience):
				t.Fatal("no file of words is asked for")
			}
			b.run(`const script = look.all("script").find(s => s.src.endsWith(` + quoted(file) + `));
				window.came = new Promise(done => ["load", "error"].forEach(e => script.addEventListener(e, done)))`)
			b.ask("zebra") // in another file
			want := asked{"the later one", "zebra", "1 page", []string{"Queues & <i>doors</i> › The doorman's constructor → queues.html#the-doormans-constructor"}}
			b.finds(want)
			letGo()
			b.run("await came;" + twoFrames)
			b.finds(want)
			b.ask("admitted")
			b.finds(asked{"once more", "admitted", "1 page", []string{"Token buckets → buckets.html"}})
		})
	}
}

// TestSearchFails: an index that cannot be loaded is said, with what to do.
func TestSearchFails(t *testing.T) {
	files := http.FileServer(http.Dir(library(t)))
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
	b := open(t, server.URL)
	b.load("search.html")
	b.look()
	b.ask("quagga")
	b.finds(asked{Why: "no index", Type: "quagga", Says: "The search index could not be loaded. Press Enter to try again."})
	broken.Store(false)
	b.press(kb.Enter)
	b.finds(asked{"the index is back", "quagga", "1 page", []string{"Token buckets › Refilling → buckets.html#refilling"}})
}
