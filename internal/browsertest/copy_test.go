package browsertest

import (
	"slices"
	"strings"
	"testing"
)

// TestCopy checks that Copy copies what a reader would type, without the prompt, and
// that output and diagrams have no such button.
func TestCopy(t *testing.T) { forEachSite(t, checkCopy) }

func checkCopy(b *tab, s site) {
	b.loadFresh(s.page)
	b.run(`dom.openAll(); window.copied = [];
		const later = setTimeout; // else "Copied" may disappear before a slow test reads it
		window.setTimeout = (f, ms) => ms === 2000 ? 0 : later(f, ms);
		navigator.clipboard.writeText = async text => { copied.push(text) }`)
	for _, box := range []string{".bar", ".code"} {
		if !eval[bool](b, `!!document.querySelector("`+box+` .copy")`) {
			continue // the real lesson has no code of this kind
		}
		b.click(box + " .copy") // with the mouse, so that nothing may cover the button
		if status := eval[string](b, `dom.text(document.querySelector("`+box+` .copy")) + "|" + dom.text(document.querySelector("body > [role=status]"))`); status != "Copied|Copied" {
			b.Errorf("%s: button and status are %q", box, status)
		}
	}
	b.run(`copied = []; dom.all(".copy").forEach(press => press.click())`)
	copied := eval[[]string](b, "copied")
	boxes := eval[int](b, `dom.all(".bar, .box.code").filter(box => !box.parentElement.matches(".diagram")).length`)
	if len(copied) != boxes || boxes == 0 {
		b.Errorf("%d boxes of commands and code, %d texts copied", boxes, len(copied))
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
	if bars := eval[[]string](b, `dom.all(".bar code").map(c => dom.text(c).replace("$ ", ""))`); len(bars) == 0 ||
		slices.ContainsFunc(bars, func(line string) bool {
			return !slices.ContainsFunc(copied, func(c string) bool { return squeeze(c) == squeeze(line) })
		}) {
		b.Errorf("the lines to run an example are %q, copied is %q", bars, copied)
	}
	if n := eval[int](b, `dom.all(".out .copy").length`); n > 0 {
		b.Errorf("%d outputs can be copied", n)
	}
}
