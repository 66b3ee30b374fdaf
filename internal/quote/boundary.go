package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isWordRune reports whether a character is part of a word or number.
func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// unspaced are the scripts that write no space between words, so that a word
// of theirs may begin or end anywhere.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func isUnspaced(r rune) bool { return r >= 0x0E00 && unicode.In(r, unspaced...) }

// joins reports whether a character always belongs to the one before it: combining
// marks, joiners, emoji modifiers.
func joins(r rune) bool {
	return unicode.IsMark(r) || r == 0x200C || r == 0x200D || 0x1F3FB <= r && r <= 0x1F3FF
}

// cutsWord reports whether offset i of s lies inside a word or a number.
func (r *reading) cutsWord(i int) bool {
	s := r.text
	if i <= 0 || i >= len(s) {
		return false
	}
	before, size := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	if joins(after) || before == 0x200C || before == 0x200D {
		return true
	}
	if isUnspaced(before) || isUnspaced(after) {
		return false
	}
	if isWordRune(before) && isWordRune(after) {
		return true
	}
	return r.cutsNumber(i, before, after, size) || cutsContraction(s, i, before, after, size)
}

// cutsNumber reports whether the edge at i lies inside 0.003, 1,000, −5 or a
// number whose thousands are set apart by a thin space.
func (r *reading) cutsNumber(i int, before, after rune, size int) bool {
	s := r.text
	ahead, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(after):])
	behind, _ := utf8.DecodeLastRuneInString(s[:i-size])
	switch {
	case unicode.IsDigit(after) && strings.ContainsRune(".,", before):
		return unicode.IsDigit(behind) || before == '.' && (behind == ' ' || i-size == 0)
	case unicode.IsDigit(before) && strings.ContainsRune(".,", after):
		return unicode.IsDigit(ahead)
	case unicode.IsDigit(after) && strings.ContainsRune("-−+", before):
		return i-size == 0 || strings.ContainsRune(" (", behind)
	case unicode.IsDigit(after) && before == ' ':
		return unicode.IsDigit(behind) && r.isTight(i-1)
	case unicode.IsDigit(before) && after == ' ':
		return unicode.IsDigit(ahead) && r.isTight(i)
	}
	return false
}

// cutsContraction reports whether the edge at i lies inside "can't".
func cutsContraction(s string, i int, before, after rune, size int) bool {
	ahead, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(after):])
	behind, _ := utf8.DecodeLastRuneInString(s[:i-size])
	switch {
	case before == '\'' || before == '’':
		return unicode.IsLetter(behind) && unicode.IsLetter(after)
	case after == '\'' || after == '’':
		return unicode.IsLetter(before) && unicode.IsLetter(ahead)
	}
	return false
}

// cutsHyphenated reports whether the edge at i lies inside "well-known" or
// "10–20".
func cutsHyphenated(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return false
	}
	before, size := utf8.DecodeLastRuneInString(s[:i])
	after, width := utf8.DecodeRuneInString(s[i:])
	switch {
	case isHyphen(before):
		behind, _ := utf8.DecodeLastRuneInString(s[:i-size])
		return isWordRune(behind) && isWordRune(after)
	case isHyphen(after):
		ahead, _ := utf8.DecodeRuneInString(s[i+width:])
		return isWordRune(before) && isWordRune(ahead)
	}
	return false
}

func isHyphen(r rune) bool { return r == '-' || '‐' <= r && r <= '–' }

// The least that can be called a quotation.
const (
	minWords      = 3
	minCharacters = 12
	minUnspaced   = 4
)

// tooShort returns the reason why an exact-folded quotation is too short to mean anything,
// or "".
func tooShort(s string) string {
	letters, cjk := 0, 0
	for _, r := range s {
		if !isWordRune(r) {
			continue
		}
		letters++
		if isUnspaced(r) || unicode.Is(unicode.Hangul, r) {
			cjk++
		}
	}
	if cjk*2 > letters {
		if utf8.RuneCountInString(s) < minUnspaced {
			return "has fewer than 4 characters"
		}
		return ""
	}
	if wordCount(s) < minWords {
		return "has fewer than 3 words"
	}
	if utf8.RuneCountInString(s) < minCharacters {
		return "has fewer than 12 characters"
	}
	return ""
}

// wordCount returns the number of words of an exact-folded text. A word is between
// spaces and has a letter or a digit; each character of a script without spaces
// counts as one.
func wordCount(s string) int {
	n := 0
	for word := range strings.SplitSeq(s, " ") {
		cjk, other := 0, 0
		for _, r := range word {
			switch {
			case isUnspaced(r):
				cjk++
			case isWordRune(r):
				other = 1
			}
		}
		n += cjk + other
	}
	return n
}
