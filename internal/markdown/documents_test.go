package markdown_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"verbatim/internal/markdown"
)

// TestDocuments draws a chapter and a page in the forms that others write, with
// HTML of their tools: no tag is printed as text, and nothing is a problem.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob("testdata/documents/*.md")
	if err != nil || len(files) < 2 {
		t.Fatalf("no documents: %v", err)
	}
	code := regexp.MustCompile(`(?s)<pre>.*?</pre>`)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		start := 0
		if rest, ok := strings.CutPrefix(string(src), "---\n"); ok {
			start = len("---\n") + strings.Index(rest, "---\n") + len("---\n")
		}
		doc, problems := markdown.Parse(file, src, start)
		drawn, err := doc.HTML(plain{})
		if err != nil {
			t.Fatal(err)
		}
		if wrong, _ := problems.Count(); wrong > 0 {
			t.Errorf("%s: problems %v", file, problems)
		}
		if text := code.ReplaceAllString(string(drawn), ""); strings.Contains(text, "&lt;") {
			t.Errorf("%s prints a tag:\n%s", file, text)
		}
	}
}
