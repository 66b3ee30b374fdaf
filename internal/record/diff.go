package record

import (
	"fmt"
	"strings"
)

// Diff returns the first line that differs between two lists, as it was recorded and
// as it was printed, with invisible characters made visible, or "" if the lists are
// equal.
func Diff(recorded, printed []string) string {
	for i := range max(len(recorded), len(printed)) {
		a, b := "(nothing)", "(nothing)"
		same := i < len(recorded) && i < len(printed)
		if same && recorded[i] == printed[i] {
			continue
		}
		from := 0
		if same {
			from = firstDifference(recorded[i], printed[i])
		}
		if i < len(recorded) {
			a = visible(recorded[i], from)
		}
		if i < len(printed) {
			b = visible(printed[i], from)
		}
		return fmt.Sprintf("line %d\n  recorded %s\n  printed  %s", i+1, a, b)
	}
	return ""
}

func firstDifference(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// visible quotes a line with tabs and blanks at its end made visible. Of a
// long one it shows the part around byte from.
func visible(line string, from int) string {
	const most = 160
	text := strings.TrimRight(line, " ")
	text += strings.Repeat("·", len(line)-len(text))
	head, tail := "", ""
	if start := from - most/2; start > 0 && len(text) > most {
		text, head = strings.ToValidUTF8(text[start:], ""), "…"
	}
	if len(text) > most {
		text, tail = strings.ToValidUTF8(text[:most], ""), "…"
	}
	return head + "\"" + strings.ReplaceAll(text, "\t", "→") + "\"" + tail
}
