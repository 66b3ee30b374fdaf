package markdown_test

import (
	"strings"
	"testing"

	"verbatim/internal/markdown"
)

// The opening line of a filled fence is found behind every kind of indent: a tab may
// count for several columns, of which a block quote or list takes one.
func TestFenceBehindTabs(t *testing.T) {
	found := 0
	for _, indent := range []string{"", "   ", ">", "> ", ">\t", "> >\t", ">  >\t", ">\t>\t", "-\t", "1.\t", "- ", "> -\t", "-\t> ", ">\t-\t", "10. "} {
		for _, marker := range []string{"```", "~~~", "`````"} {
			for _, blanks := range []string{"", " ", "\t", "  "} {
				src := indent + marker + blanks + "output {of=a}\n"
				doc, _ := markdown.Parse("in.md", []byte(src), 0) // which reports that it is never closed
				if len(doc.Body.Fences) == 0 {
					continue // the tab makes it indented code
				}
				found++
				f := doc.Body.Fences[0]
				if f.Marker != marker || f.Open != len(indent) || f.Start != len(src) {
					t.Errorf("%q: marker %q at %d, lines at %d", src, f.Marker, f.Open, f.Start)
				}
				if got := strings.Count(f.Prefix, ">"); got != strings.Count(indent, ">") {
					t.Errorf("%q: prefix %q", src, f.Prefix)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d of the cases are fences", found)
	}
}
