package quote

import (
	"slices"
	"strings"
)

// The words of a text directive: a whole passage up to the first number, and
// of a longer one so many of its beginning and its end.
const (
	maxWholeWords  = 10
	anchorEndWords = 5
)

// anchor returns how a link finds the passage of a quotation in the page: by
// one text that the page has in one place, or by the first and the last words
// of a longer one. It is nil where no browser would find it.
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
// the page's own words. Letters in brackets lose these: browsers ignore case.
func ends(text string) (first, last string) {
	text = withoutMarkdown(exact(text))
	forms := editedForms(text)
	e, _ := parse(forms[max(0, len(forms)-2)].text)
	if len(e.parts) == 0 {
		return text, text
	}
	return e.parts[0].text, e.parts[len(e.parts)-1].text
}
