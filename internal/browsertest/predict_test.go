package browsertest

import (
	"strconv"
	"strings"
	"testing"

	"verbatim/internal/lesson"
)

// predictionState is what a page shows of a prediction.
type predictionState struct {
	Status string
	Link   string   // target of the link in the status
	Where  []string // ids of the steps that repeat the prediction
	Echoes []string // their texts
	Hidden int      // how many of them are hidden
}

func (b *tab) predictionState() predictionState {
	b.Helper()
	return eval[predictionState](b, `(() => {
		const form = document.querySelector("form.predict"), full = dom.all(".echo").filter(e => dom.text(e));
		return {
			status: dom.text(form.querySelector("[role=status]")), link: form.querySelector("[role=status] a")?.hash || "",
			where: full.map(e => e.closest(".steps > li").id), echoes: full.map(dom.text),
			hidden: full.filter(e => !dom.shown(e)).length,
		};
	})()`)
}

// predict chooses an option and locks the prediction in, by mouse.
func (b *tab) predict(letter string) {
	b.Helper()
	b.click(`form.predict .opt[data-letter="` + letter + `"] input`)
	b.click("form.predict button.main")
}

// option returns the text of an option.
func option(c *lesson.Container, letter string) string {
	for _, o := range c.Options {
		if o.Letter == letter {
			return o.Text
		}
	}
	return ""
}

// TestPrediction checks that a prediction is repeated, with the answer and the reason,
// at the step that answers it and after the last step.
func TestPrediction(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		c, last := predictionOf(s.body)
		step := c.Attr["answered-at"]
		b.loadFresh(s.page)
		if got := b.predictionState(); got.Status != "" || len(got.Where) > 0 {
			b.Errorf("before a prediction the page says %+v", got)
		}
		letter := wrongLetters(c)[0]
		b.predict(letter)
		got := b.predictionState()
		if want := "You predicted " + letter + ". Step " + step + " answers this."; got.Status != want || got.Link != "#step-"+step {
			b.Errorf("the status is %q, want %q", got.Status, want)
		}
		if want := "step-" + step + " " + last; strings.Join(got.Where, " ") != want {
			b.Fatalf("the prediction is repeated at %q, want %q", got.Where, want)
		}
		want := []string{"You predicted " + letter + ":", option(c, letter), "The answer is " + c.Key + ":", option(c, c.Key), reason(c, letter)}
		for i, echo := range got.Echoes {
			b.inOrder(got.Where[i], echo, want)
		}

		b.click("form.predict [role=status] a")
		b.until(`!document.querySelector("#step-` + step + `").hidden`)
		if got := b.predictionState(); got.Hidden != 1 {
			b.Errorf("at step %s the prediction is not shown: %+v", step, got)
		}
		b.predict(c.Key)
		for _, echo := range b.predictionState().Echoes {
			b.inOrder("after the right prediction", echo, []string{"You predicted " + c.Key + ":", option(c, c.Key), "That is right."})
			if strings.Contains(echo, "The answer is") {
				b.Errorf("a right prediction is corrected: %q", echo)
			}
		}
	})
}

// inOrder checks that a text contains all parts in their order.
func (b *tab) inOrder(where, text string, parts []string) {
	b.Helper()
	rest := squeeze(text)
	for _, w := range parts {
		_, after, ok := strings.Cut(rest, squeeze(w))
		if !ok {
			b.Errorf("%s: %q is missing or out of order in %q", where, w, text)
			return
		}
		rest = after
	}
}

// predictionOf returns the lesson's first prediction and the id of its last step.
func predictionOf(body *lesson.Body) (found *lesson.Container, last string) {
	for _, c := range body.Containers {
		if c.Kind == "predict" && found == nil {
			found = c
		}
		if c.Kind == "steps" {
			last = "step-" + strconv.Itoa(c.Steps)
		}
	}
	return found, last
}
