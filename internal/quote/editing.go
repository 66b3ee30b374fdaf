package quote

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// searchEdited applies rule (f) to an exact-folded quotation. If it finds nothing,
// why is the rule that an edit breaks, or "".
func (p *Page) searchEdited(q string) (h hit, why string, ok bool) {
	plain := withoutMarkdown(q)
	var marks []reason
	if plain != q && wordCount(plain) > 0 {
		marks = []reason{{Markup, "Markdown marks are left in the quotation"}}
		if h, ok := p.searchVisible(plain); ok {
			h.reasons = append(h.reasons, marks...)
			return h, "", true
		}
	}
	for _, form := range editedForms(plain) {
		e, fault := parse(form.text)
		if fault != "" {
			why = fault
		}
		if len(e.parts) == 0 || len(form.reasons) == 0 && !e.edited() {
			continue
		}
		for _, omit := range p.variant {
			if omit&hiddenText == 0 {
				continue
			}
			h, fault, ok := p.reading(omit).find(e)
			if !ok {
				if fault != "" {
					why = fault
				}
				continue
			}
			h.reasons = slices.Concat(marks, form.reasons, h.reasons)
			h.notes = withNotes(nil, omit)
			return h, "", true
		}
	}
	return hit{}, why, false
}

// searchVisible applies rules (b) and (c) to an edited quotation.
func (p *Page) searchVisible(q string) (hit, bool) {
	for _, omit := range p.variant {
		if omit&hiddenText == 0 {
			continue
		}
		r := p.reading(omit)
		if spans := typographySpans(r, q); len(spans) > 0 {
			return hit{fold: Editing, reading: r, spans: spans, notes: withNotes(nil, omit)}, true
		}
	}
	return hit{}, false
}

// link is an occurrence of a part that can be reached from the first one.
type link struct {
	span
	previous *link
}

// maxPlaces bounds the occurrences of one part that are tried.
const maxPlaces = 1 << 13

// find searches for the parts in their order, each close enough to the previous
// one. It tries only the nearest occurrence, because that skips the fewest words.
// If the page has the parts, but an edit may not replace the words between them,
// why is the reason.
func (r *reading) find(e edited) (h hit, why string, ok bool) {
	var reached []*link
	for i, p := range e.parts {
		var next []*link
		places := typographySpans(r, p.text)
		for _, s := range places[:min(len(places), maxPlaces)] {
			n := sort.Search(len(reached), func(i int) bool { return reached[i].end > s.start })
			l := &link{span: s}
			fault := ""
			switch {
			case i == 0:
				fault = r.faultAhead(s, p.before)
			case n == 0:
				continue
			default:
				l.previous = reached[n-1]
				fault = r.faultOf(span{l.previous.end, s.start}, p.before)
			}
			if i == len(e.parts)-1 && fault == "" {
				fault = r.faultBehind(s, e.after)
			}
			if fault != "" {
				why = fault
				continue
			}
			next = append(next, l)
		}
		if len(next) == 0 {
			return hit{}, why, false
		}
		reached = next
	}
	h = hit{fold: Editing, reading: r}
	for _, last := range reached {
		h.spans = append(h.spans, span{last.first().start, last.end})
	}
	h.reasons = r.reasonsOf(e, reached[0])
	return h, "", true
}

func (l *link) first() *link {
	for l.previous != nil {
		l = l.previous
	}
	return l
}

// faultOf returns why an edit may not replace the words of the page in s, or "".
func (r *reading) faultOf(s span, e edit) string {
	most := 0
	switch {
	case e.elided:
		most = maxElided
	case len(e.inserted) > 0:
		most = maxReplaced
	}
	text, n := r.text[s.start:s.end], 0
	for word := range strings.SplitSeq(text, " ") {
		if n += wordCount(word); n > most {
			return fmt.Sprintf("more than %d words of the page are left out in one place", most)
		}
	}
	if word := r.negationIn(s); word != "" {
		return fmt.Sprintf("what is left out holds the negation %q", word)
	}
	if len(e.inserted) == 0 {
		return ""
	}
	if r.inBrackets(s) {
		return "words in brackets replace words that the page itself has in brackets"
	}
	return replacedFault(text)
}

