package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	build "verbatim/internal/site"
)

// slow makes the tab one of a cheap telephone: a processor of a quarter of the
// speed, and a network that tools call slow 4G. It ends with the test.
func (b *tab) slow() {
	b.Helper()
	set := func(rate, latency, bytes float64) {
		if _, err := chromedp.Call(chromium.ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: rate}); err != nil {
			b.Fatalf("slow the processor: %v", err)
		}
		conditions := []*network.Conditions{{Latency: latency, DownloadThroughput: bytes, UploadThroughput: bytes}}
		if _, err := chromedp.Call(chromium.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: conditions}); err != nil {
			b.Fatalf("slow the network: %v", err)
		}
	}
	set(4, 150, 1.6e6/8)
	b.Cleanup(func() { set(1, 0, -1) })
}

// TestSpeed prints when the largest part of a page is painted, and how long its
// answer to a press takes. A busy machine makes both longer, so it fails only
// where nothing is measured.
func TestSpeed(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.slow()
		b.fresh(s.page)
		b.look()
		painted := eval[float64](b, `new Promise(done => {
			new PerformanceObserver(list => done(list.getEntries().at(-1).startTime)).observe({type: "largest-contentful-paint", buffered: true});
			setTimeout(done, 5000, 0);
		})`)
		b.run(`window.longest = 0; new PerformanceObserver(list => list.getEntries().forEach(e => { if (e.interactionId) longest = Math.max(longest, e.duration) })).observe({type: "event", durationThreshold: 16, buffered: true})`)
		for range 3 {
			b.click(nextButton)
		}
		foretells, _ := prediction(s.body)
		b.predict(foretells.Key)
		asked := questions(s.body)[0]
		b.choose(asked.ID, asked.Key)
		b.run("await new Promise(r => setTimeout(r, 300))")
		answered := eval[float64](b, "longest")
		b.Logf("%-20s %7.0f ms (target 1000, good below 2500)", "LCP, slowed", painted)
		b.Logf("%-20s %7.0f ms (target 50, good below 200; 0 is below 16)", "INP proxy, slowed", answered)
		if painted == 0 {
			b.Error("no paint was reported")
		}
	})
}

// TestBuildTime prints how long a build of 100 lessons takes when nothing
// changed.
func TestBuildTime(t *testing.T) {
	const lessons = 100
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, "content", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	course := "# Course\n\n"
	for i := range lessons {
		course += fmt.Sprintf("- [Lesson %d](l%d.md)\n", i, i)
		put(fmt.Sprintf("l%d.md", i), ordinary(i))
	}
	put("index.md", course)
	for _, cache := range []string{"cold", "warm"} {
		report, err := build.Build(t.Context(), build.Config{Root: root})
		if err != nil || report.Wrong(false) || report.Lessons != lessons+1 {
			t.Fatalf("%v\n%+v", err, report)
		}
		t.Logf("%d lessons, %s cache: %d ms (warm: target 2000, most 5000)", lessons, cache, report.Took.Milliseconds())
	}
}

// ordinary is a lesson of some 30 kB.
func ordinary(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Lesson %d\n\n::: steps\n\n", i)
	for step := range 14 {
		fmt.Fprintf(&b, "%d. Step %d of lesson %d does one thing, with `code`.\n", step+1, step+1, i)
	}
	b.WriteString("\n:::\n")
	for q := range 6 {
		fmt.Fprintf(&b, "\n::: question {#q%d unverified=\"made up\"}\n\n**Which of them is it in lesson %d?**\n\n- A. this\n- B. that\n- C. neither\n\n<details><summary>Answer</summary>\n\n**A.** Because it is.\n\n- B. It is not that.\n- C. It is one.\n\n</details>\n\n:::\n", q, i)
	}
	for n := range 40 {
		fmt.Fprintf(&b, "\n### Part %d\n\n%s\n\n```go\nfunc part%d() error { return nil }\n```\n", n, strings.Repeat(fmt.Sprintf("Sentence of part %d, lesson %d. ", n, i), 20), n)
	}
	return b.String()
}
