package quote

import (
	"fmt"
	"strings"
	"unicode"
)

// controlFault returns why the control characters of a quotation make it show
// other words than it has, or "". Those of a page are ignored.
func controlFault(quotation string) string {
	i := strings.IndexFunc(quotation, func(r rune) bool {
		return 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
	})
	if i < 0 && !strings.ContainsFunc(quotation, isRightToLeft) {
		// Marks of direction mean something beside right-to-left letters alone.
		i = strings.IndexFunc(quotation, func(r rune) bool { return r == 0x200F || r == 0x061C })
	}
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("the quotation has the control character %U, which changes the order in which readers see the words", []rune(quotation[i:])[0])
}

// isRightToLeft reports whether r is a letter of a script that is written from
// right to left.
func isRightToLeft(r rune) bool {
	return r >= 0x0590 && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko,
		unicode.Samaritan, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya)
}
