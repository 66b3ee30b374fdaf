package claim

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

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
	const file = "testdata/table.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != b.String() {
		t.Errorf("the table is not %s (%v); it is\n%s", file, err, b.String())
	}
}
