package browsertest

import (
	"slices"
	"strings"
	"testing"
)

// TestCopy: Copy gives what a reader would type, without the prompt; output and
// drawings have no such button.
func TestCopy(t *testing.T) { each(t, checkCopy) }

func checkCopy(b *tab, s site) {
	b.fresh(s.page)
	b.look()
	b.run(`look.openAll(); window.copied = [];
		const later = setTimeout; // on a busy machine "Copied" may be gone before it is seen
		window.setTimeout = (f, ms) => ms === 2000 ? 0 : later(f, ms);
		navigator.clipboard.writeText = async text => { copied.push(text) }`)
	for _, box := range []string{".bar", ".code"} {
		if !eval[bool](b, `!!document.querySelector("`+box+` .copy")`) {
			continue // the real lesson has no code of its own
		}
		b.click(box + " .copy") // with the mouse, so that it is in nothing's way
		if said := eval[string](b, `look.text(document.querySelector("`+box+` .copy")) + "|" + look.text(document.querySelector("body > [role=status]"))`); said != "Copied|Copied" {
			b.Errorf("%s: the button and the status say %q", box, said)
		}
	}
	b.run(`copied = []; look.all(".copy").forEach(press => press.click())`)
	copied := eval[[]string](b, "copied")
	boxes := eval[int](b, `look.all(".bar, .box.code").filter(box => !box.parentElement.matches(".diagram")).length`)
	if len(copied) != boxes || boxes == 0 {
		b.Errorf("%d boxes of commands and code that are no drawings, %d things copied", boxes, len(copied))
	}
	for _, text := range copied {
		if strings.Contains(text, "$ ") || strings.Contains(text, "redis>") {
			b.Errorf("a prompt is copied: %q", text)
		}
	}
	for _, transcript := range s.body.Transcripts {
		var typed []string
		for _, c := range transcript.Commands {
			typed = append(typed, c.Text)
		}
		if want := strings.Join(typed, "\n"); !slices.Contains(copied, want) {
			b.Errorf("nothing copies %q: %q", want, copied)
		}
	}
	if bars := eval[[]string](b, `look.all(".bar code").map(c => look.text(c).replace("$ ", ""))`); len(bars) == 0 ||
		slices.ContainsFunc(bars, func(line string) bool {
			return !slices.ContainsFunc(copied, func(c string) bool { return squeeze(c) == squeeze(line) })
		}) {
		b.Errorf("the lines to run an example are %q, copied is %q", bars, copied)
	}
	if n := eval[int](b, `look.all(".out .copy").length`); n > 0 {
		b.Errorf("%d outputs can be copied", n)
	}
}
