package highlight_test

import (
	"strings"
	"testing"

	"verbatim/internal/highlight"
)

func TestHighlighter(t *testing.T) {
	var h highlight.Highlighter
	for _, c := range []struct{ language, code, want string }{
		{"go", "// a\nvar x = \"<\" // b\n", `<span class="c">// a</span>` + "\n" + `<span class="k">var</span> x = <span class="s">&#34;&lt;&#34;</span> <span class="c">// b</span>` + "\n"},
		{"", "a < b", "a &lt; b"},
		{"no-such-language", "a < b", "a &lt; b"},
	} {
		if got := h.HTML(c.language, c.code); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.language, got, c.want)
		}
	}
}

// Controls of the writing direction are shown as escapes in every language.
func TestDirections(t *testing.T) {
	var h highlight.Highlighter
	for _, language := range []string{"", "go", "python", "sh", "sql", "no-such-language"} {
		if got := string(h.HTML(language, "x \u202e } \u2066 y")); strings.ContainsAny(got, "\u202e\u2066") || !strings.Contains(got, "202e") {
			t.Errorf("%s: drawn as %q", language, got)
		}
	}
}
