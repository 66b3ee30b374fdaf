package quote

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// negations are the English words that reverse what is said, in lower case.
var negations = wordSet(`
	not no never cannot nor neither none non without nobody nothing nowhere
	hardly barely scarcely seldom rarely nought naught
	aint arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt mightnt
	mustnt neednt shant shouldnt wasnt werent wont wouldnt
`)

// otherNegations are the words that reverse what is said in other languages than
// English. In an English text they are names or parts of terms: "sans serif".
var otherNegations = wordSet(`
	nicht nichts kein keine keinen keinem keiner keines nie niemals nirgends ohne weder
	ne pas jamais sans aucun aucune rien ni
	nunca jamás sin ningún ninguno ninguna tampoco nada
	senza mai né nessun nessuno nessuna
	não nem sem nenhum nenhuma
	niet geen nooit zonder inte aldrig utan ikke aldri uten uden
	не ни нет никогда без нельзя nie bez nigdy není nikdy
	δεν μην χωρίς ποτέ όχι ούτε
	değil hiç asla yok không chưa tidak bukan tanpa jangan belum
	لا ليس ليست لم لن دون بدون غير نه نیست هیچ هرگز
	לא אין בלי ללא नहीं न बिना 안 말고
`)

// negatingSyllables reverse what is said wherever they are in a word: these
// languages write no spaces, or add them to the verb.
var negatingSyllables = []string{
	"不", "没", "沒", "無", "无", "未", "勿", "毋", "否", "非", "ない", "なく", "なかっ", "ません", "ずに",
	"ไม่", "않", "없", "못", "아니",
}

// notNegating removes what only looks like a negation: "very", "whether".
var notNegating = strings.NewReplacer("非常", "", "是否", "")

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(s) {
		set[word] = true
	}
	return set
}

// isApostrophe reports whether pages use r for the apostrophe of "isn't".
func isApostrophe(r rune) bool {
	return strings.ContainsRune("'`´‘’‛′ʹʻʼʽˈˊˋ՚׳ߴꞋꞌ＇｀", r)
}

// negationIn returns the first negation in s, of any language, or "".
func negationIn(s string) string { return negationWhere(s, negates) }

// negationIn returns the first negation in the words of the page in s, or "". Words of
// other languages do not count where the text around them is English.
func (r *reading) negationIn(s span) string {
	text := r.text[s.start:s.end]
	word := negationIn(text)
	if word == "" || !r.isEnglish(s) {
		return word
	}
	return negationWhere(text, func(word string) bool { return !otherNegations[word] && negates(word) })
}

func negationWhere(s string, is func(word string) bool) string {
	for word := range plainWords(s) {
		if word = strings.Trim(word, "'"); is(word) {
			return word
		}
	}
	return ""
}

// englishWords are frequent in English and mean nothing in the languages of
// otherNegations.
var englishWords = wordSet(`the of and to that with are this it was from you be which have by an as at`)

// The text around a place that shows its language: at most maxAround bytes on each
// side, in the block, with at least minEnglish of englishWords, one in englishShare.
const (
	maxAround    = 200
	minEnglish   = 3
	englishShare = 8
)

// isEnglish reports whether the text around s is English.
func (r *reading) isEnglish(s span) bool {
	if s.start >= s.end {
		return false
	}
	from, to := max(s.start-maxAround, 0), min(s.end+maxAround, len(r.text))
	for from < s.start && r.blockAt(from) != r.blockAt(s.start) {
		from++
	}
	for to > s.end && r.blockAt(to-1) != r.blockAt(s.end-1) {
		to--
	}
	english, words := 0, 0
	for word := range plainWords(r.text[from:to]) {
		words++
		if englishWords[word] {
			english++
		}
	}
	return english >= minEnglish && english*englishShare >= words
}

// plainWords returns the words of s, normalized. A word ends at every character that is
// not a letter or an apostrophe.
func plainWords(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(normalized(s), func(r rune) bool {
		return r != '\'' && !unicode.IsLetter(r) && !unicode.IsMark(r)
	})
}

// normalized returns s in lower case, with one kind of apostrophe and without
// compatibility forms and joiners, which no reader sees.
func normalized(s string) string {
	if !isASCII(s) {
		s = strings.Map(func(r rune) rune {
			switch {
			case isApostrophe(r):
				return '\''
			case unicode.Is(unicode.Cf, r), 0x0335 <= r && r <= 0x0338: // strokes through a letter
				return -1
			}
			return r
		}, s)
		s = norm.NFKC.String(s)
	}
	return strings.ToLower(strings.ReplaceAll(s, "`", "'"))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// negates reports whether a normalized word is a negation.
func negates(word string) bool {
	if negations[word] || otherNegations[word] || strings.HasSuffix(word, "n't") {
		return true
	}
	for rest := word; strings.Contains(rest, "'"); {
		var part string
		if part, rest, _ = strings.Cut(rest, "'"); part == "n" || negations[part] || negations[rest] || otherNegations[part] || otherNegations[rest] { // "n'est"
			return true
		}
	}
	if isASCII(word) {
		return false
	}
	word = notNegating.Replace(word)
	for _, s := range negatingSyllables {
		if strings.Contains(word, s) {
			return true
		}
	}
	return false
}

// maxNegationBytes bounds the bytes in which a negation before a passage is looked
// for: text without spaces may be one word of any length.
const maxNegationBytes = 64

// afterNegation returns the negation that is directly before offset i, or "".
// Marks that do not end a clause may be between them.
func (r *reading) afterNegation(i int) string {
	from := max(i-maxNegationBytes, 0)
	before := withoutSeparators(r.text[from:i])
	if before == "" || r.blockAt(i) != r.blockAt(from+len(before)-1) {
		return ""
	}
	return negationAtEnd(before)
}

// withoutSeparators returns text without the marks at its end that do not end a
// clause.
func withoutSeparators(text string) string {
	return strings.TrimRightFunc(text, func(c rune) bool {
		return c == ' ' || unicode.In(c, unicode.Pd, unicode.Ps, unicode.Pi) || strings.ContainsRune(`"'*_/`, c)
	})
}

// negationAtEnd returns the negation that text ends in, or "".
func negationAtEnd(text string) string {
	last, _ := utf8.DecodeLastRuneInString(text)
	if !isWordRune(last) {
		return ""
	}
	word := ""
	for w := range plainWords(text) {
		word = strings.Trim(w, "'")
	}
	if isUnspaced(last) {
		word = lastRunes(word, 4) // the syllables next to the passage
	}
	if !negates(word) {
		return ""
	}
	return word
}

// blockAt returns the number of the block that the byte at offset belongs to.
func (r *reading) blockAt(offset int) int { return r.marks[r.markIndex(offset)].block }
