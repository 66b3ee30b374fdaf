package browsertest

import (
	"cmp"
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

// TestWithoutScript checks that without script a page shows everything and has no
// control that does nothing.
func TestWithoutScript(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.setScript(false)
		b.load(s.page)
		steps, options := 0, 0
		for _, c := range s.body.Containers {
			steps, options = max(steps, c.Steps), options+len(c.Options)
		}
		if got := eval[int](b, `dom.all(".steps > li").filter(dom.shown).length`); got != steps {
			b.Errorf("%d steps are shown, want %d", got, steps)
		}
		if got := eval[int](b, `dom.all(".opt").filter(dom.shown).length`); got != options {
			b.Errorf("%d options are shown, want %d", got, options)
		}
		if dead := eval[[]string](b, `dom.all("button, input:not([disabled]), select").filter(dom.shown).map(dom.describe)`); len(dead) > 0 {
			b.Errorf("controls that do nothing without script: %q", dead)
		}
		b.run("dom.openAll()")
		// Chromium may render an opened fold a frame later.
		hidden := []string{"not checked yet"}
		for try := 0; try < 100 && len(hidden) > 0; try++ {
			if try > 0 {
				time.Sleep(50 * time.Millisecond)
			}
			hidden = eval[[]string](b, `dom.all("details > :not(summary)").filter(e => !dom.shown(e)).map(dom.describe)`)
		}
		if len(hidden) > 0 {
			b.Errorf("folds that do not open: %q", hidden)
		}
	})
}

// TestReadingOrder checks that assistive technology reads a lesson in the order of its
// Markdown.
func TestReadingOrder(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.setScript(false)
		b.load(s.page)
		b.run("dom.openAll()")
		tree, err := chromedp.Call(chromium.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			b.Fatal(err)
		}
		read := readingText(tree.Nodes)
		at := 0
		for _, p := range phrases(s.body) {
			i := strings.Index(read[at:], squeeze(p.text))
			if i < 0 {
				b.Errorf("%s: %q is not read after the text before it", p.pos, p.text)
				continue
			}
			at += i
		}
	})
}

// readingText returns the texts of an accessibility tree in reading order, without
// white space.
func readingText(nodes []*accessibility.Node) string {
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
	_ = json.Unmarshal(v.Value, &s) // a value that is not a string counts as ""
	return s
}

// squeeze removes white space, and quotation marks, because a theme may add some.
func squeeze(s string) string {
	return strings.NewReplacer(" ", "", "\n", "", "\u00a0", "", `"`, "").Replace(s)
}

// phrase is a piece of a lesson's text and its position in the Markdown file.
type phrase struct {
	pos  problem.Pos
	text string
}

// phrases returns the headings, questions, options and quotations of a lesson in the
// order of the Markdown file.
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

// controls lists the labels that the script may add to a page.
var controls = []string{
	"Check", "Copy", "Dark", "Light", "Lock in my prediction", "Next", "Previous",
	"Remember my answers on this device", "Reset", "Show all steps",
}

// TestSameText checks that the script adds no text to a page except the labels of
// controls.
func TestSameText(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.setScript(false)
		b.load(s.page)
		without := eval[string](b, "dom.staticText()")
		b.setScript(true)
		b.loadFresh(s.page)
		if with := eval[string](b, "dom.staticText()"); with != without {
			b.Errorf("the text differs from %s", firstDifference(with, without))
		}
		for _, label := range eval[[]string](b, "dom.labels()") {
			if !slices.Contains(controls, label) {
				b.Errorf("the script adds %q", label)
			}
		}
	})
}

// firstDifference returns where a and b begin to differ.
func firstDifference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return a[i:min(i+60, len(a))] + " | " + b[i:min(i+60, len(b))]
}

// TestAnalogyLines checks that each step shows exactly the rows of the analogy table
// that are about it.
func TestAnalogyLines(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		b.load(s.page)
		wrong := eval[[]string](b, `(() => {
			const rows = dom.all("table.stack tbody tr").map(tr => ({
				left: dom.text(tr.cells[0]), right: dom.text(tr.cells[1]),
				steps: dom.text(tr.cells[2]).split(",").map(r => r.split("–").map(Number)),
			}));
			const head = dom.text(document.querySelector("table.stack th"));
			return dom.all(".steps > li").flatMap((li, i) => {
				const want = rows.filter(r => r.steps.some(([a, b = a]) => a <= i + 1 && i + 1 <= b)).map(r => head + "|" + r.left + "|" + r.right);
				const got = dom.all(".like", li).map(p => [...p.children].map(dom.text).join("|").replace("→", "").replace(/\|\s+/g, "|"));
				return JSON.stringify(got) === JSON.stringify(want) ? [] : ["step " + (i + 1) + ": " + got + " instead of " + want];
			});
		})()`)
		if len(wrong) > 0 {
			b.Errorf("%q", wrong)
		}
	})
}

// TestStructure checks headings, ids, landmarks, captions and languages of pages.
func TestStructure(t *testing.T) {
	forEachSite(t, func(b *tab, s site) {
		for _, page := range s.pages() {
			b.load(page)
			wrong := eval[[]string](b, `(() => {
				const wrong = [], check = (bad, what) => bad && wrong.push(what);
				const heads = dom.all("h1, h2, h3, h4, h5, h6").map(h => +h.tagName[1]), ids = dom.all("[id]").map(e => e.id);
				check(dom.all("h1").length !== 1, "not one h1");
				heads.forEach((level, i) => check(i && level > heads[i - 1] + 1, "h" + heads[i - 1] + " before h" + level));
				ids.forEach((id, i) => check(ids.indexOf(id) !== i, "id twice: " + id));
				for (const landmark of ["main", "body > header", "body > footer"]) check(dom.all(landmark).length !== 1, landmark);
				const names = dom.all("nav").map(n => n.getAttribute("aria-label") || document.getElementById(n.getAttribute("aria-labelledby"))?.textContent);
				names.forEach((n, i) => check(!n || names.indexOf(n) !== i, "nav named " + n));
				check(!document.documentElement.lang, "no lang");
				check(!document.title, "no title");
				dom.all("figure").forEach(f => check(!f.querySelector("figcaption"), "no caption: " + dom.describe(f)));
				dom.all("th").forEach(th => check(!th.scope, "th without scope: " + dom.describe(th)));
				dom.all("[role=status]").forEach(e => check(dom.text(e) && !e.closest(".player, .search"), "live region full: " + dom.describe(e)));
				dom.all("[tabindex]").forEach(e => check(e.tabIndex > 0, "tabindex: " + dom.describe(e)));
				check(document.querySelector("[style]:not(.steps)"), "a style attribute");
				return wrong;
			})()`)
			if len(wrong) > 0 {
				b.Errorf("%s: %q", page, wrong)
			}
		}
	})
}
