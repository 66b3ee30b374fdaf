package browsertest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"verbatim/internal/lesson"
)

// questionsOf returns the questions of a lesson that have options.
func questionsOf(body *lesson.Body) (all []*lesson.Container) {
	for _, c := range body.Containers {
		if c.Kind == "question" && c.Key != "" {
			all = append(all, c)
		}
	}
	return all
}

// wrongLetters returns the letters of the wrong options.
func wrongLetters(c *lesson.Container) (letters []string) {
	for _, o := range c.Options {
		if o.Letter != c.Key {
			letters = append(letters, o.Letter)
		}
	}
	return letters
}

// reason returns the reason why an option is wrong.
func reason(c *lesson.Container, letter string) string {
	for _, o := range c.Options {
		if o.Letter == letter {
			return o.Reason
		}
	}
	return ""
}

// choose chooses an option of a question and clicks Check, by mouse.
func (b *tab) choose(id, letter string) {
	b.Helper()
	b.click("#" + id + ` .opt[data-letter="` + letter + `"] input`)
	b.click("#" + id + " button.main")
}

// questionState is what a question shows.
type questionState struct {
	Status string
	Key    bool   // the right option is marked
	Open   bool   // the fold is open
	Focus  string // tag and value of the focused element
	Order  string // the letters of the options as they are shown
	Button string // the label of the button
}

func (b *tab) questionState(id string) questionState {
	b.Helper()
	return eval[questionState](b, `(() => {
		const form = document.getElementById("`+id+`");
		return {
			status: dom.text(form.querySelector("[role=status]")),
			key: !!form.querySelector(".opt.key"), open: form.querySelector(".fold").open,
			focus: document.activeElement.tagName + (document.activeElement.value || ""),
			order: dom.all(".opt > b", form).map(dom.text).join(""),
			button: dom.text(form.querySelector("button.main")),
		};
	})()`)
}

// TestQuiz checks the messages and the focus of a question: without a choice, after a
// wrong choice, after a second one, and after the right one.
func TestQuiz(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		asked := questionsOf(s.body)
		first, second := asked[0], asked[1]

		b.click("#" + first.ID + " button.main")
		got := b.questionState(first.ID)
		if got.Status != "Choose an option first." || got.Focus != "INPUTA" || got.Key || got.Open {
			b.Errorf("Check without a choice: %+v", got)
		}

		letters := wrongLetters(first)
		b.choose(first.ID, letters[0])
		got = b.questionState(first.ID)
		why := reason(first, letters[0])
		if !strings.HasPrefix(got.Status, "Not right. You chose "+letters[0]+".") || strings.Count(squeeze(got.Status), squeeze(why)) != 1 {
			b.Errorf("the status after a wrong choice is %q", got.Status)
		}
		if got.Key || got.Open || got.Focus != "BUTTON" || got.Button != "Try again" {
			b.Errorf("a wrong choice shows too much or loses the focus: %+v", got)
		}
		order := got.Order

		b.choose(first.ID, letters[1])
		got = b.questionState(first.ID)
		if !strings.Contains(got.Status, "The answer is "+first.Key+".") || !got.Key || !got.Open || got.Focus != "BUTTON" || got.Order != order {
			b.Errorf("after a second wrong choice: %+v", got)
		}

		b.choose(second.ID, second.Key)
		got = b.questionState(second.ID)
		if !strings.HasPrefix(got.Status, "Right. You chose "+second.Key+".") || !strings.Contains(squeeze(got.Status), squeeze(second.Answer)) || !got.Key {
			b.Errorf("after the right choice: %+v", got)
		}
		if marked := eval[string](b, `dom.text(document.querySelector("#`+second.ID+` .key .tag"))`); !strings.Contains(marked, "Right answer") {
			b.Errorf("the right option is marked with %q", marked)
		}
	})
}

// TestShowAnswer checks that opening the fold shows the answer.
func TestShowAnswer(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		asked := questionsOf(s.body)[2]
		b.click("#" + asked.ID + " summary")
		b.until(`dom.text(document.querySelector("#` + asked.ID + ` [role=status]"))`)
		got := b.questionState(asked.ID)
		if got.Status != "The answer is "+asked.Key+"." || !got.Key || !got.Open || got.Focus == "BODY" {
			b.Errorf("Show answer: %+v", got)
		}
	})
}

// answerAll is an expression that answers everything on a page and returns all its
// messages.
const answerAll = `(async () => {
	const press = e => e.click();
	const predict = dom.all("form.predict")[0];
	press(dom.all("input", predict)[0]);
	press(predict.querySelector("button.main"));
	for (let i = 0; i < 3; i++) press(dom.all(".ctl button").find(b => /Next/.test(b.textContent)));
	for (const form of dom.all("form.q[data-key]")) {
		press(dom.all("input", form)[0]);
		press(form.querySelector("button.main"));
	}
	await new Promise(r => setTimeout(r, 100));
	return dom.all("[role=status], .echo").map(dom.text).join("\n") + location.hash + dom.all(".steps > li").filter(s => !s.hidden).length;
})()`

