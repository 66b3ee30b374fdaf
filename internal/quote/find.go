package quote

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// hit is where a rule found a quotation in one reading of the page.
type hit struct {
	fold    Fold
	reading *reading
	spans   []span   // at least one
	notes   []string // the notes of the rule that are no reservations
	reasons []reason // the reservations of the rule itself
}

// Find looks for one quotation, by the rules of the contract. The quotation is
// plain text; line breaks and runs of spaces in it do not matter.
func (p *Page) Find(quotation string) Finding {
	if fault := controlFault(quotation); fault != "" {
		return Finding{Verdict: NoMatch, Notes: []string{fault}}
	}
	q := exact(quotation)
	if wordCount(q) == 0 {
		return Finding{Verdict: NoMatch, Notes: []string{"the quotation holds no words"}}
	}
	h, why, ok := p.search(q)
	if ok {
		return h.finding(q)
	}
	f := p.explain(q)
	if why != "" {
		f.Notes = append([]string{why}, f.Notes...)
	}
	return f
}

// FindAll is Find for many quotations: one pass over the page finds those that
// stand there exactly, and only the others need a search of their own.
func (p *Page) FindAll(quotations []string) []Finding {
	if len(quotations) == 0 {
		return nil // and the page is not folded for nothing
	}
	folded := make([]string, len(quotations))
	for i, q := range quotations {
		folded[i] = exact(q)
	}
	r := p.reading(p.variant[0])
	places := make([][]int, len(folded))
	newPatterns(folded).find(r.text, func(i, at int) { places[i] = append(places[i], at) })
	findings := make([]Finding, len(folded))
	for i, q := range folded {
		spans := r.whole(places[i], len(q))
		if len(spans) == 0 || wordCount(q) == 0 || controlFault(quotations[i]) != "" {
			findings[i] = p.Find(quotations[i])
			continue
		}
		findings[i] = hit{fold: Exact, reading: r, spans: spans, notes: withNotes(nil, p.variant[0])}.finding(q)
	}
	return findings
}

// findEach is FindAll with the findings by quotation.
func (p *Page) findEach(quotations []string) map[string]Finding {
	found := make(map[string]Finding, len(quotations))
	for i, f := range p.FindAll(quotations) {
		found[quotations[i]] = f
	}
	return found
}

// whole keeps the places, each of so many bytes, that cut no word and do not
// overlap: what occurrences returns for the text as it is.
func (r *reading) whole(places []int, size int) (spans []span) {
	from := 0
	for _, at := range places {
		if at >= from && !r.cutsWord(at) && !r.cutsWord(at+size) {
			spans = append(spans, span{at, at + size})
			from = at + size
		}
	}
	return spans
}

// The reservations of rules (d) and (e).
var (
	spacing    = []reason{{Spaces, "the space beside punctuation differs"}}
	byHyphen   = []reason{{LineEnd, "a hyphen at a line end was joined"}}
	notVisible = []reason{{HiddenText, "needs text that the page hides"}}
)

// search applies rules (b) to (f) in their order. If none finds the quotation, why
// is the rule that an edit breaks, or "".
func (p *Page) search(q string) (h hit, why string, ok bool) {
	for _, rule := range []struct {
		fold    Fold
		spans   func(r *reading, q string) []span
		notes   []string
		reasons []reason
	}{
		{Exact, exactSpans, nil, nil},
		{Typography, typographySpans, []string{"typography"}, nil},
		{Spacing, spacingSpans, nil, spacing},
		{Hidden, exactSpans, nil, notVisible},
		{Hidden, typographySpans, []string{"typography"}, notVisible},
	} {
		for _, omit := range p.variant {
			if (omit&hiddenText == 0) != (rule.fold == Hidden) {
				continue
			}
			r := p.reading(omit)
			if spans := rule.spans(r, q); len(spans) > 0 {
				return hit{rule.fold, r, spans, withNotes(rule.notes, omit), rule.reasons}, "", true
			}
		}
		if rule.fold != Spacing {
			continue
		}
		if h, ok := p.searchJoined(q); ok {
			return h, "", true
		}
	}
	return p.searchEdited(q)
}

// withNotes adds what a reading leaves out to a rule's notes.
func withNotes(notes []string, omit flags) []string {
	if omit&footnote == 0 {
		return notes
	}
	return append(notes[:len(notes):len(notes)], "without foot-note marks")
}

// searchJoined looks in a plain text whose line ends cut words.
func (p *Page) searchJoined(q string) (hit, bool) {
	for _, runs := range p.joined {
		r := read(runs, 0)
		for _, find := range []func(*reading, string) []span{exactSpans, typographySpans} {
			if spans := find(r, q); len(spans) > 0 {
				return hit{Spacing, r, spans, nil, byHyphen}, true
			}
		}
	}
	return hit{}, false
}

