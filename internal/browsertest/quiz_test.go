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

// questions gives the questions of a lesson that have options.
func questions(body *lesson.Body) (all []*lesson.Container) {
	for _, c := range body.Containers {
		if c.Kind == "question" && c.Key != "" {
			all = append(all, c)
		}
	}
	return all
}

// wrong gives the letters of the wrong options.
func wrong(c *lesson.Container) (letters []string) {
	for _, o := range c.Options {
		if o.Letter != c.Key {
			letters = append(letters, o.Letter)
		}
	}
	return letters
}

func reason(c *lesson.Container, letter string) string {
	for _, o := range c.Options {
		if o.Letter == letter {
			return o.Reason
		}
	}
	return ""
}

// choose picks an option of a question with the mouse and presses Check.
func (b *tab) choose(id, letter string) {
	b.Helper()
	b.click("#" + id + ` .opt[data-letter="` + letter + `"] input`)
	b.click("#" + id + " button.main")
}

// answered is what a question shows.
type answered struct {
	Status string // what the status says
	Key    bool   // the right option is marked
	Open   bool   // the fold is open
	Focus  string // where the focus is
	Order  string // the letters of the options
	Button string
}

func (b *tab) answered(id string) answered {
	b.Helper()
	return eval[answered](b, `(() => {
		const form = document.getElementById("`+id+`");
		return {
			status: look.text(form.querySelector("[role=status]")),
			key: !!form.querySelector(".opt.key"), open: form.querySelector(".fold").open,
			focus: document.activeElement.tagName + (document.activeElement.value || ""),
			order: look.all(".opt > b", form).map(look.text).join(""),
			button: look.text(form.querySelector("button.main")),
		};
	})()`)
}

// TestQuiz is checks 7 to 10.
func TestQuiz(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.fresh(s.page)
		b.look()
		asked := questions(s.body)
		first, second := asked[0], asked[1]

		b.click("#" + first.ID + " button.main")
		got := b.answered(first.ID)
		if got.Status != "Choose an option first." || got.Focus != "INPUTA" || got.Key || got.Open {
			b.Errorf("check without a choice: %+v", got)
		}

		letters := wrong(first)
		b.choose(first.ID, letters[0])
		got = b.answered(first.ID)
		why := reason(first, letters[0])
		if !strings.HasPrefix(got.Status, "Not right. You chose "+letters[0]+".") || strings.Count(squeeze(got.Status), squeeze(why)) != 1 {
			b.Errorf("a wrong choice says %q", got.Status)
		}
		if got.Key || got.Open || got.Focus != "BUTTON" || got.Button != "Try again" {
			b.Errorf("a wrong choice shows too much or loses the focus: %+v", got)
		}
		order := got.Order

		b.choose(first.ID, letters[1])
		got = b.answered(first.ID)
		if !strings.Contains(got.Status, "The answer is "+first.Key+".") || !got.Key || !got.Open || got.Focus != "BUTTON" || got.Order != order {
			b.Errorf("a second miss: %+v", got)
		}

		b.choose(second.ID, second.Key)
		got = b.answered(second.ID)
		if !strings.HasPrefix(got.Status, "Right. You chose "+second.Key+".") || !strings.Contains(squeeze(got.Status), squeeze(second.Answer)) || !got.Key {
			b.Errorf("a right choice: %+v", got)
		}
		if marked := eval[string](b, `look.text(document.querySelector("#`+second.ID+` .key .tag"))`); !strings.Contains(marked, "Right answer") {
			b.Errorf("the right option is marked with %q", marked)
		}
	})
}

// TestShowAnswer is the other half of check 9.
func TestShowAnswer(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.fresh(s.page)
		b.look()
		asked := questions(s.body)[2]
		b.click("#" + asked.ID + " summary")
		b.until(`look.text(document.querySelector("#` + asked.ID + ` [role=status]"))`)
		got := b.answered(asked.ID)
		if got.Status != "The answer is "+asked.Key+"." || !got.Key || !got.Open || got.Focus == "BODY" {
			b.Errorf("Show answer: %+v", got)
		}
	})
}

