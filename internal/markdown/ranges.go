package markdown

import (
	"strconv"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// parseRanges reads step or line numbers, "2", "2-3" or "2-3,5" (an en dash
// will do), and reports false for anything else. Every range gets pos.
func parseRanges(s string, pos problem.Pos) ([]lesson.Range, bool) {
	var ranges []lesson.Range
	for part := range strings.SplitSeq(strings.ReplaceAll(s, "–", "-"), ",") {
		first, last, two := strings.Cut(part, "-")
		from, err := strconv.Atoi(strings.TrimSpace(first))
		if err != nil {
			return nil, false
		}
		to := from
		if two {
			to, err = strconv.Atoi(strings.TrimSpace(last))
		}
		if err != nil || from < 1 || to < from {
			return nil, false
		}
		ranges = append(ranges, lesson.Range{From: from, To: to, Pos: pos})
	}
	return ranges, true
}

// covers reports whether step n is in one of the ranges.
func covers(ranges []lesson.Range, n int) bool {
	for _, r := range ranges {
		if r.From <= n && n <= r.To {
			return true
		}
	}
	return false
}
