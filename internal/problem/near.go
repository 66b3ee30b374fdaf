package problem

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// DidYouMean is the hint `did you mean "x"?` for the known word nearest to
// word, or "" when none is near: at most one edit in three letters, and never
// more than three edits.
//
// A known word that looks the same, and differs in its Unicode form, is named
// as that.
func DidYouMean(word string, known []string) string {
	for _, k := range known {
		if SameLook(word, k) {
			return fmt.Sprintf("copy %q from there: it looks the same, and its accents are in another Unicode form, %s", k, form(k))
		}
	}
	best, least := "", min(3, (len(word)+2)/3)+1
	for _, k := range known {
		if d := edits(word, k); d > 0 && d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
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

// edits is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours (Damerau 1964, restricted form).
func edits(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}
