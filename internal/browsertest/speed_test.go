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

// throttle makes the tab as slow as a cheap phone until the test ends: a quarter of the
// processor's speed, and a network that is known as slow 4G.
func (b *tab) throttle() {
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

// TestSpeed prints the largest contentful paint and the longest interaction of a page.
// Both depend on the machine, so the test fails only when nothing is measured.
func TestSpeed(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.throttle()
		b.loadFresh(s.page)
		painted := eval[float64](b, `new Promise(done => {
			new PerformanceObserver(list => done(list.getEntries().at(-1).startTime)).observe({type: "largest-contentful-paint", buffered: true});
			setTimeout(done, 5000, 0);
		})`)
		b.run(`window.longest = 0; new PerformanceObserver(list => list.getEntries().forEach(e => { if (e.interactionId) longest = Math.max(longest, e.duration) })).observe({type: "event", durationThreshold: 16, buffered: true})`)
		for range 3 {
			b.click(nextButton)
		}
		predict, _ := predictionOf(s.body)
		b.predict(predict.Key)
		asked := questionsOf(s.body)[0]
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

// TestBuildTime prints the time of a first build of 100 lessons and of a second one
// without changes.
func TestBuildTime(t *testing.T) {
	const lessons = 100
	root := t.TempDir()
	write := func(name, text string) {
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
		write(fmt.Sprintf("l%d.md", i), ordinaryLesson(i))
	}
	write("index.md", course)
	for _, cache := range []string{"cold", "warm"} {
		report, err := build.Build(t.Context(), build.Config{Root: root})
		if err != nil || report.Wrong(false) || report.Lessons != lessons+1 {
			t.Fatalf("%v\n%+v", err, report)
		}
		t.Logf("%d lessons, %s cache: %d ms (warm: target 2000, at most 5000)", lessons, cache, report.Took.Milliseconds())
	}
}

// ordinaryLesson returns the Markdown of a lesson of about 30 kB.
func ordinaryLesson(i int) string {
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