// TestTranslated checks that a page works after a translation service has wrapped every
// text in an element.
func TestTranslated(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.loadFresh(s.page)
		want := eval[string](b, answerAll)
		b.loadFresh(s.page)
		b.clearRecorded()
		b.run(`const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
			while (walker.nextNode()) if (dom.clean(walker.currentNode.data)) texts.push(walker.currentNode);
			for (const text of texts) {
				const font = document.createElement("font");
				text.replaceWith(font);
				font.append(text);
			}`)
		if got := eval[string](b, answerAll); got != want {
			b.Errorf("after translation: %s", firstDifference(got, want))
		}
		if errs, _ := b.recorded(); len(errs) > 0 {
			b.Errorf("errors in the browser: %q", errs)
		}
	})
}

// TestBlockedStorage checks that questions work when local storage is blocked.
func TestBlockedStorage(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		script, err := chromedp.Call(chromium.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: `Object.defineProperty(window, "localStorage", {get() { throw new DOMException("blocked", "SecurityError") }})`,
		})
		if err != nil {
			b.Fatal(err)
		}
		defer func() {
			_, _ = chromedp.Call(chromium.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(script))
		}()
		b.load(s.page)
		asked := questionsOf(s.body)[0]
		b.choose(asked.ID, asked.Key)
		if got := b.questionState(asked.ID); !got.Key {
			b.Errorf("without storage a question does not work: %+v", got)
		}
		b.click(".memory button")
		if got := eval[string](b, `dom.text(document.querySelector(".memory > p:last-child"))`); !strings.Contains(got, "cannot be remembered") {
			b.Errorf("after Remember the page shows %q", got)
		}
	})
}

// serveEditable serves a site. While *edited is true, the first question of the lesson
// has another hash, as if its author had changed it.
func serveEditable(t *testing.T, s site, first string, edited *bool) *httptest.Server {
	hash := regexp.MustCompile(`(id="` + first + `" data-n="1" data-key="."\s+data-hash=")[0-9a-f]+`)
	files := http.FileServer(http.Dir(s.dir))
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if !*edited || r.URL.Path != "/"+s.page {
			files.ServeHTTP(w, r)
			return
		}
		data, err := os.ReadFile(filepath.Join(s.dir, s.page))
		changed := hash.ReplaceAll(data, []byte("${1}00000000"))
		if err != nil || bytes.Equal(data, changed) {
			t.Errorf("nothing to edit: %v", err)
		}
		_, _ = w.Write(changed)
	}))
}

// TestRememberedAnswers checks that answers are restored, except for a question that was
// changed, and that Reset removes all stored data.
func TestRememberedAnswers(t *testing.T) {
	for _, s := range sites(t) {
		t.Run(s.name, func(t *testing.T) {
			asked := questionsOf(s.body)
			first, second := asked[0], asked[1]
			edited := false
			server := serveEditable(t, s, first.ID, &edited)
			defer server.Close()
			b := openTab(t, server.URL)
			b.loadFresh(s.page)
			b.choose(first.ID, wrongLetters(first)[0])
			if n := eval[int](b, "Object.keys(localStorage).length"); n != 0 {
				b.Errorf("%d keys are stored before the reader chose Remember", n)
			}
			b.click(".memory button")
			b.choose(second.ID, second.Key)

			b.load(s.page)
			if got := b.questionState(first.ID); !strings.HasPrefix(got.Status, "Not right.") || got.Key {
				b.Errorf("the first answer was not restored: %+v", got)
			}
			if got := b.questionState(second.ID); !got.Key {
				b.Errorf("the second answer was not restored: %+v", got)
			}

			b.load("index.html")
			if got := eval[string](b, `dom.text(document.querySelector("[data-lesson=`+strings.TrimSuffix(s.page, ".html")+`]"))`); !strings.Contains(got, "answers kept on this device") {
				b.Errorf("the home page does not say that answers are kept: %q", got)
			}

			edited = true
			b.load(s.page)
			if got := b.questionState(first.ID); got.Status != "" {
				b.Errorf("the answer of the changed question was restored: %+v", got)
			}
			if got := b.questionState(second.ID); !got.Key {
				b.Errorf("the answer of the other question was not restored: %+v", got)
			}

			b.click(".memory .link")
			if n := eval[int](b, "Object.keys(localStorage).length"); n != 0 {
				b.Errorf("Reset leaves %d keys", n)
			}
			if got := b.questionState(second.ID); got.Status != "" || got.Key {
				b.Errorf("Reset leaves an answer: %+v", got)
			}
		})
	}
}
