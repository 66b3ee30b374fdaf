package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

const nextButton = ".ctl button.main"

// playing is what the step player shows.
type playing struct {
	Steps  []int // those that are shown, from 1
	Status string
	End    string // whether Next is disabled
	Focus  bool   // on Next
	Hash   string
}

func (b *tab) playing() playing {
	b.Helper()
	return eval[playing](b, `({
		steps: look.all(".steps > li").flatMap((li, i) => li.hidden ? [] : [i + 1]),
		status: look.text(document.querySelector(".now [role=status]")),
		end: document.querySelector(".ctl button.main").getAttribute("aria-disabled"),
		focus: document.activeElement === document.querySelector(".ctl button.main"), hash: location.hash,
	})`)
}

// TestPlayer is check 14.
func TestPlayer(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.fresh(s.page)
		b.look()
		total := eval[int](b, `look.all(".steps > li").length`)
		for n := 2; n <= total; n++ {
			b.click(nextButton)
			got := b.playing()
			if len(got.Steps) != 1 || got.Steps[0] != n || got.Status != fmt.Sprintf("Step %d of %d", n, total) || !got.Focus {
				b.Fatalf("Next to %d: %+v", n, got)
			}
		}
		b.click(nextButton)
		if got := b.playing(); got.Steps[0] != total || got.End != "true" || !got.Focus {
			b.Errorf("at the end: %+v", got)
		}
	})
}

// TestStepAddress is check 15.
func TestStepAddress(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.load(s.page + "#step-7")
		b.look()
		if got := b.playing(); len(got.Steps) != 1 || got.Steps[0] != 7 {
			b.Errorf("#step-7 on load: %+v", got)
		}
		b.run(`location.hash = "#step-3"`)
		b.until(`!document.querySelector("#step-3").hidden`)
		if got := b.playing(); len(got.Steps) != 1 || got.Steps[0] != 3 {
			b.Errorf("#step-3 later: %+v", got)
		}
		b.load(s.page + "#step-7")
		b.look()
		for range 3 {
			b.click(nextButton)
		}
		if got := b.playing(); got.Hash != "#step-10" {
			b.Errorf("the address does not follow: %+v", got)
		}
		b.do(chromedp.NavigateBack())
		if at := get(b, chromedp.Location()); at != "about:blank" {
			b.Errorf("Back leads to %s", at)
		}
	})
}

// TestFound is check 17: what a browser finds in a hidden step or a closed fold
// is shown.
func TestFound(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.fresh(s.page)
		b.look()
		step := eval[string](b, `look.text(document.querySelector("#step-12 > p")).split(" ").slice(0, 4).join(" ")`)
		fold := eval[string](b, `look.text(document.querySelector(".q .because")).split(" ").slice(0, 4).join(" ")`)
		b.load(s.page + "#:~:text=" + eval[string](b, "encodeURIComponent("+quoted(step)+").replaceAll('-', '%2D')"))
		b.look()
		b.until(`!document.querySelector("#step-12").hidden`)
		if got := b.playing(); len(got.Steps) != 1 || got.Steps[0] != 12 {
			b.Errorf("looking for %q shows %+v", step, got)
		}
		b.load(s.page + "#:~:text=" + eval[string](b, "encodeURIComponent("+quoted(fold)+").replaceAll('-', '%2D')"))
		b.look()
		b.until(`document.querySelector(".q .fold").open`)
		if !eval[bool](b, `document.querySelector(".q .fold").open`) {
			b.Errorf("looking for %q opens no fold", fold)
		}
	})
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

// TestFirstFrame is check 23: a dark page is dark from the first frame on, and
// nothing moves.
func TestFirstFrame(t *testing.T) {
	each(t, func(b *tab, s site) {
		script, err := chromedp.Call(chromium.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `const note = () => document.body ? window.firstGround = getComputedStyle(document.body).backgroundColor : requestAnimationFrame(note); requestAnimationFrame(note)`,
		})
		if err != nil {
			b.Fatal(err)
		}
		defer func() {
			_, _ = chromedp.Call(chromium.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(script))
		}()
		const dark = "rgb(19, 21, 24)"
		b.media("screen", "dark", "prefers-reduced-motion", "reduce")
		b.fresh(s.page)
		if got := eval[string](b, "firstGround"); got != dark {
			b.Errorf("dark by the system: the first frame is %s", got)
		}
		b.media("screen", "light", "prefers-reduced-motion", "reduce")
		b.run(`localStorage.setItem("verbatim:theme", "dark")`)
		b.load(s.page)
		if got := eval[string](b, "firstGround"); got != dark {
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
