package markdown_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
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

// A session of redis-cli that was pasted is a problem at each line that is no
// command, and its hint leads to the command.
func TestPastedSession(t *testing.T) {
	for line, want := range map[string]string{
		"> GET k": "GET k", "127.0.0.1:6379> GET k": "GET k", "redis> GET k": "GET k", "redis-cli> GET k": "GET k",
		"redis 127.0.0.1:6379> GET k": "GET k", "127.0.0.1:6379[1]> GET k": "GET k", "127.0.0.1:6379(TX)> GET k": "GET k",
		"my-host.example:6379> GET k": "GET k", "[::1]:6379> GET k": "GET k", ">GET k": "GET k", "127.0.0.1:6379>": "",
		"$ redis-cli GET k": "GET k", "localhost:6380> SET a \"x > y\"": "SET a \"x > y\"", "(integer) 1": "", "(nil)": "", "(error) ERR x": "", "1) \"a\"": "",
	} {
		_, problems := markdown.Parse("in.md", []byte("```redis {#x}\n"+line+"\n```\n"), 0)
		if wrong, _ := problems.Count(); wrong != 1 || problems[0].Line != 2 {
			t.Errorf("%s: problems %v", line, problems)
			continue
		}
		if _, command, ok := strings.Cut(problems[0].Hint, "leave it out: "); ok != (want != "") || command != want {
			t.Errorf("%s: the hint is %q, want %q", line, problems[0].Hint, want)
		}
	}
	for _, line := range []string{"GET k", "SET k \">\"", "XADD s > f v", "XREADGROUP GROUP g c STREAMS s >", "EVAL \"return 1 > 0\" 0", "ZRANGE z (1 5 BYSCORE"} {
		if _, problems := markdown.Parse("in.md", []byte("```redis {#x}\n"+line+"\n```\n"), 0); len(problems) > 0 {
			t.Errorf("%s: problems %v", line, problems)
		}
	}
}
