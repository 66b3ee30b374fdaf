package markdown_test

import (
	"testing"

	"verbatim/internal/markdown"
)

// TestDangling: what Markdown shows raw or drops without its other half is one
// warning, at its place; what only looks like it is none.
func TestDangling(t *testing.T) {
	for src, want := range map[string]string{
		"A note[^nope].": "1:7", "[text][ref]": "1:1", "a [INCR][] b": "1:3", "![pic][none]": "1:2", "> - a\n>   [two\n>   words][ref]": "2:5",
		"## H [a][b]": "1:6", "# T [a][b]": "1:5", "| a |\n| - |\n| [x][y] |": "3:3", "*[a][b]*": "1:2", "[*a* b][c]": "1:1", "::: note\n[^x]\n:::": "2:1",
		"x\n\n[^unused]: never": "3:1", "a[^1]\n\n[^1]: x\n[^2]: y": "4:1", "a[^1]\n\n[^1]: x\n\n[^1]: again": "5:1", "a[^1]\n\n[^1]: x [^none]": "3:9",
		"| a | b |\n| - | - |\n| 1 | 2 | lost |": "3:10", "| a |\n| - |\n| 1 |\n| `x | y` |": "4:7", "a | b\n--- | ---\n1 | 2 | 3 | 4": "3:8",
		"- | a |\n  | - |\n  | 1 | 2 |": "3:8", "> | a |\n> | - |\n> | 1 | |": "3:8",
		"[a][b] and [a][c]\n\n[b]: /x": "1:12", "`[a][b]` [c][d]": "1:10",

		"[a][b]\n\n[b]: /x": "", "[b][]\n\n[B]: /x": "", "a[^1]\n\n[^1]: x": "", "a[i][j]": "", "f(x)[a][b]": "", "`[a][b]` `[^x]`": "", "\\[a][b]": "", "\\[^x]": "",
		"    [a][b]": "", "```\n[a][b] [^x]\n```": "", "[x]": "", "- [ ] a": "", "[a](b.md)": "", "| a |\n| - |\n| 1 \\| 2 |": "", "| a | b |\n| - | - |\n| 1 |": "",
		"[a] [b]": "", "| a |\n| - |\n|1|": "", "x <kbd title=\"[a][b]\">k</kbd>": "", "https://example.org/[a][b]": "",
	} {
		_, problems := markdown.Parse("in.md", []byte(src+"\n"), 0)
		got := ""
		for _, p := range problems {
			if p.Warning && (p.Check == "reference" || p.Check == "table") {
				got += p.Pos.String()[len("in.md:"):]
			}
		}
		if got != want {
			t.Errorf("%q: warned at %q, want %q: %v", src, got, want, problems)
		}
	}
}
