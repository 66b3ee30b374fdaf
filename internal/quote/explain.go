package quote

import (
	"fmt"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// fewWords is how short a page is that probably is not the page.
const fewWords = 40

// minExplained is how many of the quotations that a page lacks are compared with
// all of its words, however long it is. More are as long as maxWords words of the
// page are not exceeded.
const (
	minExplained = 20
	maxWords     = 1 << 20
)

// explain returns the reason why an exact-folded quotation has no match: the notes, most
// telling first, and the passage most like it.
func (p *Page) explain(q string) Finding {
	if p.explained++; p.explained > minExplained && p.explained*p.Words() > maxWords {
		return Finding{Verdict: NoMatch, Notes: []string{"not compared with the page word by word: mend the quotations before it first"}}
	}
	f := Finding{Verdict: NoMatch}
	q = fold(q, typographyView).text
	text := p.reading(hiddenText).view(typographyView).text
	sameButCase := strings.Contains(strings.ToLower(text), strings.ToLower(q))
	switch {
	case strings.Contains(text, q):
		f.Notes = append(f.Notes, "the words stand there only as part of longer words or numbers")
	case sameButCase:
		f.Notes = append(f.Notes, "only the case differs")
	}
	near := nearest(strings.Split(q, " "), strings.Split(text, " "))
	f.Nearest, f.Diff = near.passage, near.String()
	if note := near.oneWord(); note != "" && !sameButCase {
		f.Notes = append(f.Notes, note)
	}
	if place := p.elsewhere(q); place != "" {
		f.Notes = append(f.Notes, "found in "+place+", which readers of the page do not see as text")
	}
	if n := p.Words(); n < fewWords && f.Nearest == "" {
		f.Notes = append(f.Notes, fmt.Sprintf("the page has almost no text: %d words (a bot check?)", n))
	}
	return f
}

// unread are the places whose words look like the page's and are not.
var unread = []struct{ name, selector, attribute string }{
	{"the page's title", "title", ""},
	{"the page's description", `meta[name="description"], meta[property="og:description"]`, "content"},
	{"alt text", "[alt]", "alt"},
	{"a title attribute", "[title]", "title"},
	{"a script", "script", ""},
	{"a style sheet", "style", ""},
	{"a form field", "textarea, select", ""},
	{"a template", "template", ""},
	{"a picture (svg)", "svg", ""},
}

// elsewhere names the place outside the text that holds the quotation, or "".
func (p *Page) elsewhere(q string) string {
	if p.tree == nil {
		return ""
	}
	page := goquery.NewDocumentFromNode(p.tree)
	for _, place := range unread {
		found := page.Find(place.selector).FilterFunction(func(_ int, s *goquery.Selection) bool {
			text := s.Text()
			if place.attribute != "" {
				text = s.AttrOr(place.attribute, "")
			}
			return strings.Contains(fold(exact(text), typographyView).text, q)
		})
		if found.Length() > 0 {
			return place.name
		}
	}
	return ""
}

// maxCompared bounds the words of a quotation that are compared with the
// page when it has no match.
const maxCompared = 400

// likeness is a quotation beside the passage that is most like it.
type likeness struct {
	passage string
	ops     []op
}

// op is a word that both have (' '), the quotation alone ('-') or the page
// alone ('+').
type op struct {
	kind byte
	word string
}

// nearest finds the window of page words that shares the most words with the
// quotation, and aligns the two. The likeness is empty where less than two
// fifths of the words are shared.
func nearest(quotation, page []string) likeness {
	quotation = quotation[:min(len(quotation), maxCompared)]
	start, shared := bestWindow(quotation, page)
	if shared < 2 || shared*5 < len(quotation)*2 {
		return likeness{}
	}
	slack := len(quotation)/3 + 2
	from := max(start-slack, 0)
	to := min(start+len(quotation)+slack, len(page))
	return align(quotation, page[from:to])
}

// bestWindow slides a window as long as the quotation over the page and
// counts, in each, the words of the quotation.
func bestWindow(quotation, page []string) (start, shared int) {
	missing := map[string]int{}
	for _, w := range quotation {
		missing[likeWord(w)]++
	}
	now := 0
	for i, w := range page {
		if n, wanted := missing[likeWord(w)]; wanted {
			missing[likeWord(w)] = n - 1
			if n > 0 {
				now++
			}
		}
		if out := i - len(quotation); out >= 0 {
			w := likeWord(page[out])
			if n, wanted := missing[w]; wanted {
				missing[w] = n + 1
				if n >= 0 {
					now--
				}
			}
		}
		if now > shared {
			start, shared = max(i-len(quotation)+1, 0), now
		}
	}
	return start, shared
}

// likeWord is what two words have in common that differ in case or in the
// punctuation around them.
func likeWord(w string) string {
	trimmed := strings.TrimFunc(w, func(r rune) bool { return !isWordRune(r) })
	if trimmed == "" {
		return w
	}
	return strings.ToLower(trimmed)
}

// align compares word by word, by the longest common subsequence, and cuts
// off what the page has before and after.
func align(a, b []string) likeness {
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			if likeWord(a[i]) == likeWord(b[j]) {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	var ops []op
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case likeWord(a[i]) == likeWord(b[j]):
			there := b[j]
			if i == 0 && strings.HasSuffix(there, a[i]) || i == len(a)-1 && strings.HasPrefix(there, a[i]) {
				there = a[i] // a quotation may leave out the punctuation around it
			}
			ops = append(ops, pair(a[i], there)...)
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			ops, i = append(ops, op{'-', a[i]}), i+1
		default:
			ops, j = append(ops, op{'+', b[j]}), j+1
		}
	}
	for ; i < len(a); i++ {
		ops = append(ops, op{'-', a[i]})
	}
	return likenessOf(ops)
}

