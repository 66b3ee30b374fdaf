package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// tally is what stands below the last question.
type tally struct {
	Text  string
	Links []string // the questions it leads to
	Dead  int      // links that lead to nothing
}

func (b *tab) tally() tally {
	b.Helper()
	return eval[tally](b, `(() => {
		const p = document.querySelector(".tally"), links = look.all("a", p);
		return {text: look.text(p), links: links.map(a => a.hash.slice(1)), dead: links.filter(a => !document.getElementById(a.hash.slice(1))).length};
	})()`)
}

// TestTally: after the last question, and not before, the page says how many
// first tries were right and leads to the others.
func TestTally(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.fresh(s.page)
		b.look()
		asked := questions(s.body)
		var ids, numbers []string
		for i, q := range asked {
			if got := b.tally(); got.Text != "" {
				b.Fatalf("before question %d it says %+v", i+1, got)
			}
			letter := q.Key
			if i == 1 || i == 3 {
				letter = wrong(q)[0]
				ids, numbers = append(ids, q.ID), append(numbers, fmt.Sprintf("question %d", i+1))
			}
			b.tryOnce(q.ID, letter)
		}
		want := fmt.Sprintf("%d of %d on the first try. Look again at %s", len(asked)-2, len(asked), strings.Join(numbers, ", "))
		if got := b.tally(); got.Text != want || strings.Join(got.Links, " ") != strings.Join(ids, " ") || got.Dead > 0 {
			b.Errorf("it says %+v, want %q, %q", got, want, ids)
		}
		b.tryOnce(asked[1].ID, asked[1].Key) // right, but no first try
		if got := b.tally(); got.Text != want {
			b.Errorf("after a second try it says %+v, want %q", got, want)
		}
	})
}

// tryOnce is choose without a mouse, for many questions.
func (b *tab) tryOnce(id, letter string) {
	b.Helper()
	b.run(fmt.Sprintf(`const form = document.getElementById(%q); form.querySelector('.opt[data-letter=%s] input').click(); form.querySelector("button.main").click()`, id, letter))
}
