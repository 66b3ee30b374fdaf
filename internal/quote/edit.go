package quote

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of rule (f). All but maxEdits are numbers of words.
const (
	maxElided   = 100
	maxReplaced = 6
	minPart     = 3
	maxEdits    = 64
)

var (
	sicMark   = regexp.MustCompile(`(?i) ?\[sic[.!]?\]`)
	caseMark  = regexp.MustCompile(`\[(\pL)\]`)
	editMarks = regexp.MustCompile(`(\[ ?(?:\.{3,4}|\. \. \.) ?\]|\( ?\.{3} ?\)|\.{3,}|\. \. \.)|(\[[^\[\]]*\])`)
)

// edit is what a quotation has in place of words of the page.
type edit struct {
	elided   bool
	inserted []string // the words in brackets
}

func (e edit) isNone() bool { return !e.elided && len(e.inserted) == 0 }

// reasons returns the reservations of the edit. skipped holds the words of the page
// that the edit replaces.
func (e edit) reasons(skipped string) (all []reason) {
	skips := ""
	if skipped != "" {
		skips = fmt.Sprintf("skips %q", skipped)
	}
	if e.elided {
		text := skips
		if text == "" {
			text = "has an elision"
		}
		all = append(all, reason{Elision, text})
	}
	if len(e.inserted) > 0 {
		text := fmt.Sprintf("inserts %q", strings.Join(e.inserted, " "))
		if skips != "" && !e.elided {
			text += ", " + skips
		}
		all = append(all, reason{Insertion, text})
	}
	return all
}

// part is a piece of a quotation without edits. The page must have it, compared
// under the typography fold.
type part struct {
	before edit
	text   string
}

// edited is a quotation divided at its edits.
type edited struct {
	parts []part
	after edit // at its end
}

// edited reports whether the quotation has any edit.
func (e edited) edited() bool {
	return len(e.parts) > 1 || !e.after.isNone() || len(e.parts) == 1 && !e.parts[0].before.isNone()
}

// form is one interpretation of the brackets of a quotation.
type form struct {
	text    string
	reasons []reason
}

// editedForms returns the interpretations of a quotation, without [sic]: with each
// single letter in brackets in the other case, in its own case, and with the
// brackets as an insertion.
func editedForms(q string) []form {
	var reasons []reason
	q = fold(q, typographyView).text
	if bare := sicMark.ReplaceAllString(q, ""); bare != q {
		q, reasons = bare, []reason{{Sic, "[sic] is the lesson's"}}
	}
	as := form{q, reasons}
	if !caseMark.MatchString(q) {
		return []form{as}
	}
	marked := append(reasons[:len(reasons):len(reasons)], reason{LetterCase, "a letter in brackets"})
	return []form{
		{caseMark.ReplaceAllStringFunc(q, func(m string) string { return otherCase(m[1 : len(m)-1]) }), marked},
		{caseMark.ReplaceAllString(q, "$1"), marked},
		as,
	}
}

func otherCase(letter string) string {
	if upper := strings.ToUpper(letter); upper != letter {
		return upper
	}
	return strings.ToLower(letter)
}

// parse divides a quotation at its elisions and insertions. It returns no parts if
// the text between elisions is too short to search for, or if an edit breaks a
// rule; then why is the reason.
func parse(q string) (e edited, why string) {
	var before edit
	from, words := 0, 0
	add := func(text string) {
		text = strings.TrimSpace(text)
		if n := wordCount(text); n > 0 {
			e.parts = append(e.parts, part{before, text})
			words += n
			before = edit{}
		}
	}
	marks := editMarks.FindAllStringSubmatchIndex(q, maxEdits+1)
	if len(marks) > maxEdits {
		return edited{}, fmt.Sprintf("it has more than %d elisions and insertions", maxEdits)
	}
	for _, m := range marks {
		add(q[from:m[0]])
		from = m[1]
		inserted := ""
		if m[2] < 0 {
			inserted = strings.TrimSpace(q[m[4]+1 : m[5]-1])
		}
		if why := markFault(q, m[0], m[1], inserted); why != "" {
			return edited{}, why
		}
		if m[2] < 0 {
			before.inserted = append(before.inserted, inserted)
			continue
		}
		before.elided = true
		if len(e.parts) > 0 && words < minPart {
			return edited{}, shortPart
		}
		words = 0
	}
	add(q[from:])
	e.after = before
	if words < minPart && (!before.elided || len(e.parts) == 0) {
		if len(marks) > 0 {
			why = shortPart
		}
		return edited{}, why
	}
	return e, ""
}

var shortPart = fmt.Sprintf("the parts of it that are the page's have fewer than %d words", minPart)

// markFault returns the rule that the edit q[start:end] breaks whatever the page
// has in its place, or "".
func markFault(q string, start, end int, inserted string) string {
	if word := negationIn(inserted); word != "" {
		return fmt.Sprintf("words in brackets bring the negation %q", word)
	}
	before, _ := utf8.DecodeLastRuneInString(q[:start])
	after, _ := utf8.DecodeRuneInString(q[end:])
	left, right := unicode.IsNumber(before), unicode.IsNumber(after)
	if left && right || (left || right) && inserted != "" {
		return "an elision or words in brackets are part of a number"
	}
	return ""
}
