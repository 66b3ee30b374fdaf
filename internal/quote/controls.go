package quote

import (
	"fmt"
	"strings"
	"unicode"

	"verbatim/internal/problem"
)

// controlFault returns a message about a control character that changes the order
// in which a quotation is displayed, or "" if there is none.
func controlFault(quotation string) string {
	i := strings.IndexFunc(quotation, problem.IsBidiControl)
	if i < 0 && !strings.ContainsFunc(quotation, isRightToLeft) {
		// Direction marks are legitimate only beside right-to-left letters.
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
