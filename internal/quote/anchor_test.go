package quote

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestAnchor compares how a link finds a passage with the rows of
// testdata/anchors.jsonl.
func TestAnchor(t *testing.T) {
	data, err := os.ReadFile("testdata/anchors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var row struct {
			Page, Quote string
			Want        []string
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		page, err := ReadPage("p.html", strings.NewReader(row.Page), nil)
		if err != nil {
			t.Fatal(err)
		}
		f := page.Find(row.Quote)
		if f.Verdict == NoMatch {
			t.Errorf("%q is not in the page: %q", row.Quote, f.Notes)
			continue
		}
		got := f.anchor(row.Quote)
		if !slices.Equal(got, row.Want) {
			t.Errorf("%q is found by %q, want %q", row.Quote, got, row.Want)
		}
		for _, text := range got {
			if !strings.Contains(strings.ToLower(exact(page.Text())), strings.ToLower(text)) {
				t.Errorf("%q is not in the page %q", text, page.Text())
			}
		}
	}
}
