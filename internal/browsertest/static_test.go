package browsertest

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

//go:embed testdata/look.js
var look string

// look makes the functions of look.js known to the page.
func (b *tab) look() {
	b.Helper()
	eval[bool](b, look)
}

// TestWithoutScript is check 1: everything is there, and no control is dead.
func TestWithoutScript(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.script(false)
		b.load(s.page)
		b.look()
		steps, options := 0, 0
		for _, c := range s.body.Containers {
			steps, options = max(steps, c.Steps), options+len(c.Options)
		}
		if got := eval[int](b, `look.all(".steps > li").filter(look.shown).length`); got != steps {
			b.Errorf("%d steps are shown, want %d", got, steps)
		}
		if got := eval[int](b, `look.all(".opt").filter(look.shown).length`); got != options {
			b.Errorf("%d options are shown, want %d", got, options)
		}
		if dead := eval[[]string](b, `look.all("button, input:not([disabled]), select").filter(look.shown).map(look.describe)`); len(dead) > 0 {
			b.Errorf("controls that do nothing without script: %q", dead)
		}
		b.run("look.openAll()")
		// Chromium may draw what a fold holds a frame later.
		hidden := []string{"not looked"}
		for try := 0; try < 100 && len(hidden) > 0; try++ {
			if try > 0 {
				time.Sleep(50 * time.Millisecond)
			}
			hidden = eval[[]string](b, `look.all("details > :not(summary)").filter(e => !look.shown(e)).map(look.describe)`)
		}
		if len(hidden) > 0 {
			b.Errorf("folds that do not open: %q", hidden)
		}
	})
}

// TestReadingOrder is check 2: what assistive technology reads comes in the
// order of the Markdown.
func TestReadingOrder(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.script(false)
		b.load(s.page)
		b.look()
		b.run("look.openAll()")
		tree, err := chromedp.Call(chromium.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			b.Fatal(err)
		}
		read := spoken(tree.Nodes)
		at := 0
		for _, p := range phrases(s.body) {
			i := strings.Index(read[at:], squeeze(p.text))
			if i < 0 {
				b.Errorf("%s: %q is not read after what stands before it", p.pos, p.text)
				continue
			}
			at += i
		}
	})
}

// spoken joins the texts of an accessibility tree in its order.
func spoken(nodes []*accessibility.Node) string {
	byID := map[accessibility.NodeID]*accessibility.Node{}
	for _, n := range nodes {
		byID[n.NodeID] = n
	}
	var out strings.Builder
	var walk func(n *accessibility.Node)
	walk = func(n *accessibility.Node) {
		if n == nil {
			return
		}
		if role(n) == "StaticText" {
			out.WriteString(name(n))
		}
		for _, id := range n.ChildIDs {
			walk(byID[id])
		}
	}
	walk(nodes[0])
	return squeeze(out.String())
}

func role(n *accessibility.Node) string { return axString(n.Role) }
func name(n *accessibility.Node) string { return axString(n.Name) }

func axString(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var s string
	_ = json.Unmarshal(v.Value, &s) // what is no text has none
	return s
}

// squeeze leaves out white space, and quotation marks, which a theme may set.
func squeeze(s string) string {
	return strings.NewReplacer(" ", "", "\n", "", "\u00a0", "", `"`, "").Replace(s)
}

// phrase is something that a reader meets, and where the author wrote it.
type phrase struct {
	pos  problem.Pos
	text string
}

// phrases gives headings, questions, options and quotations in the order of
// the author's file.
func phrases(body *lesson.Body) (all []phrase) {
	for _, h := range body.Headings {
		if h.Level > 1 {
			all = append(all, phrase{h.Pos, h.Text})
		}
	}
	for _, c := range body.Containers {
		if c.Stem != "" {
			all = append(all, phrase{c.Pos, firstWords(c.Stem)})
		}
		for _, o := range c.Options {
			all = append(all, phrase{o.Pos, o.Text})
		}
		for _, q := range c.Quotes {
			all = append(all, phrase{q.Pos, q.Text})
		}
	}
	slices.SortStableFunc(all, func(a, b phrase) int {
		return cmp.Or(cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.pos.Col, b.pos.Col))
	})
	return all
}