// play answers everything on a page and gives what it then says.
const play = `(async () => {
	const press = e => e.click();
	const predict = look.all("form.predict")[0];
	press(look.all("input", predict)[0]);
	press(predict.querySelector("button.main"));
	for (let i = 0; i < 3; i++) press(look.all(".ctl button").find(b => /Next/.test(b.textContent)));
	for (const form of look.all("form.q[data-key]")) {
		press(look.all("input", form)[0]);
		press(form.querySelector("button.main"));
	}
	await new Promise(r => setTimeout(r, 100));
	return look.all("[role=status], .echo").map(look.text).join("\n") + location.hash + look.all(".steps > li").filter(s => !s.hidden).length;
})()`

// TestTranslated is check 11: the page works after a translator has wrapped
// every text in an element of its own.
func TestTranslated(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.fresh(s.page)
		b.look()
		want := eval[string](b, play)
		b.fresh(s.page)
		b.look()
		b.forget()
		b.run(`const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), texts = [];
			while (walker.nextNode()) if (look.clean(walker.currentNode.data)) texts.push(walker.currentNode);
			for (const text of texts) {
				const font = document.createElement("font");
				text.replaceWith(font);
				font.append(text);
			}`)
		if got := eval[string](b, play); got != want {
			b.Errorf("after translation: %s", firstDifference(got, want))
		}
		if faults, _ := b.noticed(); len(faults) > 0 {
			b.Errorf("faults: %q", faults)
		}
	})
}

// TestBlockedStorage is check 12.
func TestBlockedStorage(t *testing.T) {
	each(t, func(b *tab, s site) {
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
		b.look()
		asked := questions(s.body)[0]
		b.choose(asked.ID, asked.Key)
		if got := b.answered(asked.ID); !got.Key {
			b.Errorf("without storage a question does not answer: %+v", got)
		}
		b.click(".memory button")
		if got := eval[string](b, `look.text(document.querySelector(".memory > p:last-child"))`); !strings.Contains(got, "cannot be remembered") {
			b.Errorf("Remember says %q", got)
		}
	})
}

// editable serves a site in which, once edited is true, the lesson's first
// question has another hash.
func editable(t *testing.T, s site, first string, edited *bool) *httptest.Server {
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

// TestMemory is check 13: answers come back, an edited question does not, and
// Reset leaves nothing.
func TestMemory(t *testing.T) {
	for _, s := range sites(t) {
		t.Run(s.name, func(t *testing.T) {
			asked := questions(s.body)
			first, second := asked[0], asked[1]
			edited := false
			server := editable(t, s, first.ID, &edited)
			defer server.Close()
			b := open(t, server.URL)
			b.fresh(s.page)
			b.look()
			b.choose(first.ID, wrong(first)[0])
			if n := eval[int](b, "Object.keys(localStorage).length"); n != 0 {
				b.Errorf("%d things are kept that nobody asked for", n)
			}
			b.click(".memory button")
			b.choose(second.ID, second.Key)

			b.load(s.page)
			b.look()
			if got := b.answered(first.ID); !strings.HasPrefix(got.Status, "Not right.") || got.Key {
				b.Errorf("the first answer did not come back: %+v", got)
			}
			if got := b.answered(second.ID); !got.Key {
				b.Errorf("the second answer did not come back: %+v", got)
			}

			b.load("index.html")
			b.look()
			if got := eval[string](b, `look.text(document.querySelector("[data-lesson=`+strings.TrimSuffix(s.page, ".html")+`]"))`); !strings.Contains(got, "answers kept on this device") {
				b.Errorf("the course does not say where answers are kept: %q", got)
			}

			edited = true
			b.load(s.page)
			b.look()
			if got := b.answered(first.ID); got.Status != "" {
				b.Errorf("the edited question came back answered: %+v", got)
			}
			if got := b.answered(second.ID); !got.Key {
				b.Errorf("the other question did not: %+v", got)
			}

			b.click(".memory .link")
			if n := eval[int](b, "Object.keys(localStorage).length"); n != 0 {
				b.Errorf("Reset leaves %d keys", n)
			}
			if got := b.answered(second.ID); got.Status != "" || got.Key {
				b.Errorf("Reset leaves an answer: %+v", got)
			}
		})
	}
}
