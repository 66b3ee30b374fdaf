package browsertest

import (
	"context"
	_ "embed"
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

// timeout ends a step of a test that hangs. It is long, so that no test fails because
// the machine is slow.
const timeout = 60 * time.Second

// chromium is the browser, with one tab, that all tests use.
var chromium struct {
	ctx  context.Context
	stop func()
	err  error
}

// startChromium sets chromium.
var startChromium = sync.OnceFunc(func() {
	name, err := findProgram("chromium", "chromium-browser", "google-chrome")
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
	chromium.err = chromedp.Listen(ctx, recordEvent)
})

// recorded holds what pages did since clearRecorded.
var recorded struct {
	sync.Mutex
	errs     []string // exceptions, and errors on the console
	requests []string // URLs
}

// recordEvent is the listener of the tab's events.
func recordEvent(event any) {
	recorded.Lock()
	defer recorded.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		recorded.errs = append(recorded.errs, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		recorded.errs = append(recorded.errs, e.Entry.Text+" "+e.Entry.URL)
	case *network.EventRequestWillBeSent:
		recorded.requests = append(recorded.requests, e.Request.URL)
	}
}

// clearRecorded empties recorded.
func (b *tab) clearRecorded() {
	recorded.Lock()
	defer recorded.Unlock()
	recorded.errs, recorded.requests = nil, nil
}

// recorded returns the errors and requests of pages since clearRecorded.
func (b *tab) recorded() (errs, requests []string) {
	b.Helper()
	eval[bool](b, "true") // all events before this result have been received
	recorded.Lock()
	defer recorded.Unlock()
	return slices.Clone(recorded.errs), slices.Clone(recorded.requests)
}

// findProgram returns the path of the first program that is on PATH.
func findProgram(names ...string) (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("none of %s is on PATH", strings.Join(names, ", "))
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.stop != nil {
		chromium.stop()
	}
	os.Exit(code)
}

// isRequired reports whether VERBATIM_REQUIRE names a tool. Then its absence fails the
// test instead of skipping it.
func isRequired(what string) bool {
	return slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), what)
}

// tab is the browser's tab, which one test uses at a time.
type tab struct {
	*testing.T
	base string // URL of the site, without a slash at the end
}

// openTab returns the tab with the settings that tests start from: 1280 by 800 pixels,
// light, with script. base is the URL of the site.
func openTab(t *testing.T, base string) *tab {
	t.Helper()
	startChromium()
	if chromium.err != nil && !isRequired("chromium") {
		t.Skipf("needs chromium: %v", chromium.err)
	}
	if chromium.err != nil {
		t.Fatalf("VERBATIM_REQUIRE names chromium: %v", chromium.err)
	}
	b := &tab{t, base}
	b.setScript(true)
	b.setSize(1280, 800)
	b.setMedia("screen", "light")
	return b
}

// do runs steps in the tab.
func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, stop := context.WithTimeout(chromium.ctx, timeout)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatalf("in the browser: %v", err)
	}
}

// get runs an action and returns its value.
func get[T any](b *tab, a chromedp.Action[T]) T {
	b.Helper()
	ctx, stop := context.WithTimeout(chromium.ctx, timeout)
	defer stop()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		b.Fatalf("in the browser: %v", err)
	}
	return v
}

// eval returns the value of a JavaScript expression in the page.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	ctx, stop := context.WithTimeout(chromium.ctx, timeout)
	defer stop()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatalf("in the browser: %v\n%s", err, expression)
	}
	return v
}

// run executes JavaScript statements in the page.
func (b *tab) run(statements string) {
	b.Helper()
	eval[bool](b, "(async () => {"+statements+"\nreturn true})()")
}

//go:embed testdata/dom.js
var domFunctions string

// load loads a page of the site, also when it is open already, and defines the
// functions of dom.js in it.
func (b *tab) load(page string) {
	b.Helper()
	b.loadURL(b.base + "/" + page)
}

// loadURL is load for a URL.
func (b *tab) loadURL(url string) {
	b.Helper()
	b.do(chromedp.Navigate("about:blank"), chromedp.Navigate(url))
	eval[bool](b, domFunctions)
}

// loadFresh loads a page with empty local storage, as for a new reader.
func (b *tab) loadFresh(page string) {
	b.Helper()
	params := storage.ClearDataForOriginParams{Origin: b.base, StorageTypes: "local_storage"}
	if _, err := chromedp.Call(chromium.ctx, storage.ClearDataForOrigin, params); err != nil {
		b.Fatalf("clear the storage: %v", err)
	}
	b.load(page)
}

// setScript enables or disables the scripts of pages.
func (b *tab) setScript(enabled bool) {
	b.Helper()
	if _, err := chromedp.Call(chromium.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !enabled}); err != nil {
		b.Fatalf("switch script: %v", err)
	}
}

// setSize sets the size of the window in pixels.
func (b *tab) setSize(width, height int64) {
	b.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// setMedia emulates a medium, "screen" or "print", a colour scheme, and further media
// features as pairs of a name and a value.
func (b *tab) setMedia(medium, scheme string, more ...string) {
	b.Helper()
	params := emulation.SetEmulatedMediaParams{Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	for i := 0; i+1 < len(more); i += 2 {
		params.Features = append(params.Features, &emulation.MediaFeature{Name: more[i], Value: more[i+1]})
	}
	if _, err := chromedp.Call(chromium.ctx, emulation.SetEmulatedMedia, params); err != nil {
		b.Fatalf("emulate media: %v", err)
	}
}

// click clicks on the first element that matches a CSS selector.
func (b *tab) click(selector string) {
	b.Helper()
	// A page that still scrolls would receive press and release in two places.
	b.run("document.querySelector(" + jsString(selector) + ")?.scrollIntoView({block: 'center'}); " + twoFrames)
	b.do(chromedp.Click(chromedp.CSS(selector)))
	b.run(twoFrames)
}

// twoFrames waits until the last changes are rendered and the page's observers have
// run.
const twoFrames = "await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(r))));"

// until waits until a JavaScript condition is true, for at most 10 seconds. It does not
// fail: the caller checks the state and reports the difference.
func (b *tab) until(condition string) {
	b.Helper()
	b.run("for (let i = 0; i < 400 && !(" + condition + "); i++) await new Promise(r => setTimeout(r, 25));")
}

// waitForPage waits until a key or a click has opened another page of the site. It
// retries failed evaluations, because a page that is being left cannot evaluate
// anything.
func (b *tab) waitForPage(page string) {
	b.Helper()
	condition := fmt.Sprintf("location.pathname === %q && document.readyState === 'complete'", page)
	for until := time.Now().Add(timeout); time.Now().Before(until); time.Sleep(25 * time.Millisecond) {
		ctx, stop := context.WithTimeout(chromium.ctx, timeout)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](condition))
		stop()
		if err == nil && ok {
			return
		}
	}
	b.Fatalf("the tab does not open %s", page)
}

// pressKeys presses keys, such as "\t" or kb.Enter.
func (b *tab) pressKeys(keys string) {
	b.Helper()
	b.do(chromedp.KeyEvent(keys))
}

// serve serves a directory over HTTP and returns the URL.
func serve(t *testing.T, dir string) string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return server.URL
}

// publicDir returns the directory of this repository's built site.
func publicDir(t *testing.T) string {
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
