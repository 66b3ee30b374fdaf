package record

import (
	"strings"
	"testing"

	"verbatim/internal/lesson"
)

// Only lines in another order count as a difference of order: not other lines,
// values or numbers of them.
func TestOrderDiffers(t *testing.T) {
	transcript := lesson.Example{Commands: []lesson.Command{{Text: "KEYS *"}}}
	masked := lesson.Example{Masks: []lesson.Mask{{Pattern: `\d+`}}}
	for _, row := range []struct {
		name string
		e    lesson.Example
		a, b string
		want bool
	}{
		{"the same", lesson.Example{}, "a b", "a b", false},
		{"another order", lesson.Example{}, "a b c", "c a b", true},
		{"twice one line", lesson.Example{}, "a a b", "b a a", true},
		{"another count", lesson.Example{}, "a a b", "a b b", false},
		{"one more line", lesson.Example{}, "a b", "b a c", false},
		{"another line", lesson.Example{}, "a b", "b x", false},
		{"unordered already", lesson.Example{Unordered: true}, "a b", "b a", false},
		{"numbered items", transcript, `1)x 2)y`, `1)y 2)x`, true},
		{"numbered items of a program", lesson.Example{}, `1)x 2)y`, `1)y 2)x`, false},
		{"nested items", transcript, `1)1)x 2)y`, `1)1)y 2)x`, true},
		{"masked lines", masked, "a1 b2", "b7 a9", true},
		{"masked the same", masked, "a1 b2", "a7 b9", false},
	} {
		evidence := func(s string) *Evidence { return &Evidence{Output: []byte(strings.ReplaceAll(s, " ", "\n") + "\n")} }
		if got := OrderDiffers(row.e, evidence(row.a), evidence(row.b)); got != row.want {
			t.Errorf("%s: %t", row.name, got)
		}
	}
	a, b := &Evidence{Output: []byte("a\nb\n"), Values: map[string]string{"n": "1"}}, &Evidence{Output: []byte("b\na\n"), Values: map[string]string{"n": "2"}}
	if OrderDiffers(lesson.Example{}, a, b) {
		t.Error("another value too: it is not only the order")
	}
}
