package markdown_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"verbatim/internal/markdown"
)

// TestSlips reads every info string of testdata/slips.jsonl. One that is a slip
// is a problem, and the line of its hint, put in the place of the fence's first
// line, is none; one that belongs to another tool is code in its language.
func TestSlips(t *testing.T) {
	rows, err := os.ReadFile("testdata/slips.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for row := range bytes.Lines(rows) {
		var c struct {
			Info, Right string // Right is the info string of the hint, "" for no slip
			Language    string // of the code that the fence is drawn as
			Warning     bool
		}
		if err := json.Unmarshal(row, &c); err != nil {
			t.Fatalf("%v in %s", err, row)
		}
		for _, mark := range []string{"```", "~~~~"} {
			const body = "PING\n"
			doc, problems := markdown.Parse("in.md", []byte(mark+c.Info+"\n"+body+mark+"\n"), 0)
			drawn, err := doc.HTML(plain{})
			if err != nil {
				t.Fatal(err)
			}
			wrong, warnings := problems.Count()
			if c.Right == "" {
				code := `<pre><code class="language-` + c.Language + `">` + body + "</code></pre>\n"
				if c.Language == "" {
					code = "<pre><code>" + body + "</code></pre>\n"
				}
				if wrong > 0 || warnings > 0 != c.Warning || c.Language != "*" && string(drawn) != code {
					t.Errorf("%s: problems %v, drawn %s", c.Info, problems, drawn)
				}
				continue
			}
			if wrong != 1 || problems[0].Hint != "write "+mark+c.Right || problems[0].Line != 1 {
				t.Errorf("%s: problems %v, want the hint %s", c.Info, problems, c.Right)
				continue
			}
			if !strings.HasPrefix(string(drawn), "<pre><code") {
				t.Errorf("%s is drawn as evidence: %s", c.Info, drawn)
			}
			right := strings.TrimPrefix(problems[0].Hint, "write ")
			if _, more := markdown.Parse("in.md", []byte(right+"\n"+body+mark+"\n"), 0); len(more) > 0 {
				t.Errorf("%s: the hint %s leads to %v", c.Info, right, more)
			}
		}
	}
}
