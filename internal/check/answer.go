package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// answers: the keyed option of a question with check= begins with the value
// that its example computed, and no other option does.
func answers(s *Site, l *lesson.Lesson, ps *problem.List) {
	for _, c := range l.Body.Containers {
		check, ok := c.Attr["check"]
		if !ok {
			continue
		}
		example, name, found := strings.Cut(check, "#")
		if !found || name == "" {
			ps.AddHint(c.Pos, "answer", "write it as check=\"example#value\"", "check=%q names no value", check)
			continue
		}
		value, ok := s.value(c.Pos, example, name, ps)
		if !ok {
			continue
		}
		if s.examples[example].Tolerance[name] != 0 {
			ps.AddHint(c.Pos, "answer", "record a value that is the same in every run, and check the answer against that one",
				"%s has a tolerance, so another run may compute another answer", check)
		}
		switch keys := lettersOf(c.Key); {
		case len(c.Options) == 0:
			if !beginsWith(c.AnswerShown, value) {
				ps.AddHint(c.Pos, "answer", "the run says: "+value, "the answer does not begin with what %s computed", check)
			}
		case len(keys) > 1:
			if !slices.Equal(keys, lettersOf(value)) {
				ps.AddHint(c.Pos, "answer", "the run says: "+value, "the key %s is not the list of letters that %s computed", c.Key, check)
			}
		default:
			options(c, check, value, ps)
		}
	}
}

// options checks the options of a question with one right answer.
func options(c *lesson.Container, check, value string, ps *problem.List) {
	for _, o := range c.Options {
		is := beginsWith(o.Shown, value)
		if o.Letter != c.Key {
			is = is || beginsWith(norm.NFKC.String(o.Shown), value) // ４ looks like 4
		}
		switch {
		case o.Letter == c.Key && !is:
			ps.AddHint(o.Pos, "answer", "the run says: "+value, "the keyed option %s does not begin with what %s computed", o.Letter, check)
		case o.Letter != c.Key && is:
			ps.AddHint(o.Pos, "answer", fmt.Sprintf("the run says: %s; the key is %s", value, c.Key),
				"option %s begins with what %s computed, too", o.Letter, check)
		}
	}
}

var letterList = regexp.MustCompile(`^[A-Z](?:[, ]+[A-Z])*$`)

// lettersOf returns the sorted letters of a list such as "A, C", or nil where
// text is no such list.
func lettersOf(text string) []string {
	if !letterList.MatchString(text) {
		return nil
	}
	letters := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	slices.Sort(letters)
	return letters
}

// What may follow a number that an answer begins with. Punctuation ends it,
// unless a number goes on behind; then the answer names another number.
var (
	numberEnds   = regexp.MustCompile(`^(?:$|[,;:.)(–—]|\p{Zs}+[(–—-])`)
	numberGoesOn = regexp.MustCompile(`^(?:[,;:.(–—]\p{N}|[,.]\p{Zs}*\p{N}{3}(?:$|\P{N})|\p{Zs}+(?:[(–—]\p{Zs}*|-\p{Zs}*)\p{N}|\p{Zs}+-\p{L})`)
	nextWord     = regexp.MustCompile(`^\p{Zs}+([\p{L}\p{M}]+)(.*)`)
	wordGoesOn   = regexp.MustCompile(`^[\p{L}\p{N}]`)
)

// beginsWith reports whether text begins with value and does not go on with it:
// "4, because …" begins with "4"; "40", "4.5", "4 000", "4/5" and "4 %" do not.
func beginsWith(text, value string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(visible(text)), value)
	if !ok || value == "" {
		return false
	}
	if last, _ := utf8.DecodeLastRuneInString(value); !unicode.IsDigit(last) {
		return !wordGoesOn.MatchString(rest)
	}
	if numberGoesOn.MatchString(rest) {
		return false
	}
	if numberEnds.MatchString(rest) {
		return true
	}
	m := nextWord.FindStringSubmatch(rest)
	if m == nil || lesson.ChangesNumber(m[1], m[2]) {
		return false
	}
	return !wordGoesOn.MatchString(m[2])
}

// visible returns text without invisible characters: formatting
// characters, variation selectors and the fillers of Hangul.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r),
			r == '\u034f', r == '\u115f', r == '\u1160', r == '\u17b4', r == '\u17b5', r == '\u3164', r == '\uffa0':
			return -1
		}
		return r
	}, text)
}
