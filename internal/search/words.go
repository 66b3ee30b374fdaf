package search

import (
	"iter"
	"unicode"
)

// maxWord is how many characters of a word count.
const maxWord = 40

// classify tells whether r is part of a word, and whether of a script that
// writes without spaces.
func classify(r rune) (dense, part bool) {
	if r < 0x80 { // most of most texts
		return false, '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	dense = unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー'
	return dense, dense || unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// Words gives the words of a text as they are looked up: small letters, cut at
// everything that is neither letter, mark nor digit. Scripts that write without
// spaces give every pair of neighbours, and a character that stands alone.
// search.js does the same with what a reader types.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var word []rune
		packed := false
		end := func() bool {
			run := word
			word = word[:0]
			if !packed {
				return len(run) == 0 || yield(string(run[:min(len(run), maxWord)]))
			}
			if len(run) == 1 {
				return yield(string(run))
			}
			for i := 1; i < len(run); i++ {
				if !yield(string(run[i-1 : i+1])) {
					return false
				}
			}
			return true
		}
		for _, r := range text {
			dense, part := classify(r)
			if (!part || dense != packed) && !end() {
				return
			}
			packed = dense
			if part {
				word = append(word, unicode.ToLower(r))
			}
		}
		end()
	}
}
