package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"verbatim/internal/markdown"
)

// TestDirections puts every control of the writing direction, as itself and as a
// reference, wherever text can be: in code and in quotations it is a problem, in
// all other text a warning. Drawn code never holds it.
func TestDirections(t *testing.T) {
	const problem, warning, nothing = "problem", "warning", "nothing"
	for src, want := range map[string][2]string{ // for the character, for a reference to it
		"a § b": {warning, warning}, "# T §": {warning, warning}, "## H §": {warning, warning}, "![alt §](p.png)": {warning, warning},
		"[x](y.md \"t §\")": {warning, warning}, "| a |\n| - |\n| § |": {warning, warning}, "::: note {title=\"§\"}\n:::": {warning, warning},
		"<kbd title=\"§\">x</kbd>": {warning, warning}, "- a\n- §": {warning, warning}, "> §": {warning, warning}, "a[^1]\n\n[^1]: §": {warning, warning},
		"`a § b`": {problem, nothing}, "```\n§\n```": {problem, nothing}, "~~~go\nx // §\n~~~": {problem, nothing}, "# T `§`": {problem, nothing},
		"```go {title=§}\nx\n```": {problem, nothing}, "    indented §": {problem, nothing}, "- ```\n  §\n  ```": {problem, nothing},
		"```redis {#t}\nSET k §\n```": {problem, nothing}, "```output {of=x}\n§\n```": {problem, nothing}, "```mermaid\nsequenceDiagram\nA->>B: §\n```": {problem, nothing},
		"[words § x](quote:s)": {problem, problem}, "# T [words § x](quote:s)": {problem, problem}, "[*a* `b §`](quote:s)": {problem, nothing},
		"::: source {#s}\n[T](https://example.org)\n\n> allows § 123\n:::":   {problem, problem},
		"::: source {#s}\n[T](https://example.org)\n\n> allows `§` 123\n:::": {problem, nothing}, "::: source {#s}\n[T](https://example.org)\n\n- > allows `§` 123\n:::": {problem, nothing},
		"::: source {#s}\n[T](https://example.org)\n\n- > *allows* **§** 123\n:::": {problem, problem},
		"::: source {#s}\n[T §](https://example.org)\n\n> allows\n:::":             {warning, warning},
	} {
		for _, r := range []rune{0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069} {
			for i, written := range [][]string{{string(r)}, {fmt.Sprintf("&#%d;", r), fmt.Sprintf("&#x%X;", r), fmt.Sprintf("&#X0%x;", r)}} {
				for _, w := range written {
					page := strings.ReplaceAll(src, "§", w) + "\n"
					doc, problems := markdown.Parse("in.md", []byte(page), 0)
					got := nothing
					for _, p := range problems {
						if p.Check == "text" && p.Warning {
							got = warning
						} else if p.Check == "text" {
							got = problem
						}
					}
					if got != want[i] {
						t.Errorf("%q: %s, want %s: %v", page, got, want[i], problems)
					}
					if _, err := doc.HTML(plain{}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}
