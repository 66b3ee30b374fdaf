package quote

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// flags say how a piece of the page's text is shown.
type flags uint8

const (
	noBox     flags = 1 << iota // display: none, hidden, noscript: it takes no place
	invisible                   // visibility: hidden: it takes its place
	struck                      // del, s, strike
	raised                      // sup or sub
	footnote                    // a <sup> that holds a link to a fragment
)

const hiddenText = noBox | invisible

// gap is the kind of space between two pieces of text.
type gap uint8

const (
	noGap    gap = iota
	wordGap      // <br>
	blockGap     // the edge of a block
)

// run is a piece of the page as extraction found it; before it lies a gap. A
// run without text is a gap alone.
type run struct {
	gap   gap
	flags flags
	text  string
}

// reading is one way to read a page, under the exact fold: with or without
// foot-note marks, with or without hidden text. Words are separated by one
// space each, also at the edge of a block.
type reading struct {
	text  string
	marks []mark // in order; the first is at 0
	tight []int  // offsets of spaces that were no-break or thin ones

	views [3]*view // other folds of the text, made when first needed
}

// mark holds the properties of the text from an offset on.
type mark struct {
	at    int
	block int
	flags flags
}

// read makes the reading of runs that leaves out what has a flag of omit.
func read(runs []run, omit flags) *reading {
	b := builder{}
	size := 0
	for _, r := range runs {
		size += len(r.text)
	}
	b.text.Grow(size)
	for _, r := range runs {
		if r.flags&omit&noBox != 0 {
			continue // what has no box leaves no gap either
		}
		b.gap(r.gap)
		if r.flags&omit == 0 {
			b.add(r.text, r.flags)
		}
	}
	return b.reading()
}

// exact is the exact fold of a text that is no page.
func exact(s string) string { return read([]run{{text: s}}, 0).text }

// builder writes a reading.
type builder struct {
	text    strings.Builder
	marks   []mark
	tight   []int
	space   bool // a space is due before the next character
	thin    bool // and it was a single no-break or thin one
	block   int
	current mark
	beyond  bool // there is more than ASCII in it
}

func (b *builder) gap(g gap) {
	if g == noGap {
		return
	}
	b.space, b.thin = true, false
	if g == blockGap {
		b.block++
	}
}

func (b *builder) add(s string, f flags) {
	for len(s) > 0 {
		n := plainASCII(s)
		if n > 0 {
			b.put(s[:n], f)
			s = s[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		b.beyond = b.beyond || r >= utf8.RuneSelf
		switch {
		case unicode.IsSpace(r):
			b.thin = !b.space && isThinSpace(r)
			b.space = true
		case r == utf8.RuneError && size == 1:
			b.put("\uFFFD", f) // or half a character would be found in a whole one
		case !ignorable(r):
			b.put(s[:size], f)
		}
		s = s[size:]
	}
}

// put appends characters that are neither space nor ignorable.
func (b *builder) put(s string, f flags) {
	if b.space && b.text.Len() > 0 {
		if b.thin {
			b.tight = append(b.tight, b.text.Len())
		}
		b.text.WriteByte(' ')
	}
	b.space, b.thin = false, false
	if len(b.marks) == 0 || b.current.block != b.block || b.current.flags != f {
		b.current = mark{b.text.Len(), b.block, f}
		b.marks = append(b.marks, b.current)
	}
	b.text.WriteString(s)
}

func (b *builder) reading() *reading {
	r := &reading{text: b.text.String(), marks: b.marks, tight: b.tight}
	if b.beyond && !norm.NFC.IsNormalString(r.text) {
		r.compose()
	}
	return r
}

// compose brings the text to NFC, and the offsets along.
func (r *reading) compose() {
	var out strings.Builder
	var it norm.Iter
	it.InitString(norm.NFC, r.text)
	nextMark, nextTight := 0, 0
	for !it.Done() {
		start := out.Len()
		out.Write(it.Next())
		for nextMark < len(r.marks) && r.marks[nextMark].at < it.Pos() {
			r.marks[nextMark].at = start
			nextMark++
		}
		for nextTight < len(r.tight) && r.tight[nextTight] < it.Pos() {
			r.tight[nextTight] = start
			nextTight++
		}
	}
	r.text = out.String()
}

// plainASCII counts the leading bytes that the exact fold keeps as they are:
// words of ASCII, one space apart.
func plainASCII(s string) int {
	i := plainEights(s)
	for {
		for i < len(s) && visibleASCII[s[i]] {
			i++
		}
		if i == 0 || i+1 >= len(s) || s[i] != ' ' || !visibleASCII[s[i+1]] {
			return i
		}
		i++
	}
}

// plainEights is plainASCII for as many whole eights of bytes as are plain, less
// a space at the end: what comes after it is not known yet.
func plainEights(s string) int {
	const each, top = 0x0101010101010101, 0x8080808080808080 // of eight bytes the lowest bits, the highest bits
	i, space := 0, uint64(top>>56)                           // the top bit of a byte says that it is a space; s may not begin with one
	for ; i+8 <= len(s); i += 8 {
		x := head(s[i:])
		control := (x - ' '*each) &^ x & top // below the space; wrong only in bytes above one that is
		other := x ^ ' '*each
		spaces := ^((other&^top + ^uint64(top)) | other) & top
		if x&top|control|spaces&(spaces<<8|space) != 0 {
			break
		}
		space = spaces >> 56
	}
	if i > 0 && s[i-1] == ' ' {
		i--
	}
	return i
}

// visibleASCII is true for the bytes of ASCII that are neither space nor control.
var visibleASCII = func() (is [256]bool) {
	for c := ' ' + 1; c < utf8.RuneSelf; c++ {
		is[c] = true
	}
	return is
}()

// ignorable is true for the format characters that are invisible. ZWNJ and ZWJ
// stay: they carry meaning in Persian, Indic and emoji text.
func ignorable(r rune) bool {
	switch r {
	case 0x00AD, 0x200B, 0x2060, 0xFEFF, 0x200E, 0x200F, 0x061C, 0xFE0E, 0xFE0F:
		return true
	}
	return 0x202A <= r && r <= 0x202E || 0x2066 <= r && r <= 0x2069
}

// isThinSpace reports whether a space groups the digits of one number.
func isThinSpace(r rune) bool {
	return r == 0x00A0 || r == 0x2007 || r == 0x2009 || r == 0x202F
}

// span is a half-open range of offsets in a reading's text.
type span struct{ start, end int }

// markIndex returns the index of the mark that holds for the byte at offset.
func (r *reading) markIndex(offset int) int {
	return sort.Search(len(r.marks), func(i int) bool { return r.marks[i].at > offset }) - 1
}

// within returns the marks that touch s, which is not empty.
func (r *reading) within(s span) []mark {
	return r.marks[r.markIndex(s.start) : r.markIndex(s.end-1)+1]
}

// isTight reports whether the space at offset was a no-break or thin one.
func (r *reading) isTight(offset int) bool {
	i := sort.SearchInts(r.tight, offset)
	return i < len(r.tight) && r.tight[i] == offset
}

// word returns the index of the word that begins at offset.
func (r *reading) word(offset int) int { return strings.Count(r.text[:offset], " ") }

// words counts the words of the whole reading.
func (r *reading) words() int {
	if r.text == "" {
		return 0
	}
	return strings.Count(r.text, " ") + 1
}
