package serve

import (
	"context"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"verbatim/internal/site"
	"verbatim/templates"
)

// browser is a browser tab. It collects the errors of its pages.
type browser struct {
	*testing.T
	ctx    context.Context
	mu     sync.Mutex
	faults []string // exceptions, and errors on the console
}

// openBrowser starts Chromium. It skips the test when none is installed, unless
// VERBATIM_REQUIRE names chromium.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	name, err := exec.LookPath("chromium")
	for _, other := range []string{"chromium-browser", "google-chrome"} {
		if err != nil {
			name, err = exec.LookPath(other)
		}
	}
	if err != nil && isRequired("chromium") {
		t.Fatal("VERBATIM_REQUIRE names chromium, but there is none on PATH")
	}
	if err != nil {
		t.Skip("needs chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(name), chromedp.DisableGPU)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopTab := chromedp.NewContext(allocator)
	t.Cleanup(func() { _ = chromedp.Cancel(ctx); stopTab(); stopAllocator() })
	if err := chromedp.Do(ctx); err != nil { // without a timeout: the browser ends with the context that starts it
		t.Fatal(err)
	}
	b := &browser{T: t, ctx: ctx}
	b.do(chromedp.EmulateViewport(800, 600))
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, b.notice); err != nil {
		t.Fatal(err)
	}
	return b
}

// notice collects the errors among the browser's events.
func (b *browser) notice(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if !strings.HasSuffix(e.Entry.URL, "/favicon.ico") { // requested by the browser, not by the page
			b.faults = append(b.faults, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// do runs steps in the tab.
func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, stop := context.WithTimeout(b.ctx, timeout)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatalf("in the browser: %v", err)
	}
}

// until waits until a JavaScript expression is true in the open page. Errors count
// as false, because a page that reloads cannot evaluate it.
func (b *browser) until(expression string) {
	b.Helper()
	for begin := time.Now(); time.Since(begin) < timeout; time.Sleep(20 * time.Millisecond) {
		ctx, stop := context.WithTimeout(b.ctx, timeout)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
		stop()
		if err == nil && ok {
			return
		}
	}
	ctx, stop := context.WithTimeout(b.ctx, timeout)
	defer stop()
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText.slice(-600) + " scrollY " + scrollY`))
	b.Fatalf("never true: %s\n%s", expression, text)
}

// serveSite serves a site with the files until the test ends. It returns the site's
// URL and a function that writes one of its files.
func serveSite(t *testing.T, files map[string]string) (url string, save func(name, text string)) {
	t.Helper()
	root := t.TempDir()
	save = func(name, text string) {
		t.Helper()
		writeFile(t, root, name, text)
	}
	for name, text := range files {
		save(name, text)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, []string{address}, site.Config{Root: root, Redis: "embedded"}) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the server: %v", err)
		}
	})
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			connection.Close()
			break
		}
		if time.Since(begin) > timeout {
			t.Fatalf("the server does not listen: %v", err)
		}
	}
	return "http://" + address, save
}

// TestReloadInBrowser checks that an open page reloads when its lesson is saved,
// keeps scroll position and focus, and shows a problem until it is fixed.
func TestReloadInBrowser(t *testing.T) {
	b := openBrowser(t)
	long := strings.Repeat("Some text that goes on and on.\n\n", 60)
	lesson := func(text string) string {
		return "# A\n\n" + text + "\n\n" + long + "\n## Middle\n\n[a link](index.md)\n\n" + long
	}
	url, save := serveSite(t, map[string]string{
		"content/index.md": "# Home\n\n- [A](a.md)\n", "content/a.md": lesson("first text"),
	})
	b.do(chromedp.Navigate(url + "/a.html"))
	b.until(`document.body.innerText.includes("first text")`)
	b.until(`(scrollTo(0, scrollY + document.getElementById("middle").getBoundingClientRect().top + 100), document.querySelector("main a[href='index.html']").focus({preventScroll: true}), scrollY > 1000)`)
	b.until(`(window.before = true, document.activeElement.textContent === "a link")`)

	save("content/a.md", lesson("second text\n\nand more of it"))
	b.until(`document.body.innerText.includes("second text") && !window.before`)
	b.until(`Math.abs(document.getElementById("middle").getBoundingClientRect().top + 100) < 2`)
	b.until(`document.activeElement.textContent === "a link"`)

	save("content/a.md", lesson("::: nope"))
	b.until(`(window.before = true, document.querySelector("#v-live").innerText.includes("no container"))`)
	b.until(`document.querySelector("#v-live").innerText.includes("content/a.md:3:1")`)
	b.until(`document.getElementById("v-live-status").textContent.includes("problem")`)
	b.until(`document.body.innerText.includes("second text") && window.before && scrollY > 1000`)

	save("content/a.md", lesson("second text\n\nand more of it"))
	b.until(`document.querySelector("#v-live").hidden && document.getElementById("v-live-status").textContent === "" && window.before`)
	b.checkFaults()
}

// checkFaults fails the test if a page caused errors.
func (b *browser) checkFaults() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.faults) > 0 {
		b.Errorf("errors in the browser: %q", b.faults)
	}
}

// TestStylesInBrowser checks that a changed style sheet is applied without a reload.
func TestStylesInBrowser(t *testing.T) {
	b := openBrowser(t)
	files := map[string]string{"content/a.md": "# A\n\nText.\n"}
	err := fs.WalkDir(templates.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(templates.FS, name)
		files["templates/"+name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	url, save := serveSite(t, files)
	b.do(chromedp.Navigate(url + "/a.html"))
	b.until(`(window.before = true, getComputedStyle(document.querySelector(".text p")).color !== "rgb(255, 0, 0)")`)
	save("templates/static/style.css", files["templates/static/style.css"]+"\n.text p{color:rgb(255,0,0)}\n")
	b.until(`getComputedStyle(document.querySelector(".text p")).color === "rgb(255, 0, 0)" && window.before`)
	save("templates/static/style.css", files["templates/static/style.css"]+"\n.text p{color:rgb(0,0,255)}\n")
	b.until(`getComputedStyle(document.querySelector(".text p")).color === "rgb(0, 0, 255)" && window.before`)
	b.checkFaults()
}

// TestRunsInBrowser checks that the block of an example in a lesson, and the one on
// the example's own page, show that it runs and then its output.
func TestRunsInBrowser(t *testing.T) {
	b := openBrowser(t)
	mayEnd := filepath.Join(t.TempDir(), "may-end")
	program := func(text string) string {
		return "run: sh -c 'until [ -e " + mayEnd + " ]; do sleep 0.05; done; echo " + text + "'\nneeds: none\n"
	}
	url, save := serveSite(t, map[string]string{
		"content/a.md": "# A\n\n```output {of=x}\n```\n", "examples/x/example.yaml": program("first line"),
	})
	b.do(chromedp.Navigate(url + "/a.html"))
	b.until(`document.querySelector(".pv[aria-busy=true] .v-run")?.innerText.includes("running")`)
	if err := os.WriteFile(mayEnd, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	b.until(`document.querySelector(".pv:not([aria-busy]) .v-run")?.innerText.includes("first line")`)
	b.until(`document.querySelector(".v-run").innerText.includes("not recorded yet")`)
	b.do(chromedp.Navigate(url + "/examples/x.html"))
	b.until(`document.querySelector(".pv .v-run")?.innerText.includes("first line")`)
	save("examples/x/example.yaml", program("second line"))
	b.until(`document.querySelector(".pv .v-run")?.innerText.includes("second line")`)
	b.checkFaults()
}
