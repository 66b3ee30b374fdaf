package claim

import (
	"fmt"
	"strings"
	"testing"

	"verbatim/internal/golden"
)

// TestTable compares ids, words and conditions, side by side, with
// testdata/table.txt: what a page may say changes only on purpose.
func TestTable(t *testing.T) {
	var b strings.Builder
	seen := map[ID]bool{}
	for _, r := range Table {
		if seen[r.ID] || r.Word == "" || r.Condition == "" || r.Mark == "" {
			t.Errorf("the row %q is incomplete, or there twice", r.ID)
		}
		if r.Tone == "ok" != (r.Mark == "full" && r.ID != OwnPage) {
			t.Errorf("the row %q: only a full mark is green, and only a page of our own is full without it", r.ID)
		}
		seen[r.ID] = true
		fmt.Fprintf(&b, "claim.%-16s %-26s %-5s %-5s %s\n", r.ID, r.Word, r.Mark, r.Tone, r.Condition)
	}
	for state, noted := range withNote {
		if !seen[state] || !seen[noted] {
			t.Errorf("%s or %s has no row", state, noted)
		}
	}
	for _, state := range quotationStates {
		if !seen[state] {
			t.Errorf("%s has no row", state)
		}
	}
	golden.File(t, "testdata/table.txt", []byte(b.String()))
}