func firstWords(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(5, len(words))], " ")
}

// controls are all the words that the script may add.
var controls = []string{
	"Check", "Copy", "Dark", "Light", "Lock in my prediction", "Next", "Previous",
	"Remember my answers on this device", "Reset", "Show all steps",
}

// TestSameText is check 3: with script a page says what it says without, and
// control labels.
func TestSameText(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.script(false)
		b.load(s.page)
		b.look()
		without := eval[string](b, "look.words()")
		b.script(true)
		b.fresh(s.page)
		b.look()
		if with := eval[string](b, "look.words()"); with != without {
			b.Errorf("the text differs from %s", firstDifference(with, without))
		}
		for _, label := range eval[[]string](b, "look.labels()") {
			if !slices.Contains(controls, label) {
				b.Errorf("the script adds %q", label)
			}
		}
	})
}

func firstDifference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return a[i:min(i+60, len(a))] + " | " + b[i:min(i+60, len(b))]
}

// TestAnalogyLines is check 16: beside each step stand the rows of the table
// that cover it, and nothing else.
func TestAnalogyLines(t *testing.T) {
	each(t, func(b *tab, s site) {
		b.load(s.page)
		b.look()
		wrong := eval[[]string](b, `(() => {
			const rows = look.all("table.stack tbody tr").map(tr => ({
				said: look.text(tr.cells[0]), meant: look.text(tr.cells[1]),
				steps: look.text(tr.cells[2]).split(",").map(r => r.split("–").map(Number)),
			}));
			const head = look.text(document.querySelector("table.stack th"));
			return look.all(".steps > li").flatMap((li, i) => {
				const want = rows.filter(r => r.steps.some(([a, b = a]) => a <= i + 1 && i + 1 <= b)).map(r => head + "|" + r.said + "|" + r.meant);
				const got = look.all(".like", li).map(p => [...p.children].map(look.text).join("|").replace("→", "").replace(/\|\s+/g, "|"));
				return JSON.stringify(got) === JSON.stringify(want) ? [] : ["step " + (i + 1) + ": " + got + " instead of " + want];
			});
		})()`)
		if len(wrong) > 0 {
			b.Errorf("%q", wrong)
		}
	})
}

// TestStructure is check 24.
func TestStructure(t *testing.T) {
	each(t, func(b *tab, s site) {
		for _, page := range s.pages() {
			b.load(page)
			b.look()
			wrong := eval[[]string](b, `(() => {
				const wrong = [], say = (bad, what) => bad && wrong.push(what);
				const heads = look.all("h1, h2, h3, h4, h5, h6").map(h => +h.tagName[1]), ids = look.all("[id]").map(e => e.id);
				say(look.all("h1").length !== 1, "not one h1");
				heads.forEach((level, i) => say(i && level > heads[i - 1] + 1, "h" + heads[i - 1] + " before h" + level));
				ids.forEach((id, i) => say(ids.indexOf(id) !== i, "id twice: " + id));
				for (const landmark of ["main", "body > header", "body > footer"]) say(look.all(landmark).length !== 1, landmark);
				const names = look.all("nav").map(n => n.getAttribute("aria-label") || document.getElementById(n.getAttribute("aria-labelledby"))?.textContent);
				names.forEach((n, i) => say(!n || names.indexOf(n) !== i, "nav named " + n));
				say(!document.documentElement.lang, "no lang");
				say(!document.title, "no title");
				look.all("figure").forEach(f => say(!f.querySelector("figcaption"), "no caption: " + look.describe(f)));
				look.all("th").forEach(th => say(!th.scope, "th without scope: " + look.describe(th)));
				look.all("[role=status]").forEach(e => say(look.text(e) && !e.closest(".player, .search"), "live region full: " + look.describe(e)));
				look.all("[tabindex]").forEach(e => say(e.tabIndex > 0, "tabindex: " + look.describe(e)));
				say(document.querySelector("[style]:not(.steps)"), "a style attribute");
				return wrong;
			})()`)
			if len(wrong) > 0 {
				b.Errorf("%s: %q", page, wrong)
			}
		}
	})
}
