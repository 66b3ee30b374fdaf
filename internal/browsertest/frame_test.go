package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestAge checks that a page says so when its evidence is more than 180 days old by the
// reader's clock.
func TestAge(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		date := eval[string](b, `document.querySelector(".strip time").dateTime`)
		for _, age := range []struct {
			days int
			warn bool
		}{{0, false}, {180, false}, {181, true}, {4000, true}} {
			clock, err := chromedp.Call(chromium.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
				Source: fmt.Sprintf(`Date.now = () => Date.parse(%q) + %d * 864e5`, date, age.days),
			})
			if err != nil {
				b.Fatal(err)
			}
			b.load(s.page)
			text := eval[string](b, `dom.text(document.querySelector(".strip time").parentElement)`)
			if _, err := chromedp.Call(chromium.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(clock)); err != nil {
				b.Fatal(err)
			}
			if warns := len(text) >= 22 && text[len(text)-22:] == "more than 180 days ago"; warns != age.warn {
				b.Errorf("after %d days the strip says %q", age.days, text)
			}
		}
	})
}

// TestThemeButton checks that the button switches between light and dark, is labelled
// with what it switches to, and that the choice is kept.
func TestThemeButton(t *testing.T) {
	const state = `document.querySelector(".top button").textContent + " " + getComputedStyle(document.body).backgroundColor`
	const light, dark = "Dark rgb(253, 253, 251)", "Light rgb(19, 21, 24)"
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		expect := func(when, want string) {
			b.Helper()
			got := eval[string](b, `(async () => {
				const state = () => `+state+`;
				for (let i = 0; i < 100 && state() !== "`+want+`"; i++) await new Promise(r => setTimeout(r, 50));
				return state();
			})()`)
			if got != want {
				b.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		expect("at first", light)
		b.setMedia("screen", "dark")
		expect("when the system turns dark", dark)
		b.setMedia("screen", "light")
		expect("when it turns light again", light)
		b.click(".top button")
		expect("after a press", dark)
		b.load(s.page)
		expect("on the next visit", dark)
		b.click(".top button")
		expect("after another press", light)
		b.setMedia("screen", "dark")
		expect("light by choice, whatever the system says", light)
		b.loadFresh(s.page)
		expect("for another reader", dark)
	})
}

// TestCurrentSection checks that "On this page" marks the section that is read, however
// the page was scrolled there.
func TestCurrentSection(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		b.run(`window.marked = async () => {
			const heads = dom.all(".toc a").map(a => document.getElementById(decodeURIComponent(a.hash.slice(1))));
			const want = heads.findLast(h => h.getBoundingClientRect().top <= innerHeight * .34)?.id || "";
			let got;
			for (let i = 0; i < 60; i++) { // an observer runs a frame later
				await new Promise(requestAnimationFrame);
				got = dom.all(".toc [aria-current]").map(a => a.getAttribute("aria-current") + decodeURIComponent(a.hash)).join(" ");
				if (got === (want && "location#" + want)) return "";
			}
			return "marked is " + got + ", read is " + want;
		}`)
		wrong := eval[[]string](b, `(async () => {
			const wrong = [], links = dom.all(".toc a"), check = async what => { const w = await marked(); if (w) wrong.push(what + ": " + w) };
			await check("at the top");
			for (const a of links) {
				scrollTo(0, 0);
				await marked();
				const h = document.getElementById(decodeURIComponent(a.hash.slice(1))), top = h.getBoundingClientRect().top;
				scrollTo(0, top);
				await check("jump to " + a.hash);
				scrollTo(0, 0);
				await marked();
				scrollTo(0, top + innerHeight * .8);
				await check("jump below " + a.hash);
			}
			scrollTo(0, 0);
			await check("back at the top");
			return wrong;
		})()`)
		if len(wrong) > 0 {
			b.Errorf("%q", wrong)
		}
		if n := eval[int](b, `dom.all(".toc a").length`); n < 3 {
			b.Errorf("the list has %d entries", n)
		}
	})
}
