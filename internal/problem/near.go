package problem

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxEdits is the most edits between a word and one that a hint names.
const maxEdits = 3

// DidYouMean is the hint `did you mean "x"?` for the known word nearest to
// word, or "" when none is near: at most one edit in three letters, and never
// more than three edits. For many words and the same known ones use Names.
//
// A known word that looks the same, and differs in its Unicode form, is named
// as that.
func DidYouMean(word string, known []string) string {
	for _, k := range known {
		if SameLook(word, k) {
			return Hint(word, k)
		}
	}
	return Hint(word, nearest(word, len(word), known))
}

// Hint is the hint that names a known word to the author of another, or "" for
// no known word.
func Hint(word, known string) string {
	switch {
	case known == "":
		return ""
	case SameLook(word, known):
		return fmt.Sprintf("copy %q from there: it looks the same, and its accents are in another Unicode form, %s", known, form(known))
	}
	return fmt.Sprintf("did you mean %q?", known)
}

// SameLook reports whether two different words are the same but for the Unicode
// form of their accents: composed (NFC), as keyboards write them, or decomposed
// (NFD), as some file systems do.
func SameLook(a, b string) bool {
	return a != b && !isASCII(a) && !isASCII(b) && norm.NFC.String(a) == norm.NFC.String(b)
}

func isASCII(s string) bool { return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) }

func form(s string) string {
	if norm.NFC.IsNormalString(s) {
		return "composed (NFC)"
	}
	return "decomposed (NFD)"
}

// nearest returns the first of the known words with the fewest edits, as many as
// a word of a length in bytes may have.
func nearest(word string, length int, known []string) string {
	best, least := "", min(maxEdits, (length+2)/3)+1
	for _, k := range known {
		if d := edits(word, k, least); d > 0 && d < least {
			best, least = k, d
		}
	}
	return best
}

// maxCompared is with how many names a word is compared in each of two orders. A
// site may have as many misspelt names as names.
const maxCompared = 50

// Names are known words that many others are compared with. It may be used by
// several goroutines.
type Names struct {
	known    []string // as given, where they are few
	sorted   []string
	reversed []string // each from its end, sorted

	composed map[string]string // by its composed form (NFC), each that is not ASCII
}

// NewNames returns the known words, in which it finds the nearest to a word
// without looking at each of them.
func NewNames(known []string) *Names {
	n := &Names{composed: map[string]string{}}
	for _, k := range known {
		if !isASCII(k) {
			n.composed[norm.NFC.String(k)] = k
		}
	}
	if len(known) <= maxCompared {
		n.known = slices.Clone(known)
		return n
	}
	n.sorted = slices.Sorted(slices.Values(known))
	for _, k := range n.sorted {
		n.reversed = append(n.reversed, reverse(k))
	}
	slices.Sort(n.reversed)
	return n
}

// DidYouMean is like the function of that name. Of many known words it compares
// those that begin or end most like the word, so that it may miss a word that
// differs at both ends.
func (n *Names) DidYouMean(word string) string { return Hint(word, n.Nearest(word, len(word))) }

// Nearest returns the known word that looks the same or is nearest to word, or ""
// when none has as few edits as a word of length bytes may have.
func (n *Names) Nearest(word string, length int) string {
	if k := n.composed[norm.NFC.String(word)]; k != "" && k != word {
		return k
	}
	if n.sorted == nil {
		return nearest(word, length, n.known)
	}
	candidates := slices.Clone(around(n.sorted, word))
	for _, k := range around(n.reversed, reverse(word)) {
		candidates = append(candidates, reverse(k))
	}
	return nearest(word, length, candidates)
}

// around returns the words of a sorted list beside the place of word: those that
// have the longest beginnings in common with it.
func around(sorted []string, word string) []string {
	at, _ := slices.BinarySearch(sorted, word)
	return sorted[max(0, at-maxCompared/2):min(len(sorted), at+maxCompared/2)]
}

func reverse(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

// edits is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours (Damerau 1964, restricted form). It
// returns limit where the distance is that or more. Its time grows with the
// length of the words times the limit.
func edits(a, b string, limit int) int {
	if surelyFar(a, b, limit) {
		return limit
	}
	s, t := []rune(a), []rune(b)
	// rows[i%3][j-i+limit] is the distance of the first i and j characters; only
	// what is at most limit beside the diagonal can be below limit.
	width := 2*limit + 1
	rows := [3][]int{make([]int, width), make([]int, width), make([]int, width)}
	at := func(i, j int) int {
		if i < 0 || j < 0 || j-i < -limit || j-i > limit {
			return limit
		}
		return rows[i%3][j-i+limit]
	}
	for i := 0; i <= len(s); i++ {
		for j := max(0, i-limit); j <= min(len(t), i+limit); j++ {
			var d int
			switch {
			case i == 0 || j == 0:
				d = i + j
			case s[i-1] == t[j-1]:
				d = at(i-1, j-1)
			default:
				d = 1 + min(at(i-1, j), at(i, j-1), at(i-1, j-1))
			}
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d = min(d, at(i-2, j-2)+1)
			}
			rows[i%3][j-i+limit] = min(d, limit)
		}
	}
	return at(len(s), len(t))
}

// surelyFar reports whether two words are certainly limit edits apart or more: an
// edit changes the length by one, and the letters that only one of them has by
// one.
func surelyFar(a, b string, limit int) bool {
	lettersA, lengthA := letters(a)
	lettersB, lengthB := letters(b)
	return max(lengthA-lengthB, lengthB-lengthA) >= limit ||
		bits.OnesCount64(lettersA&^lettersB) >= limit || bits.OnesCount64(lettersB&^lettersA) >= limit
}

// letters returns the set of a word's characters, each by its last six bits, and
// how many characters there are.
func letters(word string) (set uint64, n int) {
	for _, r := range word {
		set |= 1 << (uint32(r) % 64)
		n++
	}
	return set, n
}

// maxListed is how many names a hint lists.
const maxListed = 10

// Listed joins the first names for a hint, and says how many it leaves out.
func Listed(names []string) string {
	if len(names) <= maxListed {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
}
