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

// budget is one line of the table that READER.md calls "Budget".
type budget struct {
	what         string
	got          int
	target, most int
}

// TestBudgets is check 25.
func TestBudgets(t *testing.T) {
	for _, s := range sites(t) {
		t.Run(s.name, func(t *testing.T) {
			b := open(t, serve(t, s.dir))
			html, err := os.ReadFile(filepath.Join(s.dir, s.page))
			if err != nil {
				t.Fatal(err)
			}
			b.fresh(s.page)
			b.forget()
			b.load(s.page)
			faults, requests := b.noticed()
			if len(faults) > 0 {
				t.Errorf("faults: %q", faults)
			}
			n := 0
			for _, r := range requests {
				switch {
				case strings.HasPrefix(r, b.base) && !strings.HasSuffix(r, "/favicon.ico"):
					n++
				case strings.HasPrefix(r, "http") && !strings.HasPrefix(r, b.base):
					t.Errorf("a request to someone else: %s", r)
				}
			}
			head := strings.Index(string(html), "<script>")
			inline := strings.Index(string(html[head:]), "</script>") - len("<script>")
			table := []budget{
				{"HTML", len(html), 90_000, 130_000},
				{"HTML, gzip", zipped(t, html), 25_000, 35_000},
				{"style.css", size(t, s.dir, "style-*.css"), 16_000, 20_000},
				{"verbatim.js", size(t, s.dir, "verbatim-*.js"), 8_000, 12_000},
				{"script in the head", inline, 300, 500},
				{"requests", n, 3, 5},
				{"nodes", eval[int](b, `document.querySelectorAll("*").length`), 1500, 3000},
			}
			for _, line := range table {
				t.Logf("%-20s %7d (target %d, at most %d)", line.what, line.got, line.target, line.most)
				if line.got > line.most && s.name != "stress" {
					t.Errorf("%s: %d, more than %d", line.what, line.got, line.most)
				}
			}
		})
	}
}

func zipped(t *testing.T, data []byte) int {
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

func size(t *testing.T, dir, pattern string) int {
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

// TestNothingJumps: no layout shifts while a reader plays and answers.
func TestNothingJumps(t *testing.T) {
	each(t, func(b *tab, s site) {
		for _, width := range []int64{360, 1280} {
			b.size(width, 800)
			b.fresh(s.page)
			b.look()
			b.run(`window.shift = 0; new PerformanceObserver(list => list.getEntries().forEach(e => { if (!e.hadRecentInput) shift += e.value })).observe({type: "layout-shift", buffered: true})`)
			for range 5 {
				b.click(nextButton)
			}
			for _, q := range questions(s.body)[:4] {
				b.choose(q.ID, q.Options[0].Letter)
			}
			b.run("await new Promise(r => setTimeout(r, 300))")
			if shift := eval[float64](b, "shift"); shift > 0.001 {
				b.Errorf("at %d px CLS is %.3f", width, shift)
			}
		}
	})
}

// TestFromDisk: pages load and search without a server.
func TestFromDisk(t *testing.T) {
	for _, s := range sites(t) {
		t.Run(s.name, func(t *testing.T) {
			b := open(t, "file://"+s.dir)
			b.forget()
			b.load(s.page)
			b.look()
			if !eval[bool](b, `look.all(".player, form.q input").length > 3 && getComputedStyle(document.body).marginTop === "0px"`) {
				t.Error("script or style is missing")
			}
			b.load("search.html")
			b.look()
			b.do(chromedp.SendKeys(chromedp.CSS("#v-query"), s.word+" step"))
			b.search("1 page")
			if s.name == "stress" {
				b.load("search.html?q=" + url.QueryEscape("限流"))
				b.look()
				b.search("1 page")
			}
			if faults, _ := b.noticed(); len(faults) > 0 {
				t.Errorf("faults: %q", faults)
			}
		})
	}
}

// search waits until the search says something, and compares it.
func (b *tab) search(want string) {
	b.Helper()
	got := eval[string](b, `(async () => {
		for (let i = 0; i < 100 && !look.text(document.querySelector(".search [role=status]")); i++) await new Promise(r => setTimeout(r, 50));
		return look.text(document.querySelector(".search [role=status]"));
	})()`)
	if got != want {
		b.Errorf("the search says %q, want %q", got, want)
	}
}
