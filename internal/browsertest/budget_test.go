package browsertest

import (
	"bytes"
	"compress/gzip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// budget is a limit of a page: the test fails above max; target is for comparison.
type budget struct {
	what        string
	got         int // bytes or a number
	target, max int
}

// TestBudgets checks the size of a page in bytes, requests and nodes. It prints all
// figures. The stress lesson may exceed them.
func TestBudgets(t *testing.T) {
	for _, s := range sites(t) {
		t.Run(s.name, func(t *testing.T) {
			b := openTab(t, serve(t, s.dir))
			html, err := os.ReadFile(filepath.Join(s.dir, s.page))
			if err != nil {
				t.Fatal(err)
			}
			b.loadFresh(s.page)
			b.clearRecorded()
			b.load(s.page)
			errs, requests := b.recorded()
			if len(errs) > 0 {
				t.Errorf("errors in the browser: %q", errs)
			}
			n := 0
			for _, r := range requests {
				switch {
				case strings.HasPrefix(r, b.base) && !strings.HasSuffix(r, "/favicon.ico"):
					n++
				case strings.HasPrefix(r, "http") && !strings.HasPrefix(r, b.base):
					t.Errorf("a request to another server: %s", r)
				}
			}
			head := strings.Index(string(html), "<script>")
			inline := strings.Index(string(html[head:]), "</script>") - len("<script>")
			table := []budget{
				{"HTML", len(html), 90_000, 130_000},
				{"HTML, gzip", gzipSize(t, html), 25_000, 35_000},
				{"style.css", fileSize(t, s.dir, "style-*.css"), 16_000, 20_000},
				{"verbatim.js", fileSize(t, s.dir, "verbatim-*.js"), 8_000, 12_000},
				{"script in the head", inline, 300, 500},
				{"requests", n, 3, 5},
				{"nodes", eval[int](b, `document.querySelectorAll("*").length`), 1500, 3000},
			}
			for _, line := range table {
				t.Logf("%-20s %7d (target %d, at most %d)", line.what, line.got, line.target, line.max)
				if line.got > line.max && s.name != "stress" {
					t.Errorf("%s: %d, more than %d", line.what, line.got, line.max)
				}
			}
		})
	}
}

// gzipSize returns the size of data in bytes after compression with gzip.
func gzipSize(t *testing.T, data []byte) int {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// fileSize returns the size of the only file in static/ that matches the pattern.
func fileSize(t *testing.T, dir, pattern string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "static", pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %q, %v", pattern, found, err)
	}
	info, err := os.Stat(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return int(info.Size())
}

// TestLayoutShift checks that nothing moves while a reader plays steps and answers
// questions: the cumulative layout shift is 0.
func TestLayoutShift(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		for _, width := range []int64{360, 1280} {
			b.setSize(width, 800)
			b.loadFresh(s.page)
			b.run(`window.shift = 0; new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) shift += e.value })).observe({type: "layout-shift", buffered: true})`)
			for range 5 {
				b.click(nextButton)
			}
			for _, q := range questionsOf(s.body)[:4] {
				b.choose(q.ID, q.Options[0].Letter)
			}
			b.run("await new Promise(r => setTimeout(r, 300))")
			if shift := eval[float64](b, "shift"); shift > 0.001 {
				b.Errorf("at %d px the cumulative layout shift is %.3f", width, shift)
			}
		}
	})
}

// TestFileURLs checks that pages and the search work from file:// URLs.
func TestFileURLs(t *testing.T) {
	for _, s := range sites(t) {
		t.Run(s.name, func(t *testing.T) {
			b := openTab(t, "file://"+s.dir)
			b.clearRecorded()
			b.load(s.page)
			if !eval[bool](b, `dom.all(".player, form.q input").length > 3 && getComputedStyle(document.body).marginTop === "0px"`) {
				t.Error("script or style is missing")
			}
			b.load("search.html")
			b.do(chromedp.SendKeys(chromedp.CSS("#v-query"), s.uniqueWord+" step"))
			b.expectSearchStatus("1 page")
			if s.name == "stress" {
				b.load("search.html?q=" + url.QueryEscape("限流"))
				b.expectSearchStatus("1 page")
			}
			if errs, _ := b.recorded(); len(errs) > 0 {
				t.Errorf("errors in the browser: %q", errs)
			}
		})
	}
}

// expectSearchStatus waits for the status of the search and compares it.
func (b *tab) expectSearchStatus(want string) {
	b.Helper()
	got := eval[string](b, `(async () => {
		for (let i = 0; i < 100 && !dom.text(document.querySelector(".search [role=status]")); i++) await new Promise(r => setTimeout(r, 50));
		return dom.text(document.querySelector(".search [role=status]"));
	})()`)
	if got != want {
		b.Errorf("the status of the search is %q, want %q", got, want)
	}
}
