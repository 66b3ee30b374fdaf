//go:build unix

package markdown_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"verbatim/internal/cputime"
	"verbatim/internal/markdown"
)

// TestGrowth: a page of testdata/hostile.jsonl that is accepted, and one with
// eight times as much of everything, take times of the processor that are not
// as far apart as squares would be: 64 times. The bound is half of that, and
// what is too quick to tell counts as some milliseconds.
func TestGrowth(t *testing.T) {
	const most, least = 32, 10 * time.Millisecond
	rows, err := os.ReadFile("testdata/hostile.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for row := range bytes.Lines(rows) {
		var h hostile
		if err := json.Unmarshal(row, &h); err != nil {
			t.Fatalf("%v in %s", err, row)
		}
		if h.Problem != "" && !h.Grows || !h.shrink(8) {
			continue
		}
		compared++
		small := []byte(h.page())
		if err := json.Unmarshal(row, &h); err != nil {
			t.Fatal(err)
		}
		base, grown := max(least, processorTime(t, small)), processorTime(t, []byte(h.page()))
		if grown > most*base {
			t.Errorf("%s: an eighth takes %v, all of it %v", h.Name, base, grown)
		}
	}
	if compared < 15 {
		t.Errorf("compared only %d pages", compared)
	}
}

// shrink divides what there is much of, and reports whether there is.
func (h *hostile) shrink(by int) (large bool) {
	for i, p := range h.Parts {
		if times := int(p[1].(float64)); times >= 2000 {
			h.Parts[i][1] = float64(times / by)
			large = true
		}
	}
	return large
}

// processorTime returns the least processor time of two runs that parse and render a page.
func processorTime(t *testing.T, src []byte) time.Duration {
	t.Helper()
	least := time.Hour
	for range 2 {
		before := cputime.Used()
		doc, _ := markdown.ParseWith("in.md", src, 0, markdown.Options{Values: recorded})
		if _, err := doc.HTML(plain{}); err != nil {
			t.Fatal(err)
		}
		doc.Sections()
		least = min(least, cputime.Used()-before)
	}
	return least
}
