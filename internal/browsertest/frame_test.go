package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestAge: a page whose evidence is older than 180 days says so, by the clock
// of its reader.
func TestAge(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.fresh(s.page)
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
			b.look()
			said := eval[string](b, `look.text(document.querySelector(".strip time").parentElement)`)
			if _, err := chromedp.Call(chromium.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(clock)); err != nil {
				b.Fatal(err)
			}
			if warns := len(said) >= 22 && said[len(said)-22:] == "more than 180 days ago"; warns != age.warn {
				b.Errorf("after %d days the strip says %q", age.days, said)
			}
		}
	})
}

// TestThemeButton: the button says what it gives, gives it, and the choice
// lasts.
func TestThemeButton(t *testing.T) {
	const state = `document.querySelector(".top button").textContent + " " + getComputedStyle(document.body).backgroundColor`
	const light, dark = "Dark rgb(253, 253, 251)", "Light rgb(19, 21, 24)"
	each(t, func(b *tab, s site) {
		b.fresh(s.page)
		now := func(when, want string) {
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
		now("at first", light)
		b.media("screen", "dark")
		now("when the system turns dark", dark)
		b.media("screen", "light")
		now("when it turns light again", light)
		b.click(".top button")
		now("after a press", dark)
		b.load(s.page)
		now("on the next visit", dark)
		b.click(".top button")
		now("after another press", light)
		b.media("screen", "dark")
		now("light by choice, whatever the system says", light)
		b.fresh(s.page)
		now("for another reader", dark)
	})
}

// TestWhereTheReaderIs: "On this page" marks the section that is read, however
// the reader came there.
func TestWhereTheReaderIs(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.fresh(s.page)
		b.look()
		b.run(`window.marked = async () => {
			const heads = look.all(".toc a").map(a => document.getElementById(decodeURIComponent(a.hash.slice(1))));
			const want = heads.findLast(h => h.getBoundingClientRect().top <= innerHeight * .34)?.id || "";
			let got;
			for (let i = 0; i < 60; i++) { // an observer tells a frame later
				await new Promise(requestAnimationFrame);
				got = look.all(".toc [aria-current]").map(a => a.getAttribute("aria-current") + decodeURIComponent(a.hash)).join(" ");
				if (got === (want && "location#" + want)) return "";
			}
			return "marked is " + got + ", read is " + want;
		}`)
		wrong := eval[[]string](b, `(async () => {
			const wrong = [], links = look.all(".toc a"), try_ = async what => { const w = await marked(); if (w) wrong.push(what + ": " + w) };
			await try_("at the top");
			for (const a of links) {
				scrollTo(0, 0);
				await marked();
				const h = document.getElementById(decodeURIComponent(a.hash.slice(1))), top = h.getBoundingClientRect().top;
				scrollTo(0, top);
				await try_("jump to " + a.hash);
				scrollTo(0, 0);
				await marked();
				scrollTo(0, top + innerHeight * .8);
				await try_("jump below " + a.hash);
			}
			scrollTo(0, 0);
			await try_("back at the top");
			return wrong;
		})()`)
		if len(wrong) > 0 {
			b.Errorf("%q", wrong)
		}
		if n := eval[int](b, `look.all(".toc a").length`); n < 3 {
			b.Errorf("the list has %d entries", n)
		}
	})
}
