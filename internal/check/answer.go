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

// changesNumber are the words that make another number, or a range, of the
// number before them.
var changesNumber = wordSet(`
	zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
	sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
	dozen dozens score gross tens twenties thou grand hundred hundreds thousand thousands million millions billion billions
	trillion trillions bn mn lakh crore half halves third thirds quarter quarters fifths tenth tenths
	sixth sixths seventh sevenths eighth eighths ninth ninths twelfths hundredths thousandths
	quadrillion mil mille mio mrd hundert tausend millionen milliarden millones millions point percent percents pct percentage permille promille
	k m g t x e kilo mega giga tera peta milli micro nano fold
	times plus minus mod modulo modulus factorial choose xor exp bis over to through thru till or by divided multiplied squared cubed power`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// andMore matches "and" or "per" where these change the number before. The word
// after "and" is in the first group.
var andMore = regexp.MustCompile(`^(?i:and\p{Zs}+(?:an?\p{Zs}|\p{N}|([\p{L}\p{M}]+))|per\p{Zs}+(?:cent|mille)\b)`)

// bigNumerals are the characters that multiply the number before them in Chinese,
// Japanese and Korean.
const bigNumerals = "十百千万萬億亿兆십백천만억조"

// changes reports whether the word after a number, which rest follows, makes
// another number of it.
func changes(word, rest string) bool {
	if changesNumber[strings.ToLower(word)] || strings.ContainsRune(bigNumerals, firstRune(word)) {
		return true
	}
	m := andMore.FindStringSubmatch(word + rest)
	return m != nil && (m[1] == "" || changesNumber[strings.ToLower(m[1])])
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

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
	if m == nil || changes(m[1], m[2]) {
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
