package markdown_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"verbatim/internal/markdown"
)

// hostile is a page that no one writes by hand: parts, each as often as its
// number says, in which § is how often it was there before. Each time, the
// indent is written once more before it.
type hostile struct {
	Name    string
	Indent  string
	Parts   [][2]any
	Problem string // the first problem's first line; "" is none
	Grows   bool   // the page is read whole in spite of its problems
}

func (h hostile) page() string {
	var b strings.Builder
	for _, p := range h.Parts {
		text, times := p[0].(string), int(p[1].(float64))
		before, after, numbered := strings.Cut(text, "§")
		for i := range times {
			b.WriteString(strings.Repeat(h.Indent, i))
			b.WriteString(before)
			if numbered {
				b.WriteString(strconv.Itoa(i) + after)
			}
		}
	}
	return b.String()
}

// TestHostile reads and draws every page of testdata/hostile.jsonl. Before
// there were limits, some of them took hours: the test ends, and that is what
// it proves of time.
func TestHostile(t *testing.T) {
	rows, err := os.ReadFile("testdata/hostile.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for row := range bytes.Lines(rows) {
		var h hostile
		if err := json.Unmarshal(row, &h); err != nil {
			t.Fatalf("%v in %s", err, row)
		}
		t.Run(h.Name, func(t *testing.T) {
			src := []byte(h.page())
			doc, ps := markdown.ParseWith("in.md", src, 0, markdown.Options{Values: recorded})
			if _, err := doc.HTML(plain{}); err != nil {
				t.Fatal(err)
			}
			doc.Sections()
			markdown.Strip(src)
			first := ""
			for _, p := range ps {
				if !p.Warning {
					first, _, _ = strings.Cut(p.String(), "\n")
					break
				}
			}
			if first != h.Problem {
				t.Errorf("the first problem is\n%s\nwant\n%s", first, h.Problem)
			}
		})
	}
}
