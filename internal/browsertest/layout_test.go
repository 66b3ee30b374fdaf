package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestPrint checks that a printed page shows everything and no controls.
func TestPrint(t *testing.T) { forEachSite(t, checkPrint) }

func checkPrint(b *tab, s site) {
	b.loadFresh(s.page)
	b.setMedia("print", "light")
	// A4 without margins.
	b.setSize(718, 1000)
	lost := eval[[]string](b, `dom.all(".steps > li, .opt, .fold > div, .because, .why li, pre, blockquote, tr, .chart > svg, .seq svg").filter(e => e.getBoundingClientRect().height < 1 || !dom.shown(e)).map(dom.describe)`)
	if len(lost) > 0 {
		b.Errorf("not on paper: %q", lost)
	}
	if extra := eval[[]string](b, `dom.all("nav, button, input:not([disabled]), .skip").filter(dom.shown).map(dom.describe)`); len(extra) > 0 {
		b.Errorf("controls on paper: %q", extra)
	}
	if cut := eval[[]string](b, `dom.all("pre, .scroll, .wide").filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible").map(dom.describe)`); len(cut) > 0 {
		b.Errorf("cut off on paper: %q", cut)
	}
	if over := eval[[]string](b, `dom.all("main svg, main pre, main table, main img").filter(e => dom.shown(e) && e.getBoundingClientRect().right > innerWidth + 1).map(dom.describe)`); len(over) > 0 {
		b.Errorf("beyond the edge of the paper: %q", over)
	}
}

// TestReflow checks that a page fits into 320 px, which is the width of a 1280 px window
// at a zoom of 400 %, and that the keyboard can scroll wide boxes.
func TestReflow(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		for _, script := range []bool{true, false} {
			b.setScript(script)
			b.setSize(320, 640)
			b.load(s.page)
			if script {
				b.click(".ctl .link") // all steps at once
				b.run("await new Promise(r => setTimeout(r, 200))")
			}
			if wide := eval[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
				b.Errorf("script %t: the page is %d px too wide: %v", script, wide, eval[[]string](b, `dom.all("main *").filter(e => e.getBoundingClientRect().right > 320 && !e.closest(".scroll, .wide")).slice(0, 5).map(dom.describe)`))
			}
			if bad := eval[[]string](b, `dom.notKeyboardScrollable()`); len(bad) > 0 {
				b.Errorf("script %t: boxes that the keyboard cannot scroll: %q", script, bad)
			}
		}
		b.setScript(true)
		b.load(s.page)
		b.click(".ctl .link")
		b.run("dom.openAll(); await new Promise(r => setTimeout(r, 200)); window.boxes = dom.scrollable()")
		n := eval[int](b, "boxes.length")
		b.Logf("%d boxes scroll", n)
		for i := range n {
			b.run(fmt.Sprintf("boxes[%d].focus()", i))
			b.pressKeys(kb.ArrowRight)
			moved := eval[bool](b, fmt.Sprintf(`(async () => {
				for (let i = 0; i < 50 && !boxes[%[1]d].scrollLeft; i++) await new Promise(r => setTimeout(r, 50));
				return boxes[%[1]d].scrollLeft > 0;
			})()`, i))
			if !moved {
				b.Errorf("the right arrow key does not scroll %s", eval[string](b, fmt.Sprintf("dom.describe(boxes[%d])", i)))
			}
		}
		if n == 0 {
			b.Error("no box scrolls at 320 px, so nothing was tested")
		}
	})
}

// TestTargetSize checks that all controls are large enough to press.
func TestTargetSize(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		for _, width := range []int64{360, 1280} {
			b.setSize(width, 800)
			for _, page := range s.pages() {
				b.load(page)
				if small := eval[[]string](b, "dom.smallTargets()"); len(small) > 0 {
					b.Errorf("%s at %d px: too small: %q", page, width, small)
				}
			}
		}
	})
}

// TestContrast checks that text has a contrast of at least 4.5 with its background.
func TestContrast(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		for _, scheme := range []string{"light", "dark"} {
			b.setMedia("screen", scheme)
			for _, page := range s.pages() {
				b.loadFresh(page)
				if page == s.page {
					eval[string](b, answerAll)
				}
				b.run("dom.openAll()")
				if low := eval[[]string](b, "dom.lowContrastText(4.5)"); len(low) > 0 {
					b.Errorf("%s, %s: text with a contrast of less than 4.5: %q", page, scheme, low)
				}
				if weak := eval[[]string](b, "dom.lowContrastText(7)"); len(weak) > 0 {
					b.Logf("%s, %s: text with a contrast of less than 7: %q", page, scheme, weak)
				}
			}
		}
	})
}

// TestNonTextContrast checks that the edges of controls and focus rings have a contrast
// of at least 3.
func TestNonTextContrast(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		for _, scheme := range []string{"light", "dark"} {
			b.setMedia("screen", scheme)
			for _, page := range s.pages() {
				b.loadFresh(page)
				for _, state := range []string{"fresh", "played"} {
					if state == "played" && page == s.page {
						eval[string](b, answerAll)
						b.run("dom.openAll()")
					}
					if low := eval[[]string](b, "dom.lowContrastControls(3)"); len(low) > 0 {
						b.Errorf("%s, %s, %s: edges with a contrast of less than 3: %q", page, scheme, state, low)
					}
					if low := eval[[]string](b, "dom.lowContrastFocus(3)"); len(low) > 0 {
						b.Errorf("%s, %s, %s: focus rings with a contrast of less than 3: %q", page, scheme, state, low)
					}
				}
			}
		}
	})
}

// TestForcedColours checks that with forced colours (high contrast) answers are marked
// by words and boxes keep their borders.
func TestForcedColours(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.setMedia("screen", "light", "forced-colors", "active")
		b.loadFresh(s.page)
		asked := questionsOf(s.body)[0]
		b.choose(asked.ID, asked.Key)
		if tag := eval[string](b, fmt.Sprintf(`dom.text(document.querySelector("#%s .key .tag"))`, asked.ID)); tag != "Right answer · Your answer" {
			b.Errorf("the right option is marked with %q", tag)
		}
		if bare := eval[[]string](b, `dom.all("button, .opt, .card, .player").filter(e => dom.shown(e) && getComputedStyle(e).borderTopStyle === "none").map(dom.describe)`); len(bare) > 0 {
			b.Errorf("no border: %q", bare)
		}
	})
}
