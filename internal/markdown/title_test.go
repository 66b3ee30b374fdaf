package markdown_test

import (
	"strings"
	"testing"

	"verbatim/internal/markdown"
)

// What is a problem in a paragraph is the same problem in the title, and what is
// noted there is noted here.
func TestTitleIsReadLikeAParagraph(t *testing.T) {
	for _, src := range []string{
		"[dead](nope.md)", "[x](javascript:alert(1))", "![](p.png)", "![x](data:y)", "[words](quote:s)",
		"<img src=x alt=y>", "<a href=z.md>z</a>", "<b>x</b>", "*[x](vbscript:y)*", "<javascript:x>", "https://example.org/ö",
		"{{leak.keys}}", "a[^n]", "a\u202eb", "[text][none]", "{{ leak.keys }}", "`\u2066`",
	} {
		of := func(before string) (string, int) {
			doc, problems := markdown.ParseWith("in.md", []byte(before+src+"\n"), 0, markdown.Options{Values: recorded})
			var all strings.Builder
			for _, p := range problems {
				all.WriteString(p.Check + ": " + p.Text + "\n")
			}
			return all.String(), len(doc.Body.Links) + len(doc.Body.Quotes) + len(doc.Body.Values) + len(doc.Body.Spaced)
		}
		want, noted := of("")
		got, alsoNoted := of("# ")
		if got != want || noted != alsoNoted {
			t.Errorf("%s: in the title %d facts and\n%sin a paragraph %d and\n%s", src, alsoNoted, got, noted, want)
		}
		if want == "" && noted == 0 {
			t.Errorf("%s: nothing to compare", src)
		}
	}
}
