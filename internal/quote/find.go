package quote

import (
	"strings"
	"unicode/utf8"
)

// hit is where a rule found a quotation in one reading of the page.
type hit struct {
	fold    Fold
	reading *reading
	spans   []span   // at least one
	notes   []string // what the rule itself has to say
}

// Find looks for one quotation, by the rules of the contract. The quotation is
// plain text; line breaks and runs of spaces in it do not matter.
func (p *Page) Find(quotation string) Finding {
	q := exact(quotation)
	if wordCount(q) == 0 {
		return Finding{Verdict: NoMatch, Notes: []string{"the quotation holds no words"}}
	}
	h, ok := p.search(q)
	if !ok {
		return p.explain(q)
	}
	return h.finding(q)
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
		if len(spans) == 0 || wordCount(q) == 0 {
			findings[i] = p.Find(quotations[i])
			continue
		}
		findings[i] = hit{Exact, r, spans, withNotes(nil, p.variant[0])}.finding(q)
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
// overlap: what occurrences gives for the text as it is.
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

// search applies rules (b) to (f) in their order.
func (p *Page) search(q string) (hit, bool) {
	for _, rule := range []struct {
		fold   Fold
		hidden bool // in the readings with hidden text, else in those without
		spans  func(r *reading, q string) []span
		notes  []string
	}{
		{Exact, false, exactSpans, nil},
		{Typography, false, typographySpans, []string{"typography"}},
		{Spacing, false, spacingSpans, []string{"the space beside punctuation differs"}},
		{Hidden, true, exactSpans, []string{"needs text that the page hides"}},
		{Hidden, true, typographySpans, []string{"needs text that the page hides", "typography"}},
	} {
		for _, omit := range p.variant {
			if (omit&hiddenText == 0) != rule.hidden {
				continue
			}
			r := p.reading(omit)
			if spans := rule.spans(r, q); len(spans) > 0 {
				return hit{rule.fold, r, spans, withNotes(rule.notes, omit)}, true
			}
		}
		if rule.fold != Spacing {
			continue
		}
		if h, ok := p.searchJoined(q); ok {
			return h, true
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
				return hit{Spacing, r, spans, []string{"a hyphen at a line end was joined"}}, true
			}
		}
	}
	return hit{}, false
}

// exactSpans gives the occurrences of an exact-folded quotation that begin
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

// occurrences finds q in text, a fold of the reading, and gives the places in
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

// restOfWord gives the length of the word that text begins with, or of its
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

// joinable reports whether a quotation may begin at r although a word rune
// stands before it.
func joinable(before string, r rune) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return isUnspaced(last) || isUnspaced(r)
}

// finding turns a hit into a verdict: that of the occurrence with the fewest
// reasons against it.
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
	if short := tooShort(q); short != "" {
		reasons = append(reasons, short)
	}
	f := Finding{
		Verdict:     Match,
		Fold:        h.fold,
		Occurrences: len(h.spans),
		Notes:       append(h.notes[:len(h.notes):len(h.notes)], reasons...),
		// Cloned, so that a finding does not keep the whole page in memory.
		Passage:   strings.Clone(h.reading.text[best.start:best.end]),
		FirstWord: h.reading.word(best.start),
		Before:    strings.Clone(lastRunes(h.reading.text[:best.start], contextRunes)),
		After:     strings.Clone(firstRunes(h.reading.text[best.end:], contextRunes)),
	}
	if len(reasons) > 0 || h.fold != Exact && h.fold != Typography {
		f.Verdict = Warning
	}
	return f
}

// reasons says what makes a match at s weaker than it looks.
func (r *reading) reasons(s span) []string {
	var reasons []string
	marks := r.within(s)
	plain, script, del := false, false, false
	for _, m := range marks {
		del = del || m.flags&struck != 0
		script = script || m.flags&(raised|footnote) == raised
		plain = plain || m.flags&raised == 0
	}
	if marks[0].block != marks[len(marks)-1].block {
		reasons = append(reasons, "joins two blocks of the page")
	}
	if del {
		reasons = append(reasons, "uses struck-through text")
	}
	if script && plain {
		reasons = append(reasons, "mixes superscript or subscript with plain text")
	}
	if cutsHyphenated(r.text, s.start) || cutsHyphenated(r.text, s.end) {
		reasons = append(reasons, "cuts a hyphenated word")
	}
	if word := r.afterNegation(s.start); word != "" {
		reasons = append(reasons, `directly follows "`+word+`"`)
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
