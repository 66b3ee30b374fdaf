package browsertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// patience is how long one step of a test may take on a busy machine. It ends
// hung tests; none fails by being slow.
const patience = 60 * time.Second

// chromium is one tab of one browser for all tests.
var chromium struct {
	ctx  context.Context
	stop func()
	err  error
}

var start = sync.OnceFunc(func() {
	name, err := find("chromium", "chromium-browser", "google-chrome")
	if err != nil {
		chromium.err = err
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(name), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopTab := chromedp.NewContext(allocator)
	chromium.ctx = ctx
	chromium.stop = func() { _ = chromedp.Cancel(ctx); stopTab(); stopAllocator() }
	if chromium.err = chromedp.Do(ctx); chromium.err != nil {
		return
	}
	if _, chromium.err = chromedp.Call(ctx, log.Enable, cdp.Empty{}); chromium.err != nil {
		return
	}
	if _, chromium.err = chromedp.Call(ctx, network.Enable, network.EnableParams{}); chromium.err != nil {
		return
	}
	chromium.err = chromedp.Listen(ctx, notice)
})

// noticed is what pages did since it was last emptied.
var noticed struct {
	sync.Mutex
	faults   []string // exceptions, and errors on the console
	requests []string // addresses
}

func notice(event any) {
	noticed.Lock()
	defer noticed.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		noticed.faults = append(noticed.faults, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		noticed.faults = append(noticed.faults, e.Entry.Text+" "+e.Entry.URL)
	case *network.EventRequestWillBeSent:
		noticed.requests = append(noticed.requests, e.Request.URL)
	}
}

// forget empties what was noticed.
func (b *tab) forget() {
	noticed.Lock()
	defer noticed.Unlock()
	noticed.faults, noticed.requests = nil, nil
}

// noticed gives what pages did since forget.
func (b *tab) noticed() (faults, requests []string) {
	b.Helper()
	eval[bool](b, "true") // whatever happened before this answer has been told
	noticed.Lock()
	defer noticed.Unlock()
	return slices.Clone(noticed.faults), slices.Clone(noticed.requests)
}

func find(names ...string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no chromium on PATH")
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.stop != nil {
		chromium.stop()
	}
	os.Exit(code)
}

// required tells whether VERBATIM_REQUIRE names what a test needs.
func required(what string) bool {
	return slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), what)
}

// tab is the browser's tab, used by one test at a time.
type tab struct {
	*testing.T
	base string // where the site is served, without a slash at its end
}

// open gives the tab to a test: 1280 by 800, light, with script, on an empty
// page of the site that base serves.
func open(t *testing.T, base string) *tab {
	t.Helper()
	start()
	if chromium.err != nil && !required("chromium") {
		t.Skipf("needs chromium: %v", chromium.err)
	}
	if chromium.err != nil {
		t.Fatalf("VERBATIM_REQUIRE names chromium: %v", chromium.err)
	}
	b := &tab{t, base}
	b.script(true)
	b.size(1280, 800)
	b.media("screen", "light")
	return b
}

// do runs steps in the tab.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, stop := context.WithTimeout(chromium.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatalf("in the browser: %v", err)
	}
}

// get runs one action that gives a value.
func get[T any](b *tab, a chromedp.Action[T]) T {
	b.Helper()
	ctx, stop := context.WithTimeout(chromium.ctx, patience)
	defer stop()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		b.Fatalf("in the browser: %v", err)
	}
	return v
}

// eval gives the value of an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	ctx, stop := context.WithTimeout(chromium.ctx, patience)
	defer stop()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("in the browser: %v\n%s", err, expression)
	}
	return v
}

// run runs statements in the page.
func (b *tab) run(statements string) {
	b.Helper()
	eval[bool](b, "(async () => {"+statements+"\nreturn true})()")
}

// load opens a page anew, whatever was open before.
func (b *tab) load(page string) {
	b.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(b.base+"/"+page))
}

// fresh opens a page of a reader who was never here.
func (b *tab) fresh(page string) {
	b.Helper()
	forget := storage.ClearDataForOriginParams{Origin: b.base, StorageTypes: "local_storage"}
	if _, err := chromedp.Call(chromium.ctx, storage.ClearDataForOrigin, forget); err != nil {
		b.Fatalf("clear the storage: %v", err)
	}
	b.load(page)
}

func (b *tab) script(on bool) {
	b.Helper()
	if _, err := chromedp.Call(chromium.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on}); err != nil {
		b.Fatalf("switch script: %v", err)
	}
}

func (b *tab) size(width, height int64) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// media sets the medium, "screen" or "print", the colour scheme, and further
// features as name, value pairs.
func (b *tab) media(medium, scheme string, more ...string) {
	b.Helper()
	params := emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	for i := 0; i+1 < len(more); i += 2 {
		params.Features = append(params.Features, &emulation.MediaFeature{Name: more[i], Value: more[i+1]})
	}
	if _, err := chromedp.Call(chromium.ctx, emulation.SetEmulatedMedia, params); err != nil {
		b.Fatalf("emulate media: %v", err)
	}
}

// click presses the mouse on the first element that a selector finds.
func (b *tab) click(selector string) {
	b.Helper()
	// A page that still moves would get the press and the release in two places.
	b.run("document.querySelector(" + quoted(selector) + ")?.scrollIntoView({block: 'center'}); " + twoFrames)
	b.do(chromedp.Click(chromedp.CSS(selector)))
	b.run(twoFrames)
}

// twoFrames waits until what was asked for is drawn, and what follows from that
// was told to the page's observers.
const twoFrames = "await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r))));"

// until waits until a condition holds, or gives up: the test that needs it then
// says what it sees instead.
func (b *tab) until(condition string) {
	b.Helper()
	b.run("for (let i = 0; i < 400 && !(" + condition + "); i++) await new Promise(r => setTimeout(r, 25));")
}

// arrives waits until a key or a click has led to a page of the site. It asks from
// outside: a page that is left answers nothing any more.
func (b *tab) arrives(page string) {
	b.Helper()
	there := fmt.Sprintf("location.pathname === %q && document.readyState === 'complete'", page)
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(25 * time.Millisecond) {
		ctx, stop := context.WithTimeout(chromium.ctx, patience)
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](there))
		stop()
		if err == nil && is {
			return
		}
	}
	b.Fatalf("the tab does not arrive at %s", page)
}

// press types keys, as in "\t" or kb.Enter.
func (b *tab) press(keys string) {
	b.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// serve gives the address of a folder, over HTTP.
func serve(t *testing.T, dir string) string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server.URL
}

// public is this repository's site.
func public(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("VERBATIM_PUBLIC")
	if dir == "" {
		dir = filepath.Join("..", "..", "public")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
