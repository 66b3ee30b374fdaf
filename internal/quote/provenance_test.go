package quote

import (
	"strings"
	"testing"
)

// TestProvenance reads what pages say about themselves, and not what their
// texts say.
func TestProvenance(t *testing.T) {
	for _, c := range []struct {
		name, file, page string
		want             Provenance
	}{
		{"SingleFile", "p.html", "<!DOCTYPE html> <html lang=en><!--\n Page saved with SingleFile \n url: https://example.org/a?b=c \n saved date: Sun Nov 29 2026 00:30:00 GMT+0100 (Central European Standard Time)\n--><meta charset=utf-8><p>text</html>",
			Provenance{"https://example.org/a?b=c", "2026-11-29", "SingleFile"}},
		{"SingleFile before the document", "p.html", "<!-- Page saved with SingleFile\n url: https://example.org/a -->\n<p>text</p>",
			Provenance{"https://example.org/a", "", "SingleFile"}},
		{"an address that is none", "p.html", "<html><!--\n Page saved with SingleFile \n url: javascript:alert(1)\n saved date: yesterday\n--><p>text</p></html>",
			Provenance{"", "", "SingleFile"}},
		{"in the page's own text", "p.html", "<html><body><p><!--\n Page saved with SingleFile \n url: https://example.org/a\n-->text</p></html>",
			Provenance{}},
		{"nothing", "p.html", "<p>Page saved with SingleFile url: https://example.org/a</p>", Provenance{}},
		{"MHTML of Chromium", "p.mhtml", "From: <Saved by Blink>\nSnapshot-Content-Location: https://example.org/a\nDate: Sun, 29 Nov 2026 10:00:00 -0000\nContent-Type: multipart/related; boundary=B\n\n--B\nContent-Type: text/html\n\n<p>text</p>\n--B--\n",
			Provenance{"https://example.org/a", "2026-11-29", "a browser, as MHTML"}},
		{"MHTML of one part", "p.mhtml", "Content-Location: https://example.org/a\nContent-Type: text/html\n\n<p>text</p>\n",
			Provenance{"https://example.org/a", "", "a browser, as MHTML"}},
	} {
		p, err := ReadPage(c.file, strings.NewReader(c.page), nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p.Provenance != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, p.Provenance, c.want)
		}
	}
}
