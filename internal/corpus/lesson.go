package corpus

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
)

// The median length of a page in bytes and how widely lengths spread: together
// they give the mean of the real set, 7.9 kB.
const (
	medianSize = 5200
	sizeSpread = 0.9
	maxSize    = 200_000
)

// fenced is the share of a page's bytes in fences: two pages in five have none.
const fenced = 0.25

// lesson is the Markdown of the lesson with that number.
func (s *site) lesson(i int) []byte {
	p := &page{site: s, i: i, writer: newWriter(s.seed, streamLessons, i)}
	size := min(maxSize, int(medianSize*math.Exp(sizeSpread*p.NormFloat64())))
	if p.IntN(5) >= 2 {
		p.fences = fenced
	}
	p.front()
	if p.IntN(5) == 0 {
		p.say("::: summary\n\n")
		p.paragraph(2)
		p.say(":::\n\n")
	}
	p.paragraph(3)
	from, to := s.examplesOf(i)
	for e := from; e < to; e++ {
		fmt.Fprintf(p, "```output {of=%s}\n```\n\n", exampleName(e))
	}
	for n := 0; len(p.out) < size; n++ {
		if n%5 == 0 {
			p.say("## ", p.title(), "\n\n")
		}
		p.block()
	}
	p.say("## In short\n\n")
	p.paragraph(2)
	for n := range p.notes {
		fmt.Fprintf(p, "[^%d]: ", n+1)
		p.paragraph(1)
	}
	return p.out
}

// page is a lesson being written.
type page struct {
	*site
	*writer
	i         int
	fences    float64 // the share of its bytes to put in fences
	codeBytes int
	notes     int
}

// Write implements io.Writer.
func (p *page) Write(b []byte) (int, error) {
	p.out = append(p.out, b...)
	return len(b), nil
}

// front writes the front matter.
func (p *page) front() {
	fmt.Fprintf(p, "---\ntitle: %q\n", p.titles[p.i])
	if p.IntN(2) == 0 {
		p.say("summary: ", p.plainSentence(), "\n")
	}
	if p.i > 0 && p.IntN(3) == 0 {
		fmt.Fprintf(p, "needs: [%s]\n", p.ids[p.i-1])
	}
	fmt.Fprintf(p, "tags: [%s, %s]\n---\n\n", names[p.IntN(20)], names[20+p.IntN(20)])
}

// plainSentence gives a sentence without marks, which is not written here.
func (w *writer) plainSentence() string {
	aside := &writer{Rand: w.Rand}
	aside.sentence()
	return strings.NewReplacer("`", "", "*", "").Replace(string(aside.out))
}

// block writes one block: code while there is too little of it, else prose
// most of the time.
func (p *page) block() {
	if float64(p.codeBytes) < p.fences*float64(len(p.out)) {
		p.fence()
		return
	}
	switch p.IntN(24) {
	case 0, 1:
		p.list("- ")
	case 2:
		p.list("1. ")
	case 3:
		p.nested()
	case 4, 5:
		p.table()
	case 6:
		p.say("> ")
		p.paragraph(1)
	case 7:
		p.alert()
	case 8:
		p.say("### ", p.title(), "\n\n")
	case 9:
		p.noted()
	case 10:
		p.container()
	case 11:
		p.picture()
	default:
		p.paragraph(2 + p.IntN(4))
	}
}

// paragraph writes so many sentences, one in four with a link to a lesson.
func (p *page) paragraph(sentences int) {
	for n := range sentences {
		if n > 0 {
			p.say([]string{" ", "\n"}[min(n%3, 1)])
		}
		p.sentence()
	}
	if p.IntN(4) == 0 {
		p.say(" See ")
		p.link()
		p.say(".")
	}
	p.say("\n\n")
}

// link leads to another lesson, half of them to a heading of it.
func (p *page) link() {
	to := p.IntN(p.pages)
	dest := "../" + p.ids[to] + ".md"
	if path.Dir(p.ids[to]) == path.Dir(p.ids[p.i]) {
		dest = path.Base(p.ids[to]) + ".md"
	}
	if p.IntN(2) == 0 {
		dest += "#in-short"
	}
	p.say("[", p.titles[to], "](", dest, ")")
}

func (p *page) list(mark string) {
	for range 3 + p.IntN(6) {
		p.say(mark)
		p.sentence()
		p.say("\n")
	}
	p.say("\n")
}

func (p *page) nested() {
	for range 2 + p.IntN(3) {
		p.say("- ")
		p.sentence()
		p.say("\n")
		for range 1 + p.IntN(3) {
			p.say("  - ")
			p.phrase(4 + p.IntN(8))
			p.say("\n")
		}
	}
	p.say("\n")
}

func (p *page) table() {
	columns := 2 + p.IntN(4)
	row := func(cell func()) {
		for range columns {
			p.say("| ")
			cell()
			p.say(" ")
		}
		p.say("|\n")
	}
	row(func() { p.phrase(2) })
	row(func() { p.say("---") })
	for range 3 + p.IntN(10) {
		row(func() {
			if p.IntN(3) == 0 {
				p.say("`", p.name(), "`")
				return
			}
			p.phrase(1 + p.IntN(6))
		})
	}
	p.say("\n")
}

func (p *page) alert() {
	p.say("> [!", []string{"NOTE", "TIP", "WARNING"}[p.IntN(3)], "]\n> ")
	p.sentence()
	p.say("\n\n")
}

// noted writes a sentence with a foot-note, which stands at the page's end.
func (p *page) noted() {
	p.sentence()
	p.notes++
	p.say("[^", strconv.Itoa(p.notes), "]\n\n")
}

func (p *page) container() {
	p.say("::: ", []string{"note", "warning"}[p.IntN(2)], "\n\n")
	p.paragraph(2)
	p.say(":::\n\n")
}

// picture is rare: most calls write nothing.
func (p *page) picture() {
	if p.IntN(6) > 0 {
		return
	}
	p.say("![A figure of ", p.word(), "](../images/", pictureName(p.IntN(pictures)), ")\n\n")
}

// fence shows code, most of it what other pages show too.
func (p *page) fence() {
	at := len(p.out)
	code := p.snippets[p.IntN(len(p.snippets))]
	if p.IntN(10) >= 7 {
		code = (&writer{Rand: p.Rand}).snippet()
	}
	p.say("```", code.language, "\n", code.text, "```\n\n")
	p.codeBytes += len(p.out) - at
}
