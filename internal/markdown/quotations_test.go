package markdown_test

import (
	"testing"

	"verbatim/internal/markdown"
)

// TestQuotationsSayWhatThePageSays: markup that changes the words of a quotation,
// in it or around it, is a problem of the check source; markup that does not is
// none.
func TestQuotationsSayWhatThePageSays(t *testing.T) {
	const source = "::: source {#s}\n[T](https://example.org)\n\n> "
	for src, wrong := range map[string]bool{
		"a ~~[loses keys](quote:s)~~ b": true, "<del>[loses keys](quote:s)</del>": true, "x<sup>[2](quote:s)</sup>": true,
		"<ins>a *[x](quote:s)*</ins>": true, "**~~b [x](quote:s)~~**": true, "~~a~~ [x](quote:s) ~~b~~": false,
		"<del>a</del> [x](quote:s)": false, "*[x](quote:s)*": false, "<kbd>[x](quote:s)</kbd>": false, "<del>never closed [x](quote:s)": false,
		"<del>\n\n" + source + "never loses\n:::\n\n</del>": true, "<details><summary>x</summary>\n\n" + source + "x\n:::\n\n</details>": false,
		source + "never ~~loses~~\n:::": true, source + "`a` *b* **c** [d](https://example.org) https://example.org\n:::": false,
		source + "a<br>b\n:::": true, source + "a\\\nb\n:::": false, source + "<mark>a</mark>\n:::": true, source + "<span id=x></span>a\n:::": true,
		source + "[a](quote:t)\n:::": true, source + "&lt;del&gt; a\n:::": false, source + "2\\*3\n:::": false,
		"# T ~~[x](quote:s)~~": true, "# T [x](quote:s)": false, "## T [x<sub>2</sub>](quote:s)": true,
		"| a |\n| - |\n| ~~[x](quote:s)~~ |": true, "- [ ] [x](quote:s)": false, "a[^1]\n\n[^1]: ~~[x](quote:s)~~": true,
	} {
		_, problems := markdown.Parse("in.md", []byte(src+"\n"), 0)
		found := false
		for _, p := range problems {
			found = found || p.Check == "source" && !p.Warning && p.Hint != ""
		}
		if found != wrong {
			t.Errorf("%q: problems %v", src, problems)
		}
	}
}