// replacedFault returns why words in brackets may not replace text, or "".
func replacedFault(text string) string {
	switch {
	case strings.ContainsFunc(text, unicode.IsNumber):
		return fmt.Sprintf("words in brackets replace a number: %q", strings.TrimSpace(text))
	case strings.ContainsFunc(text, isBracket):
		return fmt.Sprintf("words in brackets replace words that the page itself has in brackets: %q", strings.TrimSpace(text))
	}
	return ""
}

func isBracket(r rune) bool { return unicode.In(r, unicode.Ps, unicode.Pe) }

// maxBracketBytes bounds the bytes in which the bracket that encloses a place is
// looked for.
const maxBracketBytes = 4096

// inBrackets reports whether the start of s lies between square brackets of
// the page, in one block.
func (r *reading) inBrackets(s span) bool {
	from := max(s.start-maxBracketBytes, 0)
	before := r.text[from:s.start]
	open := strings.LastIndexByte(before, '[')
	return open > strings.LastIndexByte(before, ']') && r.blockAt(from+open) == r.blockAt(max(s.start-1, 0))
}

// faultAhead returns why a quotation may not begin with an edit, or "". The words
// that the edit replaces are those before s in the same sentence.
func (r *reading) faultAhead(s span, e edit) string {
	if e.isNone() {
		return ""
	}
	from, n := s.start, 0
	for from > 0 && n < maxReplaced && r.blockAt(from-1) == r.blockAt(s.start) {
		word := strings.LastIndexByte(r.text[:from-1], ' ') + 1
		if endsSentence(r.text[word:from]) {
			break
		}
		from = word
		n++
	}
	text := r.text[from:s.start]
	return faultBeside(text, text[strings.LastIndexAny(text, clauseEnds)+1:], e)
}

// faultBehind is faultAhead for an edit at the end of a quotation.
func (r *reading) faultBehind(s span, e edit) string {
	if e.isNone() {
		return ""
	}
	to, n := s.end, 0
	for to < len(r.text) && n < maxReplaced && r.blockAt(min(to+1, len(r.text)-1)) == r.blockAt(s.end-1) {
		size := strings.IndexByte(r.text[to+1:], ' ') + 1
		if size == 0 {
			size = len(r.text) - to
		}
		to += size
		n++
		if endsSentence(r.text[s.end:to]) {
			break
		}
	}
	text := r.text[s.end:to]
	clause := text
	if i := strings.IndexAny(text, clauseEnds); i >= 0 {
		clause = text[:i]
	}
	return faultBeside(text, clause, e)
}

// clauseEnds are the punctuation marks that bound the words which an insertion at
// an end of a quotation replaces.
const clauseEnds = ",;:.!?"

func endsSentence(s string) bool {
	s = strings.TrimRight(s, ` "'”’)]»`)
	return s != "" && strings.ContainsAny(s[len(s)-1:], ".!?") || strings.HasSuffix(s, "。") || strings.HasSuffix(s, "！") || strings.HasSuffix(s, "？")
}

// faultBeside returns why an edit may not be beside a passage, or "". sentence is
// the rest of the sentence on that side, clause its nearest clause.
func faultBeside(sentence, clause string, e edit) string {
	if word := negationIn(sentence); word != "" {
		return fmt.Sprintf("what is left out holds the negation %q", word)
	}
	if len(e.inserted) > 0 {
		return replacedFault(clause)
	}
	return ""
}

// reasonsOf returns the reservations of all edits, in the page's order.
func (r *reading) reasonsOf(e edited, l *link) []reason {
	reasons := e.after.reasons("")
	for i := len(e.parts) - 1; i >= 0; i-- {
		skipped := ""
		if l.previous != nil {
			skipped = strings.TrimSpace(r.text[l.previous.end:l.start])
			l = l.previous
		}
		reasons = append(e.parts[i].before.reasons(skipped), reasons...)
	}
	return reasons
}
