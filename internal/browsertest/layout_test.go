package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestPrint is check 18: paper gets everything, once, and no controls.
func TestPrint(t *testing.T) { each(t, checkPrint) }

func checkPrint(b *tab, s site) {
	b.fresh(s.page)
	b.look()
	b.media("print", "light")
	// A sheet of A4 without its margins.
	b.size(718, 1000)
	lost := eval[[]string](b, `look.all(".steps > li, .opt, .fold > div, .because, .why li, pre, blockquote, tr, .chart > svg, .seq svg").filter(e => e.getBoundingClientRect().height < 1 || !look.shown(e)).map(look.describe)`)
	if len(lost) > 0 {
		b.Errorf("not on paper: %q", lost)
	}
	if extra := eval[[]string](b, `look.all("nav, button, input:not([disabled]), .skip").filter(look.shown).map(look.describe)`); len(extra) > 0 {
		b.Errorf("useless on paper: %q", extra)
	}
	if cut := eval[[]string](b, `look.all("pre, .scroll, .wide").filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible").map(look.describe)`); len(cut) > 0 {
		b.Errorf("cut off on paper: %q", cut)
	}
	if over := eval[[]string](b, `look.all("main svg, main pre, main table, main img").filter(e => look.shown(e) && e.getBoundingClientRect().right > innerWidth + 1).map(look.describe)`); len(over) > 0 {
		b.Errorf("beyond the edge of the paper: %q", over)
	}
}

// TestReflow is check 20, at 320 px, which is also 1280 px at 400 %.
func TestReflow(t *testing.T) {
	each(t, func(b *tab, s site) {
		for _, script := range []bool{true, false} {
			b.script(script)
			b.size(320, 640)
			b.load(s.page)
			b.look()
			if script {
				b.click(".ctl .link") // all steps at once
				b.run("await new Promise(r => setTimeout(r, 200))")
			}
			if wide := eval[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
				b.Errorf("script %t: the page is %d px too wide: %v", script, wide, eval[[]string](b, `look.all("main *").filter(e => e.getBoundingClientRect().right > 320 && !e.closest(".scroll, .wide")).slice(0, 5).map(look.describe)`))
			}
			if bad := eval[[]string](b, `look.unnamed()`); len(bad) > 0 {
				b.Errorf("script %t: boxes that keys cannot scroll: %q", script, bad)
			}
		}
		b.script(true)
		b.load(s.page)
		b.look()
		b.click(".ctl .link")
		b.run("look.openAll(); await new Promise(r => setTimeout(r, 200)); window.boxes = look.wide()")
		n := eval[int](b, "boxes.length")
		b.Logf("%d boxes scroll", n)
		for i := range n {
			b.run(fmt.Sprintf("boxes[%d].focus()", i))
			b.press(kb.ArrowRight)
			moved := eval[bool](b, fmt.Sprintf(`(async () => {
				for (let i = 0; i < 50 && !boxes[%[1]d].scrollLeft; i++) await new Promise(r => setTimeout(r, 50));
				return boxes[%[1]d].scrollLeft > 0;
			})()`, i))
			if !moved {
				b.Errorf("the right arrow key does not scroll %s", eval[string](b, fmt.Sprintf("look.describe(boxes[%d])", i)))
			}
		}
		if n == 0 {
			b.Error("no box scrolls at 320 px, so nothing was tried")
		}
	})
}

// TestTargets is check 21.
func TestTargets(t *testing.T) {
	each(t, func(b *tab, s site) {
		for _, width := range []int64{360, 1280} {
			b.size(width, 800)
			for _, page := range s.pages() {
				b.load(page)
				b.look()
				if small := eval[[]string](b, "look.small()"); len(small) > 0 {
					b.Errorf("%s at %d px: too small: %q", page, width, small)
				}
			}
		}
	})
}

// TestContrast is check 22.
func TestContrast(t *testing.T) {
	each(t, func(b *tab, s site) {
		for _, scheme := range []string{"light", "dark"} {
			b.media("screen", scheme)
			for _, page := range s.pages() {
				b.fresh(page)
				b.look()
				if page == s.page {
					eval[string](b, play)
				}
				b.run("look.openAll()")
				if poor := eval[[]string](b, "look.contrast(4.5)"); len(poor) > 0 {
					b.Errorf("%s, %s: less than 4.5: %q", page, scheme, poor)
				}
				if weak := eval[[]string](b, "look.contrast(7)"); len(weak) > 0 {
					b.Logf("%s, %s: less than 7: %q", page, scheme, weak)
				}
			}
		}
	})
}

// TestEdges is the other half of check 22: controls and the ring around the
// one that has the focus are seen by everybody.
func TestEdges(t *testing.T) {
	each(t, func(b *tab, s site) {
		for _, scheme := range []string{"light", "dark"} {
			b.media("screen", scheme)
			for _, page := range s.pages() {
				b.fresh(page)
				b.look()
				for _, state := range []string{"fresh", "played"} {
					if state == "played" && page == s.page {
						eval[string](b, play)
						b.run("look.openAll()")
					}
					if poor := eval[[]string](b, "look.edges(3)"); len(poor) > 0 {
						b.Errorf("%s, %s, %s: edges of less than 3: %q", page, scheme, state, poor)
					}
					if poor := eval[[]string](b, "look.rings(3)"); len(poor) > 0 {
						b.Errorf("%s, %s, %s: focus rings of less than 3: %q", page, scheme, state, poor)
					}
				}
			}
		}
	})
}

// TestForcedColours: where the system chooses all colours, answers are told in
// words and boxes keep their borders.
func TestForcedColours(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.media("screen", "light", "forced-colors", "active")
		b.fresh(s.page)
		b.look()
		asked := questions(s.body)[0]
		b.choose(asked.ID, asked.Key)
		if said := eval[string](b, fmt.Sprintf(`look.text(document.querySelector("#%s .key .tag"))`, asked.ID)); said != "Right answer · Your answer" {
			b.Errorf("the right row says %q", said)
		}
		if bare := eval[[]string](b, `look.all("button, .opt, .card, .player").filter(e => look.shown(e) && getComputedStyle(e).borderTopStyle === "none").map(look.describe)`); len(bare) > 0 {
			b.Errorf("no border: %q", bare)
		}
	})
}
