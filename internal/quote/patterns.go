package quote

import (
	"slices"
	"strings"
)

// headBytes is how many bytes of a pattern are looked up at each place.
const headBytes = 8

// patterns finds any number of texts in another one, in a single pass.
type patterns struct {
	texts []string
	heads map[uint64]*sameHead // which texts begin with these bytes
	short []int                // texts with fewer bytes
	seen  [1 << 10]uint64      // a bit for each head's hash, so that most places need no look-up
}

func newPatterns(texts []string) *patterns {
	p := &patterns{texts: texts, heads: map[uint64]*sameHead{}}
	for i, text := range texts {
		if len(text) < headBytes {
			p.short = append(p.short, i)
			continue
		}
		h := head(text)
		if p.heads[h] == nil {
			p.heads[h] = &sameHead{}
		}
		p.heads[h].order = append(p.heads[h].order, i)
		bit := hashed(h)
		p.seen[bit/64] |= 1 << (bit % 64)
	}
	for _, a := range p.heads {
		a.sort(texts)
	}
	return p
}

// sameHead holds texts that begin alike. Every text that another one begins with
// comes before it, and is one of the chain of its beginnings.
type sameHead struct {
	order  []int // of the texts, sorted
	begins []int // by place in order: the place of the longest other text that begins it, or -1
}

func (a *sameHead) sort(texts []string) {
	slices.SortFunc(a.order, func(i, j int) int { return strings.Compare(texts[i], texts[j]) })
	a.begins = make([]int, len(a.order))
	for at, i := range a.order {
		before := at - 1
		for before >= 0 && !strings.HasPrefix(texts[i], texts[a.order[before]]) {
			before = a.begins[before]
		}
		a.begins[at] = before
	}
}

// find calls found for each of the texts that begin s: the last one that is not
// behind s, and those that begin it, or none.
func (a *sameHead) find(texts []string, s string, found func(i int)) {
	at, _ := slices.BinarySearchFunc(a.order, s, func(i int, s string) int {
		if texts[i] <= s {
			return -1
		}
		return 1
	})
	for at--; at >= 0; at = a.begins[at] {
		if i := a.order[at]; strings.HasPrefix(s, texts[i]) {
			found(i)
		}
	}
}

// head returns the first bytes of s, which has that many.
func head(s string) uint64 {
	_ = s[headBytes-1]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// hashed spreads heads over the bits of seen.
func hashed(h uint64) uint64 { return h * 0x9E3779B97F4A7C15 >> (64 - 16) }

// find calls found for each occurrence of a pattern in text, those of one
// pattern in order. Places within a word of ASCII letters and digits are left
// out: no quotation begins there.
func (p *patterns) find(text string, found func(pattern, at int)) {
	for _, i := range p.short {
		for at := 0; p.texts[i] != ""; at++ {
			next := strings.Index(text[at:], p.texts[i])
			if next < 0 {
				break
			}
			at += next
			found(i, at)
		}
	}
	for at := 0; at+headBytes <= len(text); at++ {
		h := head(text[at:])
		if bit := hashed(h); p.seen[bit/64]&(1<<(bit%64)) == 0 {
			continue // first, because it is nearly always so
		}
		if at > 0 && asciiWord[text[at-1]] && asciiWord[text[at]] {
			continue
		}
		if a := p.heads[h]; a != nil {
			a.find(p.texts, text[at:], func(i int) { found(i, at) })
		}
	}
}

// asciiWord is true for the letters and digits of ASCII and for the underscore.
var asciiWord = func() (is [256]bool) {
	for c := range is {
		is[c] = c < 128 && isWordRune(rune(c))
	}
	return is
}()

// holds returns those of the patterns, which are in the typography fold, that
// occur in the visible text of the page, each once.
func (p *Page) holds(wanted *patterns) []int {
	is := make([]bool, len(wanted.texts))
	for _, omit := range p.variant {
		if omit&hiddenText == 0 {
			continue
		}
		r := p.reading(omit)
		v := r.view(typographyView)
		wanted.find(v.text, func(i, at int) {
			start, ok1 := v.source(at)
			end, ok2 := v.source(at + len(wanted.texts[i]))
			is[i] = is[i] || ok1 && ok2 && !r.cutsWord(start) && !r.cutsWord(end)
		})
	}
	var all []int
	for i := range is {
		if is[i] {
			all = append(all, i)
		}
	}
	return all
}
