package browsertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestTabOrder checks that Tab moves through the page in reading order, with a visible
// focus ring, and leaves it at the end.
func TestTabOrder(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		b.run("window.stops = []")
		const maxStops = 1000
		for i := range maxStops {
			b.pressKeys(kb.Tab)
			more := eval[bool](b, `(() => {
				const e = document.activeElement;
				if (e === document.body || stops.includes(e)) return false;
				stops.push(e);
				if (!dom.hasFocusRing()) (window.ringless ||= []).push(dom.describe(e));
				return true;
			})()`)
			if !more {
				break
			}
			if i == maxStops-1 {
				b.Fatal("Tab never leaves the page")
			}
		}
		if bad := eval[[]string](b, "window.ringless || []"); len(bad) > 0 {
			b.Errorf("no focus ring on %q", bad)
		}
		if bad := eval[[]string](b, "stops.filter((e, i) => i && !(stops[i - 1].compareDocumentPosition(e) & 4)).map(dom.describe)"); len(bad) > 0 {
			b.Errorf("Tab goes back to %q", bad)
		}
		order := eval[[]string](b, `stops.map(e => (e.closest(".skip, .toc, .predict, .player, .q, .memory, .ends, .foot") || e).className.split(" ")[0])`)
		order = slices.Compact(order)
		at := 0
		parts := []string{"skip", "toc", "card", "walk", "q", "memory"}
		if eval[bool](b, `!!document.querySelector(".foot a")`) {
			parts = append(parts, "foot")
		}
		for _, part := range parts {
			i := slices.Index(order[at:], part)
			if i < 0 {
				b.Fatalf("Tab does not reach %s in order: %v", part, order)
			}
			at += i
		}
	})
}

// TestAccessibleNames checks that every control has an accessible name.
func TestAccessibleNames(t *testing.T) {
	operable := []string{"button", "link", "radio", "checkbox", "textbox", "searchbox", "DisclosureTriangle", "group"}
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		tree, err := chromedp.Call(chromium.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			b.Fatal(err)
		}
		var radios, groups []string
		for _, n := range tree.Nodes {
			if n.Ignored || !slices.Contains(operable, role(n)) {
				continue
			}
			if name(n) == "" && role(n) != "group" {
				b.Errorf("a %s has no name", role(n))
			}
			switch role(n) {
			case "radio":
				radios = append(radios, squeeze(name(n)))
			case "group":
				groups = append(groups, squeeze(name(n)))
			}
		}
		wanted := 0
		for _, c := range s.body.Containers {
			for _, o := range c.Options {
				if wanted >= len(radios) || !strings.Contains(radios[wanted], squeeze(o.Text)) {
					b.Fatalf("radio %d is not named %q: %d radios", wanted, o.Text, len(radios))
				}
				wanted++
			}
			if len(c.Options) == 0 {
				continue
			}
			ends := squeeze(c.Stem)
			if !slices.ContainsFunc(groups, func(g string) bool { return g != "" && strings.HasSuffix(ends, g) }) {
				b.Errorf("no group is named by the question %q", c.Stem)
			}
		}
	})
}

// TestArrowKeys checks that arrow keys choose an option when the focus is in a question,
// where the chosen option stays visible, and do nothing elsewhere.
func TestArrowKeys(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		b.pressKeys(kb.ArrowRight + kb.ArrowLeft)
		if now := eval[string](b, `document.querySelector(".player [aria-current]").textContent + location.hash`); now != "1" {
			b.Errorf("arrow keys outside a group went to step %s", now)
		}
		b.run(`dom.all("form.q input")[0].focus()`)
		for i := range 5 {
			b.pressKeys(kb.ArrowDown)
			if away := eval[bool](b, `(() => {
				const box = document.activeElement.getBoundingClientRect();
				return box.bottom < 0 || box.top > innerHeight;
			})()`); away {
				b.Errorf("arrow key %d scrolls the group away", i+1)
			}
		}
		type state struct {
			Form    bool
			Checked int
			Step    string
		}
		got := eval[state](b, `({form: document.activeElement.form === dom.all("form.q")[0], checked: dom.all("form.q input:checked").length, step: dom.text(document.querySelector(".player [aria-current]"))})`)
		if got != (state{true, 1, "1"}) {
			b.Errorf("after arrow keys in a group: %+v", got)
		}
	})
}
