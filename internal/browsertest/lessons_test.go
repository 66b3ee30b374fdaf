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

// lessons returns every lesson of this repository.
func lessons(t *testing.T) (all []site) {
	t.Helper()
	book, _, err := load.Site(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range book.Lessons {
		if l.ID != "index" {
			all = append(all, site{name: l.ID, dir: publicDir(t), page: l.ID + ".html", body: &l.Body})
		}
	}
	if len(all) < 3 {
		t.Fatalf("the course has %d lessons only", len(all))
	}
	return all
}

// TestEveryLesson runs checks on every lesson. The other tests check more, but only two
// lessons.
func TestEveryLesson(t *testing.T) {
	checks := []struct {
		what string
		run  func(b *tab, s site)
	}{
		{"it fits", checkWidth},
		{"folds open and close", checkFolds},
		{"predictions lock", checkPredictions},
		{"questions answer", checkQuestions},
		{"commands are copied", checkCopy},
		{"the theme button works", checkThemeButton},
		{"print is complete", checkPrint},
	}
	for _, s := range lessons(t) {
		t.Run(s.name, func(t *testing.T) {
			base := serve(t, s.dir)
			openTab(t, base).clearRecorded()
			for _, c := range checks {
				t.Run(c.what, func(t *testing.T) { c.run(openTab(t, base), s) })
			}
			b := openTab(t, base)
			errs, requests := b.recorded()
			// The browser requests the icon, not the page.
			errs = slices.DeleteFunc(errs, func(f string) bool { return strings.HasSuffix(f, "/favicon.ico") })
			if len(errs) > 0 {
				t.Errorf("errors in the browser: %q", errs)
			}
			away := slices.DeleteFunc(requests, func(r string) bool { return strings.HasPrefix(r, base) || r == "about:blank" })
			if len(away) > 0 {
				t.Errorf("requests to another server: %q", away)
			}
		})
	}
}

// checkWidth checks that the page is not wider than the window, also with all folds
// open, and that scrollable boxes have keyboard focus and a name.
func checkWidth(b *tab, s site) {
	b.loadFresh(s.page)
	b.run(`dom.openAll(); document.querySelector(".ctl .link")?.click()`)
	for _, width := range []int64{320, 390, 768, 1280} {
		b.setSize(width, 800)
		b.until(fmt.Sprintf("innerWidth === %d && !dom.notKeyboardScrollable().length", width)) // an observer sets it later
		if over := eval[[]string](b, "dom.tooWide()"); len(over) > 0 {
			b.Errorf("at %d px the page is too wide: %q", width, over)
		}
		if unnamed := eval[[]string](b, "dom.notKeyboardScrollable()"); len(unnamed) > 0 {
			b.Errorf("at %d px the keyboard cannot scroll %q", width, unnamed)
		}
		if small := eval[[]string](b, "dom.smallTargets()"); len(small) > 0 {
			b.Errorf("at %d px too small: %q", width, small)
		}
	}
}

// checkFolds checks that every summary opens and closes its fold.
func checkFolds(b *tab, s site) {
	b.loadFresh(s.page)
	if stuck := eval[[]string](b, `dom.all("main details").flatMap(d => {
		const states = [0, 1].map(() => (d.querySelector("summary").click(), d.open));
		return String(states) === "true,false" ? [] : [states + " " + dom.describe(d)];
	})`); len(stuck) > 0 {
		b.Errorf("folds that do not open and close: %q", stuck)
	}
	inside := eval[int](b, `dom.all("main details").length`)
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

// checkPredictions checks that a prediction states what was chosen, and that the step
// that answers it repeats it.
func checkPredictions(b *tab, s site) {
	b.loadFresh(s.page)
	for _, c := range s.body.Containers {
		if c.Kind != "predict" || c.Key == "" {
			continue
		}
		letter := wrongLetters(c)[0]
		b.predict(letter)
		got := b.predictionState()
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

// messages are the messages of a question: for Check without a choice, for each wrong
// option, and for the right one.
type messages struct {
	Empty string
	Wrong []string
	Right string
}

// checkQuestions checks that every wrong option shows its own reason, and the right one
// the explanation.
func checkQuestions(b *tab, s site) {
	b.loadFresh(s.page)
	asked := questionsOf(s.body)
	type question struct {
		ID, Key string
		Wrong   []string
	}
	var list []question
	for _, q := range asked {
		list = append(list, question{q.ID, q.Key, wrongLetters(q)})
	}
	data, err := json.Marshal(list)
	if err != nil {
		b.Fatal(err)
	}
	for i, got := range eval[[]messages](b, "dom.tryQuestions("+string(data)+")") {
		b.checkMessages(asked[i], got)
	}
}

// checkMessages compares the messages of one question with the author's text.
func (b *tab) checkMessages(q *lesson.Container, got messages) {
	b.Helper()
	if got.Empty != "Choose an option first." {
		b.Errorf("%s: Check without a choice says %q", q.Pos, got.Empty)
	}
	for i, letter := range wrongLetters(q) {
		message, why := got.Wrong[i], reason(q, letter)
		if why == "" || !strings.HasPrefix(message, "Not right. You chose "+letter+".") || !containsAuthorText(message, why) {
			b.Errorf("%s: %s says %q", q.Pos, letter, got.Wrong[i])
		}
	}
	if !strings.HasPrefix(got.Right, "Right. You chose "+q.Key+".") || !containsAuthorText(got.Right, q.Answer) {
		b.Errorf("%s: the right answer says %q, want %q", q.Pos, got.Right, q.Answer)
	}
}

// recordedValue matches a placeholder, which only the built page replaces by a value.
var recordedValue = regexp.MustCompile(`\{\{.*?\}\}`)

// containsAuthorText reports whether a text of the page contains what the author wrote.
func containsAuthorText(text, written string) bool {
	rest := squeeze(text)
	for _, part := range recordedValue.Split(written, -1) {
		_, after, ok := strings.Cut(rest, squeeze(part))
		if !ok {
			return false
		}
		rest = after
	}
	return true
}

// checkThemeButton checks that the button makes the page dark and light again.
func checkThemeButton(b *tab, s site) {
	b.loadFresh(s.page)
	const background = `getComputedStyle(document.body).backgroundColor`
	light := eval[string](b, background)
	b.click(".top button")
	b.until(background + ` !== ` + jsString(light))
	dark := eval[string](b, background)
	b.click(".top button")
	b.until(background + ` === ` + jsString(light))
	if back := eval[string](b, background); dark == light || back != light {
		b.Errorf("the background is %s, after a click %s, after another %s", light, dark, back)
	}
}
