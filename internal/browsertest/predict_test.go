package browsertest

import (
	"strconv"
	"strings"
	"testing"

	"verbatim/internal/lesson"
)

// foretold is what a page says of a prediction.
type foretold struct {
	Status string
	Link   string   // where the status leads
	Where  []string // ids of the steps that repeat the prediction
	Echoes []string // their words
	Hidden int      // steps that repeat it and are not shown
}

func (b *tab) foretold() foretold {
	b.Helper()
	return eval[foretold](b, `(() => {
		const form = document.querySelector("form.predict"), full = look.all(".echo").filter(e => look.text(e));
		return {
			status: look.text(form.querySelector("[role=status]")), link: form.querySelector("[role=status] a")?.hash || "",
			where: full.map(e => e.closest(".steps > li").id), echoes: full.map(look.text),
			hidden: full.filter(e => !look.shown(e)).length,
		};
	})()`)
}

// predict locks a prediction in, with the mouse.
func (b *tab) predict(letter string) {
	b.Helper()
	b.click(`form.predict .opt[data-letter="` + letter + `"] input`)
	b.click("form.predict button.main")
}

func option(c *lesson.Container, letter string) string {
	for _, o := range c.Options {
		if o.Letter == letter {
			return o.Text
		}
	}
	return ""
}

// TestPrediction: a prediction gates nothing; it is repeated at the step that
// answers it and after the last one, beside the answer and the reason.
func TestPrediction(t *testing.T) {
	each(t, func(b *tab, s site) {
		c, last := prediction(s.body)
		step := c.Attr["answered-at"]
		b.fresh(s.page)
		b.look()
		if got := b.foretold(); got.Status != "" || len(got.Where) > 0 {
			b.Errorf("before a prediction the page says %+v", got)
		}
		letter := wrong(c)[0]
		b.predict(letter)
		got := b.foretold()
		if want := "You predicted " + letter + ". Step " + step + " answers this."; got.Status != want || got.Link != "#step-"+step {
			b.Errorf("the status says %q, want %q", got.Status, want)
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
		if got := b.foretold(); got.Hidden != 1 {
			b.Errorf("at step %s the prediction is not shown: %+v", step, got)
		}
		b.predict(c.Key)
		for _, echo := range b.foretold().Echoes {
			b.inOrder("after the right prediction", echo, []string{"You predicted " + c.Key + ":", option(c, c.Key), "That is right."})
			if strings.Contains(echo, "The answer is") {
				b.Errorf("a right prediction is corrected: %q", echo)
			}
		}
	})
}

// inOrder compares words, each of which comes after the one before it.
func (b *tab) inOrder(where, text string, words []string) {
	b.Helper()
	rest := squeeze(text)
	for _, w := range words {
		_, after, ok := strings.Cut(rest, squeeze(w))
		if !ok {
			b.Errorf("%s: %q is not in its turn in %q", where, w, text)
			return
		}
		rest = after
	}
}

// prediction gives the lesson's prediction, and the id of its last step.
func prediction(body *lesson.Body) (found *lesson.Container, last string) {
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