// exactSpans returns the occurrences of an exact-folded quotation that begin
// and end at the edges of words.
func exactSpans(r *reading, q string) []span {
	return r.occurrences(r.text, q, func(at int) (int, bool) { return at, true })
}

func typographySpans(r *reading, q string) []span {
	if spans := viewSpans(r, q, typographyView); len(spans) > 0 {
		return spans
	}
	if strings.Contains(q, "--") || strings.ContainsAny(q, "–—―") {
		return viewSpans(r, q, dashView)
	}
	return nil
}

func spacingSpans(r *reading, q string) []span { return viewSpans(r, q, spacingView) }

func viewSpans(r *reading, q string, kind viewKind) []span {
	v := r.view(kind)
	return r.occurrences(v.text, fold(q, kind).text, v.source)
}

// occurrences finds q in text, a fold of the reading, and returns the places in
// the reading itself. One that begins or ends inside a word, a number or a
// folded character does not count.
func (r *reading) occurrences(text, q string, source func(int) (int, bool)) []span {
	var spans []span
	for at := 0; ; {
		i := strings.Index(text[at:], q)
		if i < 0 || q == "" {
			return spans
		}
		at += i
		start, ok1 := source(at)
		end, ok2 := source(at + len(q))
		for end > start && r.text[end-1] == ' ' {
			end-- // a space that the fold dropped
		}
		if ok1 && ok2 && !r.cutsWord(start) && !r.cutsWord(end) {
			spans = append(spans, span{start, end})
			at += len(q)
			continue
		}
		at += restOfWord(text[at:])
	}
}

// restOfWord returns the length of the word that text begins with, or of its
// first character: no occurrence can begin before it ends.
func restOfWord(text string) int {
	for i, r := range text {
		if !isWordRune(r) || i > 0 && joinable(text[:i], r) {
			_, size := utf8.DecodeRuneInString(text)
			return max(i, size)
		}
	}
	return len(text)
}

// joinable reports whether a quotation may begin at r although a word rune is
// before it.
func joinable(before string, r rune) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return isUnspaced(last) || isUnspaced(r)
}

// finding turns a hit into a verdict: that of the occurrence with the fewest
// reasons against it. It is a warning where there is any.
func (h hit) finding(q string) Finding {
	best, reasons := h.spans[0], h.reading.reasons(h.spans[0])
	for _, s := range h.spans[1:] {
		if len(reasons) == 0 {
			break
		}
		if other := h.reading.reasons(s); len(other) < len(reasons) {
			best, reasons = s, other
		}
	}
	reasons = slices.Concat(h.reasons, reasons)
	if short := tooShort(q); short != "" {
		reasons = append(reasons, reason{Short, short})
	}
	f := Finding{
		Verdict:      Match,
		Fold:         h.fold,
		Occurrences:  len(h.spans),
		Notes:        slices.Concat(h.notes, texts(reasons)),
		Reservations: names(reasons),
		// Cloned, so that a finding does not keep the whole page in memory.
		Passage:   strings.Clone(h.reading.text[best.start:best.end]),
		FirstWord: h.reading.word(best.start),
		Before:    strings.Clone(h.reading.before(best.start)),
		After:     strings.Clone(firstRunes(h.reading.text[best.end:], contextRunes)),
	}
	if len(reasons) > 0 {
		f.Verdict = Warning
	}
	return f
}

// before returns the text before offset i in the same block, at most contextRunes.
func (r *reading) before(i int) string {
	text := lastRunes(r.text[:i], contextRunes)
	for at := range text {
		if r.blockAt(i-len(text)+at) == r.blockAt(i) {
			return text[at:]
		}
	}
	return ""
}

// reasons returns the reservations about a match at s.
func (r *reading) reasons(s span) []reason {
	var reasons []reason
	marks := r.within(s)
	plain, script, del := false, false, false
	for _, m := range marks {
		del = del || m.flags&struck != 0
		script = script || m.flags&(raised|footnote) == raised
		plain = plain || m.flags&raised == 0
	}
	if marks[0].block != marks[len(marks)-1].block {
		reasons = append(reasons, reason{Blocks, "joins two blocks of the page"})
	}
	if del {
		reasons = append(reasons, reason{Struck, "uses struck-through text"})
	}
	if script && plain {
		reasons = append(reasons, reason{Raised, "mixes superscript or subscript with plain text"})
	}
	if cutsHyphenated(r.text, s.start) || cutsHyphenated(r.text, s.end) {
		reasons = append(reasons, reason{Hyphenated, "cuts a hyphenated word"})
	}
	if word := r.afterNegation(s.start); word != "" {
		reasons = append(reasons, reason{Negated, `directly follows "` + word + `"`})
	}
	return reasons
}

// contextRunes is how many characters of context a finding carries each side.
const contextRunes = 32

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func lastRunes(s string, n int) string {
	start := len(s)
	for ; n > 0 && start > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:start])
		start -= size
	}
	return s[start:]
}
