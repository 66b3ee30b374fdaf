package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

const nextButton = ".ctl button.main"

// playerState is the state of the step player.
type playerState struct {
	Steps  []int // the visible steps, from 1
	Status string
	End    string // aria-disabled of Next
	Focus  bool   // Next has the focus
	Hash   string
}

func (b *tab) playerState() playerState {
	b.Helper()
	return eval[playerState](b, `({
		steps: dom.all(".steps > li").flatMap((li, i) => li.hidden ? [] : [i + 1]),
		status: dom.text(document.querySelector(".now [role=status]")),
		end: document.querySelector(".ctl button.main").getAttribute("aria-disabled"),
		focus: document.activeElement === document.querySelector(".ctl button.main"), hash: location.hash,
	})`)
}

// TestPlayer checks that Next shows one step after another, keeps the focus, and is
// disabled at the end.
func TestPlayer(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		total := eval[int](b, `dom.all(".steps > li").length`)
		for n := 2; n <= total; n++ {
			b.click(nextButton)
			got := b.playerState()
			if len(got.Steps) != 1 || got.Steps[0] != n || got.Status != fmt.Sprintf("Step %d of %d", n, total) || !got.Focus {
				b.Fatalf("Next to %d: %+v", n, got)
			}
		}
		b.click(nextButton)
		if got := b.playerState(); got.Steps[0] != total || got.End != "true" || !got.Focus {
			b.Errorf("at the end: %+v", got)
		}
	})
}

// TestStepAddress checks that #step-N in the URL shows step N, that Next updates it, and
// that Back leaves the page.
func TestStepAddress(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.load(s.page + "#step-7")
		if got := b.playerState(); len(got.Steps) != 1 || got.Steps[0] != 7 {
			b.Errorf("#step-7 on load: %+v", got)
		}
		b.run(`location.hash = "#step-3"`)
		b.until(`!document.querySelector("#step-3").hidden`)
		if got := b.playerState(); len(got.Steps) != 1 || got.Steps[0] != 3 {
			b.Errorf("#step-3 later: %+v", got)
		}
		b.load(s.page + "#step-7")
		for range 3 {
			b.click(nextButton)
		}
		if got := b.playerState(); got.Hash != "#step-10" {
			b.Errorf("Next does not update the URL: %+v", got)
		}
		b.do(chromedp.NavigateBack())
		if at := get(b, chromedp.Location()); at != "about:blank" {
			b.Errorf("Back leads to %s", at)
		}
	})
}

// TestFindInPage checks that text which the browser finds in a hidden step or a closed
// fold becomes visible.
func TestFindInPage(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		step := eval[string](b, `dom.text(document.querySelector("#step-12 > p")).split(" ").slice(0, 4).join(" ")`)
		fold := eval[string](b, `dom.text(document.querySelector(".q .because")).split(" ").slice(0, 4).join(" ")`)
		b.load(s.page + "#:~:text=" + eval[string](b, "encodeURIComponent("+jsString(step)+").replaceAll('-', '%2D')"))
		b.until(`!document.querySelector("#step-12").hidden`)
		if got := b.playerState(); len(got.Steps) != 1 || got.Steps[0] != 12 {
			b.Errorf("searching %q shows %+v", step, got)
		}
		b.load(s.page + "#:~:text=" + eval[string](b, "encodeURIComponent("+jsString(fold)+").replaceAll('-', '%2D')"))
		b.until(`document.querySelector(".q .fold").open`)
		if !eval[bool](b, `document.querySelector(".q .fold").open`) {
			b.Errorf("searching %q opens no fold", fold)
		}
	})
}

// jsString returns s as a JavaScript string literal.
func jsString(s string) string { return fmt.Sprintf("%q", s) }

// TestFirstFrame checks that a dark page is dark from its first frame, and that nothing
// is animated when the reader prefers reduced motion.
func TestFirstFrame(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		script, err := chromedp.Call(chromium.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `const note = () => document.body ? window.firstBackground = getComputedStyle(document.body).backgroundColor : requestAnimationFrame(note); requestAnimationFrame(note)`,
		})
		if err != nil {
			b.Fatal(err)
		}
		defer func() {
			_, _ = chromedp.Call(chromium.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(script))
		}()
		const dark = "rgb(19, 21, 24)"
		b.setMedia("screen", "dark", "prefers-reduced-motion", "reduce")
		b.loadFresh(s.page)
		if got := eval[string](b, "firstBackground"); got != dark {
			b.Errorf("dark by the system: the first frame is %s", got)
		}
		b.setMedia("screen", "light", "prefers-reduced-motion", "reduce")
		b.run(`localStorage.setItem("verbatim:theme", "dark")`)
		b.load(s.page)
		if got := eval[string](b, "firstBackground"); got != dark {
			b.Errorf("dark by choice: the first frame is %s", got)
		}
		if n := eval[int](b, "document.getAnimations().length"); n != 0 {
			b.Errorf("%d animations run", n)
		}
		if moving := eval[int](b, `[...document.querySelectorAll("*")].filter(e => parseFloat(getComputedStyle(e).transitionDuration) > 0).length`); moving > 0 {
			b.Errorf("%d elements have transitions", moving)
		}
		b.run("localStorage.clear()")
	})
}
