package corpus

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// Each kind of text has its own stream of random numbers, so that a page does not
// change when other pages are added.
const (
	streamLessons = iota + 1
	streamTitles
	streamSnippets
	streamExamples
)

// writer appends random text to out.
type writer struct {
	*rand.Rand
	out []byte
}

func newWriter(seed uint64, stream, index int) *writer {
	return &writer{Rand: rand.New(rand.NewPCG(seed, uint64(stream)<<32|uint64(index)))}
}

const frequentWords = `the a of to and in is it that for on with as by at from this an be or are when each one
	only not then more than before after if so its all which two has can will into over may until every`

const stems = `limit count key window token bucket server client request reply script clock queue lock lease
	cache shard slot node leader follower replica quorum vote log entry index page block frame segment buffer stream
	channel event timer retry budget quota route probe signal fault crash restart snapshot record replay schema table
	column row cursor batch shed drain drift skew jitter epoch term ring hash digest seal proof claim ledger tally
	gauge meter sample trace span label scope tenant account session cookie header body payload packet socket port
	proxy gate valve bridge relay mirror tunnel anchor ladder harbour lantern meadow orchard pebble river saddle timber`

var (
	endings  = []string{"", "s", "er", "ing", "ed", "able", "less", "like", "wise", "ful"}
	prefixes = []string{"", "re", "pre", "un", "over", "under", "inter", "sub", "co", "meta"}
)

// vocabulary lists the words of sentences, the frequent ones first.
var vocabulary = func() []string {
	words := strings.Fields(frequentWords)
	for _, prefix := range prefixes {
		for _, ending := range endings {
			for _, stem := range strings.Fields(stems) {
				words = append(words, prefix+stem+ending)
			}
		}
	}
	return words
}()

// names lists the names in code.
var names = strings.Fields(stems)

// word returns a random word, far more often from the beginning of vocabulary.
func (w *writer) word() string {
	x := w.Float64()
	x *= x
	return vocabulary[int(x*x*x*float64(len(vocabulary)))]
}

func (w *writer) name() string { return names[w.IntN(len(names))] }

// add appends strings.
func (w *writer) add(parts ...string) {
	for _, p := range parts {
		w.out = append(w.out, p...)
	}
}

// capitalized returns a random word with a capital letter.
func (w *writer) capitalized() string {
	word := w.word()
	return string(word[0]-'a'+'A') + word[1:]
}

func (w *writer) title() string {
	return w.capitalized() + " " + w.name() + " " + w.name()
}

// phrase appends n words.
func (w *writer) phrase(n int) {
	for i := range n {
		if i > 0 {
			w.out = append(w.out, ' ')
		}
		w.add(w.word())
	}
}

// sentence appends a sentence, which may contain code, emphasis and numbers.
func (w *writer) sentence() {
	w.add(w.capitalized())
	for range 5 + w.IntN(14) {
		switch w.IntN(40) {
		case 0:
			w.add(" `", w.name(), "_", w.name(), "`")
		case 1:
			w.add(" **", w.word(), " ", w.word(), "**")
		case 2:
			w.add(" *", w.word(), "*")
		case 3, 4:
			w.add(", ", w.word())
		case 5:
			w.add(" ", strconv.Itoa(w.IntN(10000)))
		default:
			w.add(" ", w.word())
		}
	}
	w.add(".")
}
