package problem

import (
	"fmt"
	"strings"
	"unicode"
)

// Printable returns s with every character that a terminal would interpret written as
// an escape: control characters as \x1b, bidirectional controls as \u202e. Line
// breaks and tabs are kept.
func Printable(s string) string {
	return escape(s, unprintable, func(r rune) string {
		if r <= 0xFF {
			return fmt.Sprintf(`\x%02x`, r)
		}
		return unicodeEscape(r)
	})
}

// PrintableJSON is Printable for JSON text: the result is JSON of the same value. It
// is needed because encoding/json does not escape DEL and controls beyond ASCII.
func PrintableJSON(s string) string {
	return escape(s, unprintable, unicodeEscape)
}

// VisibleDirections returns s with bidirectional controls written as escapes, \u202e.
func VisibleDirections(s string) string { return escape(s, IsBidiControl, unicodeEscape) }

func unicodeEscape(r rune) string { return fmt.Sprintf(`\u%04x`, r) }

func escape(s string, escaped func(rune) bool, written func(rune) string) string {
	if !strings.ContainsFunc(s, escaped) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if escaped(r) {
			b.WriteString(written(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unprintable(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || IsBidiControl(r)
}

// IsBidiControl reports whether r embeds, overrides or isolates a writing
// direction (U+202A–E, U+2066–9). Such a character changes the order in which text is
// displayed.
func IsBidiControl(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }
