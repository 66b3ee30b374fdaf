package quote

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// The bounds of rule (f), in words.
const (
	mostElided   = 100
	mostReplaced = 6
	leastPart    = 3
)

var (
	sicMark   = regexp.MustCompile(`(?i) ?\[sic[.!]?\]`)
	caseMark  = regexp.MustCompile(`\[(\pL)\]`)
	editMarks = regexp.MustCompile(`(\[ ?\.{3} ?\]|\( ?\.{3} ?\)|\.{3,}|\. \. \.)|(\[[^\[\]]*\])`)
)

// edit is what stands between two parts of an edited quotation.
type edit int

const (
	noEdit edit = iota
	insertion
	elision
)

// part is a stretch of a quotation that must stand on the page as it is, in
// the typography fold.
type part struct {
	before edit
	text   string
}

// searchEdited applies rule (f) to an exact-folded quotation.
func (p *Page) searchEdited(q string) (hit, bool) {
	plain := withoutMarkdown(q)
	if plain != q && wordCount(plain) > 0 {
		if h, ok := p.searchVisible(plain); ok {
			h.notes = append(h.notes, "Markdown marks are left in the quotation")
			return h, true
		}
	}
	for _, form := range editedForms(plain) {
		parts, edits := parse(form)
		if len(parts) == 0 || form == q && len(parts) == 1 && !edits {
			continue
		}
		for _, omit := range p.variant {
			if omit&hiddenText == 0 {
				continue
			}
			if h, ok := p.reading(omit).chain(parts); ok {
				h.notes = withNotes(h.notes, omit)
				return h, true
			}
		}
	}
	return hit{}, false
}

// searchVisible applies rules (b) and (c) for a quotation that was edited.
func (p *Page) searchVisible(q string) (hit, bool) {
	for _, omit := range p.variant {
		if omit&hiddenText == 0 {
			continue
		}
		r := p.reading(omit)
		if spans := typographySpans(r, q); len(spans) > 0 {
			return hit{Editing, r, spans, withNotes(nil, omit)}, true
		}
	}
	return hit{}, false
}

// editedForms gives the quotation without [sic], and with each [x] as it is
// and in the other case.
func editedForms(q string) []string {
	q = fold(q, typographyView).text
	q = sicMark.ReplaceAllString(q, "")
	forms := []string{
		caseMark.ReplaceAllStringFunc(q, func(m string) string { return otherCase(m[1 : len(m)-1]) }),
		caseMark.ReplaceAllString(q, "$1"),
		q,
	}
	return slices.Compact(forms)
}

func otherCase(letter string) string {
	if upper := strings.ToUpper(letter); upper != letter {
		return upper
	}
	return strings.ToLower(letter)
}

// parse splits a quotation at its elisions and insertions. It gives no parts
// where a stretch between elisions is too short to be found by.
func parse(q string) (parts []part, edits bool) {
	before, from, words := noEdit, 0, 0
	add := func(text string) {
		text = strings.TrimSpace(text)
		if wordCount(text) > 0 {
			parts = append(parts, part{before, text})
			words += wordCount(text)
			before = noEdit
		}
	}
	for _, m := range editMarks.FindAllStringSubmatchIndex(q, -1) {
		add(q[from:m[0]])
		from = m[1]
		edits = true
		if m[2] < 0 {
			before = max(before, insertion)
			continue
		}
		before = elision
		if len(parts) > 0 && words < leastPart {
			return nil, true
		}
		words = 0
	}
	add(q[from:])
	if words < leastPart && (before != elision || len(parts) == 0) {
		return nil, edits
	}
	return parts, edits
}

// link is an occurrence of a part that can be reached from the first one.
type link struct {
	span
	previous *link
}

// chain finds the parts in their order, each near enough to the one before
// it. The nearest occurrence skips the fewest words, so it is the only one
// that has to be tried.
func (r *reading) chain(parts []part) (hit, bool) {
	var reached []*link
	for i, p := range parts {
		var next []*link
		for _, s := range typographySpans(r, p.text) {
			if i == 0 {
				next = append(next, &link{span: s})
				continue
			}
			n := sort.Search(len(reached), func(i int) bool { return reached[i].end > s.start })
			if n > 0 && r.maySkip(span{reached[n-1].end, s.start}, p.before) {
				next = append(next, &link{s, reached[n-1]})
			}
		}
		reached = next
	}
	if len(reached) == 0 {
		return hit{}, false
	}
	h := hit{fold: Editing, reading: r}
	for _, last := range reached {
		h.spans = append(h.spans, span{last.first().start, last.end})
	}
	h.notes = append([]string{"edited"}, r.skipped(reached[0])...)
	return h, true
}

func (l *link) first() *link {
	for l.previous != nil {
		l = l.previous
	}
	return l
}

// maySkip reports whether a quotation may leave out the words in s.
func (r *reading) maySkip(s span, e edit) bool {
	most := 0
	switch e {
	case insertion:
		most = mostReplaced
	case elision:
		most = mostElided
	}
	n := 0
	for word := range strings.SplitSeq(r.text[s.start:s.end], " ") {
		n += wordCount(word)
		if n > most || negates(word) {
			return false
		}
	}
	return true
}

// skipped says what the quotation leaves out, in the page's order.
func (r *reading) skipped(l *link) []string {
	var notes []string
	for ; l.previous != nil; l = l.previous {
		words := strings.TrimFunc(r.text[l.previous.end:l.start], unicode.IsSpace)
		if words != "" {
			notes = append(notes, fmt.Sprintf("skips %q", words))
		}
	}
	slices.Reverse(notes)
	return notes
}
