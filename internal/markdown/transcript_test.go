package markdown_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"verbatim/internal/markdown"
)

// TestCommands holds how one line of a transcript is split. What is expected
// is what redis-cli 7.0 does with the same line.
func TestCommands(t *testing.T) {
	table, err := os.ReadFile("testdata/commands.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for row := range bytes.Lines(table) {
		var c struct {
			Line, Problem string
			Words         []string
		}
		if err := json.Unmarshal(row, &c); err != nil {
			t.Fatalf("%s: %v", row, err)
		}
		doc, problems := markdown.Parse("in.md", []byte("```redis {#x}\n"+c.Line+"\n```\n"), 0)
		if c.Problem != "" {
			if len(problems) != 1 || problems[0].Text != c.Problem || problems[0].Line != 2 {
				t.Errorf("%s: problems %v, want %s", c.Line, problems, c.Problem)
			}
			continue
		}
		if got := doc.Body.Transcripts[0].Commands[0].Words; !slices.Equal(got, c.Words) || len(problems) > 0 {
			t.Errorf("%s: words %q, problems %v, want %q", c.Line, got, problems, c.Words)
		}
	}
}
