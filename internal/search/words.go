package search

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// maxWord is how many characters of a word count.
const maxWord = 40

// classify reports whether r is part of a word, and whether of a script that
// writes without spaces.
func classify(r rune) (dense, part bool) {
	if r < 0x80 { // most of most texts
		return false, isPlain(byte(r))
	}
	dense = unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r == 'ー'
	return dense, dense || unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// Words returns the words of a text as they are looked up: small letters, cut at
// everything that is neither letter, mark nor digit. Scripts that write without
// spaces are cut into every pair of neighbours, and a single character.
// search.js does the same with what a reader types.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		eachWord(text, func(word []byte) bool { return yield(string(word)) })
	}
}

// eachWord returns the words of a text, each until the next is asked for.
func eachWord(text string, yield func([]byte) bool) {
	var word []byte
	var starts []int // where its characters begin, as far as they count
	packed := false
	end := func() bool {
		run, at := word, starts
		word, starts = word[:0], starts[:0]
		switch {
		case len(at) == 0:
			return true
		case !packed && len(at) > maxWord:
			return yield(run[:at[maxWord]])
		case !packed || len(at) == 1:
			return yield(run)
		}
		at = append(at, len(run))
		for i := 2; i < len(at); i++ {
			if !yield(run[at[i-2]:at[i]]) {
				return false
			}
		}
		return true
	}
	for i := 0; i < len(text); {
		if plain := plainWord(text[i:], len(starts)); plain != "" {
			if word = appendLower(word, plain); !yield(word) {
				return
			}
			word = word[:0]
			i += len(plain)
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		dense, part := classify(r)
		if (!part || dense != packed) && !end() {
			return
		}
		packed = dense
		if part {
			starts = append(starts, len(word))
			word = utf8.AppendRune(word, unicode.ToLower(r))
		}
	}
	end()
}

// plainWord returns the word that text begins with, behind so many characters of
// one, if it consists of ASCII and counts whole; else "". Most words of most
// texts are of that kind.
func plainWord(text string, behind int) string {
	n := 0
	for behind == 0 && n < len(text) && isPlain(text[n]) {
		n++
	}
	if n > maxWord || n < len(text) && text[n] >= utf8.RuneSelf {
		return ""
	}
	return text[:n]
}

func isPlain(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// appendLower appends an ASCII word in small letters.
func appendLower(word []byte, plain string) []byte {
	for i := range len(plain) {
		c := plain[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		word = append(word, c)
	}
	return word
}
