package quote

import "strings"

// tags is what one pass over the tags of an HTML document finds before it is
// parsed.
type tags struct {
	opensHTML, closesHTML bool
	reopens               bool // unclosed formatting elements would make the tree many times larger than the page
}

// formatting are the elements that the HTML parser opens again in each block
// after one that did not close them, each with its place in a count of them.
var formatting = map[string]int{
	"b": 0, "big": 1, "code": 2, "em": 3, "font": 4, "i": 5, "s": 6, "small": 7, "strike": 8, "strong": 9, "tt": 10, "u": 11,
}

// maxReopened bounds the elements that a page makes the parser open again: a
// few thousand bytes can ask for millions.
const maxReopened = 4 << 20

// survey goes through the tags of a document.
func survey(text string) (t tags) {
	open := make([]int, len(formatting))
	total, sum := 0, 0
	var buf [16]byte // longer than any name that matters
	for {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			return t
		}
		text = text[i+1:]
		closes := strings.HasPrefix(text, "/")
		name := tagName(strings.TrimPrefix(text, "/"), buf[:0])
		n, formats := formatting[string(name)]
		switch {
		case formats && !closes:
			open[n]++
			total++
		case formats && open[n] > 0:
			open[n]--
			total--
		case string(name) == "html":
			t.opensHTML = t.opensHTML || !closes
			t.closesHTML = t.closesHTML || closes
		}
		// The parser keeps at most three that are alike; pages that forget to
		// close so few are common, and harmless.
		if total > 3*len(formatting) {
			sum += total
		}
		t.reopens = t.reopens || sum > maxReopened
	}
}

// tagName appends the name that s begins with, in lower case, as far as it
// fits.
func tagName(s string, name []byte) []byte {
	for i := 0; i < len(s) && len(name) < cap(name); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			break
		}
		name = append(name, c)
	}
	return name
}

// truncated says how one sees that a document ends too early, or "". Ends of
// elements may be left out, also that of html, so only two signs are sure: a
// tag that does not end, and a document that stops in the middle of text.
func (t tags) truncated(text string) string {
	text = strings.TrimSpace(text)
	last := strings.LastIndexByte(text, '<')
	if last >= 0 && !strings.Contains(text[last:], ">") && last+1 < len(text) && startsTag(text[last+1]) {
		return "it ends inside a tag"
	}
	if t.opensHTML && !t.closesHTML && !strings.HasSuffix(text, ">") {
		return "it has <html> and ends in the middle of text, without </html>"
	}
	return ""
}

func startsTag(c byte) bool {
	return c == '/' || c == '!' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
