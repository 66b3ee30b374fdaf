package quote

import "strings"

// formatting are the elements that the HTML parser opens again in each block
// after one that did not close them.
var formatting = map[string]bool{
	"b": true, "big": true, "code": true, "em": true, "font": true, "i": true, "s": true,
	"small": true, "strike": true, "strong": true, "tt": true, "u": true,
}

// mostReopened bounds the elements that a page makes the parser open again: a
// few thousand bytes can ask for millions.
const mostReopened = 4 << 20

// reopens reports whether unclosed formatting elements would make the parser's
// tree many times larger than the page, given in lower case.
func reopens(lower string) bool {
	open := map[string]int{}
	total, sum := 0, 0
	for {
		i := strings.IndexByte(lower, '<')
		if i < 0 {
			return false
		}
		lower = lower[i+1:]
		closes := strings.HasPrefix(lower, "/")
		name := strings.TrimPrefix(lower, "/")
		name = name[:nameLength(name)]
		switch {
		case !formatting[name]:
		case closes && open[name] > 0:
			open[name]--
			total--
		case !closes:
			open[name]++
			total++
		}
		// The parser keeps at most three that are alike; pages that forget to
		// close so few are common, and harmless.
		if total > 3*len(formatting) {
			sum += total
		}
		if sum > mostReopened {
			return true
		}
	}
}

func nameLength(s string) int {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return i
		}
	}
	return len(s)
}
