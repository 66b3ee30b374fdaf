package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// tallyState is the summary below the last question.
type tallyState struct {
	Text  string
	Links []string // ids of the questions that it links to
	Dead  int      // number of links without a target
}

func (b *tab) tallyState() tallyState {
	b.Helper()
	return eval[tallyState](b, `(() => {
		const p = document.querySelector(".tally"), links = dom.all("a", p);
		return {text: dom.text(p), links: links.map(a => a.hash.slice(1)), dead: links.filter(a => !document.getElementById(a.hash.slice(1))).length};
	})()`)
}

// TestTally checks that after the last question, and not before, the page shows how many
// first tries were right and links to the other questions.
func TestTally(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		asked := questionsOf(s.body)
		var ids, numbers []string
		for i, q := range asked {
			if got := b.tallyState(); got.Text != "" {
				b.Fatalf("before question %d the tally is %+v", i+1, got)
			}
			letter := q.Key
			if i == 1 || i == 3 {
				letter = wrongLetters(q)[0]
				ids, numbers = append(ids, q.ID), append(numbers, fmt.Sprintf("question %d", i+1))
			}
			b.chooseByScript(q.ID, letter)
		}
		want := fmt.Sprintf("%d of %d on the first try. Look again at %s", len(asked)-2, len(asked), strings.Join(numbers, ", "))
		if got := b.tallyState(); got.Text != want || strings.Join(got.Links, " ") != strings.Join(ids, " ") || got.Dead > 0 {
			b.Errorf("the tally is %+v, want %q, %q", got, want, ids)
		}
		b.chooseByScript(asked[1].ID, asked[1].Key) // right, but not the first try
		if got := b.tallyState(); got.Text != want {
			b.Errorf("after a second try the tally is %+v, want %q", got, want)
		}
	})
}

// chooseByScript is choose without the mouse. It is faster, for many questions.
func (b *tab) chooseByScript(id, letter string) {
	b.Helper()
	b.run(fmt.Sprintf(`const form = document.getElementById(%q); form.querySelector('.opt[data-letter=%s] input').click(); form.querySelector("button.main").click()`, id, letter))
}
