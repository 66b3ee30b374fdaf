package browsertest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
)

// lessons gives every lesson of this repository.
func lessons(t *testing.T) (all []site) {
	t.Helper()
	book, _, err := load.Site(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range book.Lessons {
		if l.ID != "index" {
			all = append(all, site{name: l.ID, dir: public(t), page: l.ID + ".html", body: &l.Body})
		}
	}
	if len(all) < 3 {
		t.Fatalf("the course has %d lessons only", len(all))
	}
	return all
}

// TestEveryLesson uses what each lesson has, as its readers would. The other
// tests look closer, at two lessons.
func TestEveryLesson(t *testing.T) {
	checks := []struct {
		what string
		ok   func(b *tab, s site)
	}{
		{"it fits", fits},
		{"folds open and close", folds},
		{"predictions lock", locks},
		{"questions answer", answers},
		{"commands are copied", checkCopy},
		{"the theme turns", turns},
		{"paper has it all", checkPrint},
	}
	for _, s := range lessons(t) {
		t.Run(s.name, func(t *testing.T) {
			base := serve(t, s.dir)
			open(t, base).forget()
			for _, c := range checks {
				t.Run(c.what, func(t *testing.T) { c.ok(open(t, base), s) })
			}
			b := open(t, base)
			faults, requests := b.noticed()
			// A browser asks by itself for an icon, which no page names.
			faults = slices.DeleteFunc(faults, func(f string) bool { return strings.HasSuffix(f, "/favicon.ico") })
			if len(faults) > 0 {
				t.Errorf("faults: %q", faults)
			}
			away := slices.DeleteFunc(requests, func(r string) bool { return strings.HasPrefix(r, base) || r == "about:blank" })
			if len(away) > 0 {
				t.Errorf("requests to someone else: %q", away)
			}
		})
	}
}

// fits: whatever is open, no page is wider than its screen, and what scrolls
// in it is a stop of the keyboard with a name.
func fits(b *tab, s site) {
	b.fresh(s.page)
	b.look()
	b.run(`look.openAll(); document.querySelector(".ctl .link")?.click()`)
	for _, width := range []int64{320, 390, 768, 1280} {
		b.size(width, 800)
		b.until(fmt.Sprintf("innerWidth === %d && !look.unnamed().length", width)) // an observer tells later what scrolls
		if over := eval[[]string](b, "look.beyond()"); len(over) > 0 {
			b.Errorf("at %d px the page is too wide: %q", width, over)
		}
		if unnamed := eval[[]string](b, "look.unnamed()"); len(unnamed) > 0 {
			b.Errorf("at %d px keys cannot scroll %q", width, unnamed)
		}
		if small := eval[[]string](b, "look.small()"); len(small) > 0 {
			b.Errorf("at %d px too small: %q", width, small)
		}
	}
}

// folds: every summary opens what it belongs to, and closes it again.
func folds(b *tab, s site) {
	b.fresh(s.page)
	b.look()
	if stuck := eval[[]string](b, `look.all("main details").flatMap(d => {
		const states = [0, 1].map(() => (d.querySelector("summary").click(), d.open));
		return String(states) === "true,false" ? [] : [states + " " + look.describe(d)];
	})`); len(stuck) > 0 {
		b.Errorf("folds that do not open and close: %q", stuck)
	}
	inside := eval[int](b, `look.all("main details").length`)
	wanted := 0
	for _, c := range s.body.Containers {
		if c.Key != "" {
			wanted++
		}
	}
	if inside < wanted {
		b.Errorf("%d folds for %d answers", inside, wanted)
	}
}

// locks: a prediction says what was chosen, and the step that answers it does.
func locks(b *tab, s site) {
	b.fresh(s.page)
	b.look()
	for _, c := range s.body.Containers {
		if c.Kind != "predict" || c.Key == "" {
			continue
		}
		letter := wrong(c)[0]
		b.predict(letter)
		got := b.foretold()
		if !strings.HasPrefix(got.Status, "You predicted "+letter+".") {
			b.Errorf("%s says %q", c.Pos, got.Status)
		}
		want := []string{"You predicted " + letter + ":", option(c, letter), "The answer is " + c.Key + ":", option(c, c.Key), reason(c, letter)}
		for i, echo := range got.Echoes {
			b.inOrder(got.Where[i], echo, want)
		}
		if c.Attr["answered-at"] != "" && (len(got.Where) == 0 || got.Where[0] != "step-"+c.Attr["answered-at"]) {
			b.Errorf("%s is repeated at %q", c.Pos, got.Where)
		}
	}
}

// heard is what a question says when it is used: Check without a choice, each
// wrong option, and the right one.
type heard struct {
	Empty string
	Wrong []string
	Right string
}

// answers: every option of every question gets its own reason, and the right
// one the explanation.
func answers(b *tab, s site) {
	b.fresh(s.page)
	b.look()
	asked := questions(s.body)
	type question struct {
		ID, Key string
		Wrong   []string
	}
	var list []question
	for _, q := range asked {
		list = append(list, question{q.ID, q.Key, wrong(q)})
	}
	data, err := json.Marshal(list)
	if err != nil {
		b.Fatal(err)
	}
	for i, got := range eval[[]heard](b, "look.ask("+string(data)+")") {
		b.heardRight(asked[i], got)
	}
}

func (b *tab) heardRight(q *lesson.Container, got heard) {
	b.Helper()
	if got.Empty != "Choose an option first." {
		b.Errorf("%s: Check without a choice says %q", q.Pos, got.Empty)
	}
	for i, letter := range wrong(q) {
		said, why := got.Wrong[i], reason(q, letter)
		if why == "" || !strings.HasPrefix(said, "Not right. You chose "+letter+".") || !tells(said, why) {
			b.Errorf("%s: %s says %q", q.Pos, letter, got.Wrong[i])
		}
	}
	if !strings.HasPrefix(got.Right, "Right. You chose "+q.Key+".") || !tells(got.Right, q.Answer) {
		b.Errorf("%s: the right answer says %q, want %q", q.Pos, got.Right, q.Answer)
	}
}

// recordedValue is a place for a value, which only the built page knows.
var recordedValue = regexp.MustCompile(`\{\{.*?\}\}`)

// tells says whether a page said what an author wrote.
func tells(said, written string) bool {
	rest := squeeze(said)
	for _, part := range recordedValue.Split(written, -1) {
		_, after, ok := strings.Cut(rest, squeeze(part))
		if !ok {
			return false
		}
		rest = after
	}
	return true
}

// turns: the button turns the page dark and light again.
func turns(b *tab, s site) {
	b.fresh(s.page)
	const ground = `getComputedStyle(document.body).backgroundColor`
	light := eval[string](b, ground)
	b.click(".top button")
	b.until(ground + ` !== ` + quoted(light))
	dark := eval[string](b, ground)
	b.click(".top button")
	b.until(ground + ` === ` + quoted(light))
	if back := eval[string](b, ground); dark == light || back != light {
		b.Errorf("the ground is %s, after a press %s, after another %s", light, dark, back)
	}
}
