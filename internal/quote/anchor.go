package quote

import (
	"slices"
	"strings"
)

// The limits of a text directive in a link, in words: a passage of up to
// maxWholeWords is named whole, a longer one by its first and last anchorEndWords.
const (
	maxWholeWords  = 10
	anchorEndWords = 5
)

// anchor returns the text by which a link finds the passage of a quotation in the
// page: the whole passage, or its first and its last words. It returns nil if no
// browser would find the passage.
func (f Finding) anchor(text string) []string {
	if slices.Contains(f.Reservations, HiddenText) {
		return nil
	}
	first, last := text, text
	if f.Fold == Editing {
		first, last = ends(text)
	}
	start, end := strings.Fields(first), strings.Fields(last)
	whole := first == last && !slices.Contains(f.Reservations, Blocks)
	switch {
	case len(start) == 0 || len(end) == 0:
		return nil
	case whole && len(start) <= maxWholeWords || len(start) == 1 && first == last:
		return []string{strings.Join(start, " ")}
	case first == last:
		// The two may not overlap.
		half := min(anchorEndWords, len(start)/2)
		return []string{strings.Join(start[:half], " "), strings.Join(end[len(end)-half:], " ")}
	}
	return []string{
		strings.Join(start[:min(anchorEndWords, len(start))], " "),
		strings.Join(end[max(0, len(end)-anchorEndWords):], " "),
	}
}

// ends returns the first and the last part of an edited quotation, which are
// words of the page. It drops the brackets around single letters, because
// browsers ignore case.
func ends(text string) (first, last string) {
	text = withoutMarkdown(exact(text))
	forms := editedForms(text)
	e, _ := parse(forms[max(0, len(forms)-2)].text)
	if len(e.parts) == 0 {
		return text, text
	}
	return e.parts[0].text, e.parts[len(e.parts)-1].text
}