// pair aligns two like words: equal ones, or one for the other.
func pair(quoted, there string) []op {
	if quoted == there {
		return []op{{' ', there}}
	}
	return []op{{'-', quoted}, {'+', there}}
}

func likenessOf(ops []op) likeness {
	for len(ops) > 0 && ops[0].kind == '+' {
		ops = ops[1:]
	}
	for len(ops) > 0 && ops[len(ops)-1].kind == '+' && !followsItsPair(ops) {
		ops = ops[:len(ops)-1]
	}
	var passage []string
	for _, o := range ops {
		if o.kind != '-' {
			passage = append(passage, o.word)
		}
	}
	return likeness{strings.Join(passage, " "), ops}
}

// followsItsPair reports whether the last word is what the page has instead of
// the quotation's last word.
func followsItsPair(ops []op) bool {
	n := len(ops)
	return n > 1 && ops[n-2].kind == '-' && likeWord(ops[n-2].word) == likeWord(ops[n-1].word)
}

// oneWord says it where a single word makes the difference, or "".
func (l likeness) oneWord() string {
	var quoted, there []string
	for _, o := range l.ops {
		switch o.kind {
		case '-':
			quoted = append(quoted, o.word)
		case '+':
			there = append(there, o.word)
		}
	}
	switch {
	case len(quoted) == 1 && len(there) == 0:
		return fmt.Sprintf("one word added: %q", quoted[0])
	case len(quoted) == 0 && len(there) == 1:
		return fmt.Sprintf("one word dropped: %q", there[0])
	case len(quoted) == 1 && len(there) == 1:
		return fmt.Sprintf("one word differs: %q, the page has %q", quoted[0], there[0])
	}
	return ""
}

// String shows the difference in a line: [-only quoted-] {+only there+}.
func (l likeness) String() string {
	var b strings.Builder
	for i, o := range l.ops {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch o.kind {
		case '-':
			b.WriteString("[-" + o.word + "-]")
		case '+':
			b.WriteString("{+" + o.word + "+}")
		default:
			b.WriteString(o.word)
		}
	}
	return b.String()
}
