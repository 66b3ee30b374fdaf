package lesson

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// multiplyNumber holds the words that multiply or divide the number before them
// wherever they are: 4 million is not 4.
var multiplyNumber = wordSet(`
	dozen dozens thou grand hundred hundreds thousand thousands million millions billion billions
	trillion trillions quadrillion quadrillions bn mn lakh lakhs crore crores
	halves thirds fifths sixths sevenths eighths ninths tenths twelfths hundredths thousandths millionths
	mil mille mio mrd hundert tausend millionen milliarden millones milliards kilo mega giga tera peta milli micro nano`)

// changeNumber holds the other words that make another number, or a range, of the
// number that an answer begins with.
var changeNumber = wordSet(`
	zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
	sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
	score gross tens twenties half third quarter quarters tenth sixth seventh eighth ninth
	point percent percents pct percentage permille promille k m g t x e fold
	times plus minus mod modulo modulus factorial choose xor exp bis over to through thru till or by divided multiplied squared cubed power`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// bigNumerals are the characters that multiply the number before them in Chinese,
// Japanese and Korean.
const bigNumerals = "十百千万萬億亿兆십백천만억조"

// andMore matches "and" or "per" where these change the number before. The word
// after "and" is in the first group.
var andMore = regexp.MustCompile(`^(?i:and\p{Zs}+(?:an?\p{Zs}|\p{N}|([\p{L}\p{M}]+))|per\p{Zs}+(?:cent|mille)\b)`)

// ChangesNumber reports whether the word after the number that an answer begins
// with makes another number of it. rest is the text after the word.
func ChangesNumber(word, rest string) bool {
	if isChange(word) {
		return true
	}
	m := andMore.FindStringSubmatch(word + rest)
	return m != nil && (m[1] == "" || isChange(m[1]))
}

func isChange(word string) bool {
	lower := strings.ToLower(word)
	return changeNumber[lower] || multiplies(word)
}

// multiplies reports whether a word multiplies or divides the number before it.
func multiplies(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return multiplyNumber[strings.ToLower(word)] || strings.ContainsRune(bigNumerals, first)
}

var (
	behindNumber = regexp.MustCompile(`^[\p{Zs}\n]*-?([\p{L}\p{M}]+)`)
	prefixAlone  = regexp.MustCompile(`^\p{Zs}*([kKMGT])(?:$|[^\p{L}\p{N}/_-])`)
	andFraction  = regexp.MustCompile(`(?i)^[\p{Zs}\n]+and[\p{Zs}\n]+(?:a[\p{Zs}\n]+|one[\p{Zs}\n-]+|three[\p{Zs}\n-]+)?(?:half|third|quarters?)\b`)
)

// MultipliedBy returns the beginning of text that multiplies or divides the number
// before it, or adds a fraction to it, in prose: "million", "k", "and a half". It
// returns "" if there is none.
func MultipliedBy(text string) string {
	if m := prefixAlone.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if m := behindNumber.FindStringSubmatch(text); m != nil && multiplies(m[1]) {
		return m[1]
	}
	return strings.TrimSpace(andFraction.FindString(text))
}
