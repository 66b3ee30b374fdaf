package search

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"
)

// Vocabulary knows every word that it met in a page, so that a page's count is
// small. It may be used by several goroutines; the zero Vocabulary is ready.
type Vocabulary struct {
	mu    sync.Mutex
	ids   map[string]uint32
	words []string // by id
}

// Count is what the index needs to know of a page's words.
type Count struct {
	words  []counted
	length int // of the page, in words
}

// counted is a word of a page: how often it occurs there, more often for words
// in better places, and the section that holds it first.
type counted struct {
	word, times uint32
	section     uint8
}

// gathered is a word of a page, in gatherer.text.
type gathered struct {
	from, to int
	times    uint32
	section  uint8
}

// gatherer is the memory of one count, which the next one uses again. It finds
// the words that a page repeats, which most are, before the vocabulary is asked.
type gatherer struct {
	seed   maphash.Seed
	text   []byte
	words  []gathered // each once, in the order of the page
	slots  []int32    // by hash: a word's place in words, from 1; a power of two
	length int        // of the page, in words
}

var gatherers = sync.Pool{New: func() any {
	return &gatherer{seed: maphash.MakeSeed(), slots: make([]int32, 1024)}
}}

// Count weighs the words of a page.
func (v *Vocabulary) Count(p Page) Count {
	g := gatherers.Get().(*gatherer)
	defer gatherers.Put(g)
	g.reset()
	g.gather(p.Title, titleWeight, 0)
	g.gather(p.Summary, summaryWeight, 0)
	for i, section := range p.Sections {
		i = min(i, maxSections)
		g.gather(section.Title, headingWeight, i)
		g.gather(section.Text, 1, i)
	}
	return Count{v.name(g), g.length}
}

func (g *gatherer) reset() {
	clear(g.slots)
	g.text, g.words, g.length = g.text[:0], g.words[:0], 0
}

func (g *gatherer) gather(text string, times uint32, section int) {
	eachWord(text, func(word []byte) bool {
		g.length++
		g.find(word, section).times += times
		return true
	})
}

// find returns the place of a word, which may be new and then is in section.
func (g *gatherer) find(word []byte, section int) *gathered {
	slot := g.slot(word)
	if *slot == 0 {
		from := len(g.text)
		g.text = append(g.text, word...)
		g.words = append(g.words, gathered{from: from, to: len(g.text), section: uint8(section)})
		*slot = int32(len(g.words))
		if 2*len(g.words) > len(g.slots) {
			g.grow()
		}
		return &g.words[len(g.words)-1]
	}
	return &g.words[*slot-1]
}

// slot returns where a word is to be found, or the empty slot where it goes.
func (g *gatherer) slot(word []byte) *int32 {
	for i := maphash.Bytes(g.seed, word); ; i++ {
		slot := &g.slots[i&uint64(len(g.slots)-1)]
		if *slot == 0 || bytes.Equal(g.bytes(g.words[*slot-1]), word) {
			return slot
		}
	}
}

func (g *gatherer) bytes(w gathered) []byte { return g.text[w.from:w.to] }

// grow doubles the slots.
func (g *gatherer) grow() {
	g.slots = make([]int32, 2*len(g.slots))
	for i, w := range g.words {
		*g.slot(g.bytes(w)) = int32(i + 1)
	}
}

// name assigns ids to the words of a page. All of a page's go at once: a lock
// for each would be dearer.
func (v *Vocabulary) name(g *gatherer) []counted {
	words := make([]counted, len(g.words))
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ids == nil {
		v.ids = map[string]uint32{}
	}
	for i, w := range g.words {
		id, known := v.ids[string(g.bytes(w))]
		if !known {
			id = uint32(len(v.words))
			word := string(g.bytes(w))
			v.ids[word], v.words = id, append(v.words, word)
		}
		words[i] = counted{id, w.times, w.section}
	}
	return words
}

// term is a word with the pages that hold it, best first.
type term struct {
	word  string
	pages []posting
}

// posting says how well a page answers a word, and in which of its sections.
type posting struct {
	page    uint32
	weight  uint16
	section uint8
}

// invert returns the words of all pages, sorted, each with its pages.
func (v *Vocabulary) invert(counts []Count) []term {
	v.mu.Lock()
	names := v.words
	v.mu.Unlock()
	total, sizes, found := 1, make([]int, len(names)), 0
	for _, c := range counts {
		total += c.length
		found += len(c.words)
		for _, w := range c.words {
			sizes[w.word]++
		}
	}
	all := make([]posting, found)
	lists := make([][]posting, len(names)) // by word, cut out of all
	for word, n := range sizes {
		lists[word], all = all[:0:n], all[n:]
	}
	for page, c := range counts {
		long := c.length * len(counts) * 9 / total // nine times its length, as a share of the average
		for _, w := range c.words {
			times := int(w.times)
			lists[w.word] = append(lists[w.word], posting{uint32(page), uint16(220 * times / (10*times + 3 + long)), w.section})
		}
	}
	var terms []term
	for word, list := range lists {
		if len(list) > 0 {
			terms = append(terms, term{names[word], best(list, len(counts))})
		}
	}
	slices.SortFunc(terms, func(a, b term) int {
		if a.word < b.word {
			return -1
		}
		return 1
	})
	return terms
}

// best keeps the pages of a word that answer it best, in that order, and of
// equally good ones the first. A rare word weighs more.
func best(list []posting, pages int) []posting {
	rare := bits.Len(uint(16 * pages / len(list)))
	var places [23]int // by weight, which is at most 22: how many weigh more
	for _, p := range list {
		places[p.weight]++
	}
	before := 0
	for weight := len(places) - 1; weight >= 0; weight-- {
		places[weight], before = before, before+places[weight]
	}
	sorted := make([]posting, min(len(list), maxPostings))
	for _, p := range list {
		at := places[p.weight]
		if places[p.weight]++; at < len(sorted) {
			p.weight = uint16(max(1, int(p.weight)*rare))
			sorted[at] = p
		}
	}
	return sorted
}
