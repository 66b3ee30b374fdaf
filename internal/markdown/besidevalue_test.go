package markdown_test

import (
	"os"
	"strings"
	"testing"

	"verbatim/internal/markdown"
)

// TestBesideValue reads every line of testdata/beside-value.txt. In one that
// begins with "!", text makes another number of a recorded one; in the others it
// does not. {{x.n}} is 4, {{x.w}} is "four", {{x.neg}} is -4.
func TestBesideValue(t *testing.T) {
	src, err := os.ReadFile("testdata/beside-value.txt")
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]string{"n": "4", "w": "four", "neg": "-4", "d": "4.5"}
	values := func(_, name string) (string, bool) { v, ok := recorded[name]; return v, ok }
	for text := range strings.Lines(string(src)) {
		text, wrong := strings.CutPrefix(strings.TrimSuffix(text, "\n"), "!")
		for _, in := range []string{"%s", "## %s", "> - %s", "| a |\n| - |\n| %s |", "::: note\n\n**b** %s\n\n:::", "x[^1]\n\n[^1]: %s"} {
			lesson := "# T\n\n" + strings.ReplaceAll(in, "%s", text) + "\n"
			_, problems := markdown.ParseWith("in.md", []byte(lesson), 0, markdown.Options{Values: values})
			found := false
			for _, p := range problems {
				found = found || strings.Contains(p.Text, "makes another number")
			}
			if found != wrong {
				t.Errorf("%q: problems %v", lesson, problems)
			}
		}
	}
}
