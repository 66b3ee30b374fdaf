package corpus

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
)

// The distribution of page lengths. Median and sigma result in the mean of the real
// set, 7.9 kB.
const (
	medianSize = 5200 // bytes
	sizeSigma  = 0.9  // standard deviation of the length's logarithm
	maxSize    = 200_000
)

// fenceShare is the share of a page's bytes in fences. Two of five pages have no
// fences, which makes 15 % of the whole site.
const fenceShare = 0.25

// lesson returns the Markdown of lesson i.
func (s *site) lesson(i int) []byte {
	p := &page{site: s, i: i, writer: newWriter(s.seed, streamLessons, i)}
	size := min(maxSize, int(medianSize*math.Exp(sizeSigma*p.NormFloat64())))
	if p.IntN(5) >= 2 {
		p.fenceShare = fenceShare
	}
	p.frontMatter()
	if p.IntN(5) == 0 {
		p.add("::: summary\n\n")
		p.paragraph(2)
		p.add(":::\n\n")
	}
	p.paragraph(3)
	from, to := s.examplesOf(i)
	for e := from; e < to; e++ {
		fmt.Fprintf(p, "```output {of=%s}\n```\n\n", exampleName(e))
	}
	for n := 0; len(p.out) < size; n++ {
		if n%5 == 0 {
			p.add("## ", p.title(), "\n\n")
		}
		p.block()
	}
	p.add("## In short\n\n")
	p.paragraph(2)
	for n := range p.footnotes {
		fmt.Fprintf(p, "[^%d]: ", n+1)
		p.paragraph(1)
	}
	return p.out
}

// page is a lesson that is being generated.
type page struct {
	*site
	*writer
	i          int     // index of the lesson
	fenceShare float64 // share of the bytes to put in fences
	codeBytes  int     // bytes in fences so far
	footnotes  int     // footnotes so far
}

// Write implements io.Writer for fmt.Fprintf.
func (p *page) Write(b []byte) (int, error) {
	p.out = append(p.out, b...)
	return len(b), nil
}

// frontMatter appends the front matter.
func (p *page) frontMatter() {
	fmt.Fprintf(p, "---\ntitle: %q\n", p.titles[p.i])
	if p.IntN(2) == 0 {
		p.add("summary: ", p.plainSentence(), "\n")
	}
	if p.i > 0 && p.IntN(3) == 0 {
		fmt.Fprintf(p, "needs: [%s]\n", p.ids[p.i-1])
	}
	fmt.Fprintf(p, "tags: [%s, %s]\n---\n\n", names[p.IntN(20)], names[20+p.IntN(20)])
}

// plainSentence returns a sentence without Markdown and appends nothing.
func (w *writer) plainSentence() string {
	other := &writer{Rand: w.Rand}
	other.sentence()
	return strings.NewReplacer("`", "", "*", "").Replace(string(other.out))
}

// block appends one block: a fence while the share of code is too small, else a
// random kind, mostly a paragraph.
func (p *page) block() {
	if float64(p.codeBytes) < p.fenceShare*float64(len(p.out)) {
		p.fence()
		return
	}
	switch p.IntN(24) {
	case 0, 1:
		p.list("- ")
	case 2:
		p.list("1. ")
	case 3:
		p.nestedList()
	case 4, 5:
		p.table()
	case 6:
		p.add("> ")
		p.paragraph(1)
	case 7:
		p.alert()
	case 8:
		p.add("### ", p.title(), "\n\n")
	case 9:
		p.footnote()
	case 10:
		p.container()
	case 11:
		p.picture()
	default:
		p.paragraph(2 + p.IntN(4))
	}
}

// paragraph appends a paragraph with the given number of sentences. One in four
// ends with a link to a lesson.
func (p *page) paragraph(sentences int) {
	for n := range sentences {
		if n > 0 {
			p.add([]string{" ", "\n"}[min(n%3, 1)])
		}
		p.sentence()
	}
	if p.IntN(4) == 0 {
		p.add(" See ")
		p.link()
		p.add(".")
	}
	p.add("\n\n")
}

// link appends a link to a random lesson, half of the time to a heading of it.
func (p *page) link() {
	to := p.IntN(p.pages)
	dest := "../" + p.ids[to] + ".md"
	if path.Dir(p.ids[to]) == path.Dir(p.ids[p.i]) {
		dest = path.Base(p.ids[to]) + ".md"
	}
	if p.IntN(2) == 0 {
		dest += "#in-short"
	}
	p.add("[", p.titles[to], "](", dest, ")")
}

func (p *page) list(mark string) {
	for range 3 + p.IntN(6) {
		p.add(mark)
		p.sentence()
		p.add("\n")
	}
	p.add("\n")
}

func (p *page) nestedList() {
	for range 2 + p.IntN(3) {
		p.add("- ")
		p.sentence()
		p.add("\n")
		for range 1 + p.IntN(3) {
			p.add("  - ")
			p.phrase(4 + p.IntN(8))
			p.add("\n")
		}
	}
	p.add("\n")
}

func (p *page) table() {
	columns := 2 + p.IntN(4)
	row := func(cell func()) {
		for range columns {
			p.add("| ")
			cell()
			p.add(" ")
		}
		p.add("|\n")
	}
	row(func() { p.phrase(2) })
	row(func() { p.add("---") })
	for range 3 + p.IntN(10) {
		row(func() {
			if p.IntN(3) == 0 {
				p.add("`", p.name(), "`")
				return
			}
			p.phrase(1 + p.IntN(6))
		})
	}
	p.add("\n")
}

func (p *page) alert() {
	p.add("> [!", []string{"NOTE", "TIP", "WARNING"}[p.IntN(3)], "]\n> ")
	p.sentence()
	p.add("\n\n")
}

// footnote appends a sentence with a reference to a footnote. lesson appends the
// footnote itself at the end of the page.
func (p *page) footnote() {
	p.sentence()
	p.footnotes++
	p.add("[^", strconv.Itoa(p.footnotes), "]\n\n")
}

func (p *page) container() {
	p.add("::: ", []string{"note", "warning"}[p.IntN(2)], "\n\n")
	p.paragraph(2)
	p.add(":::\n\n")
}

// picture appends an image in one of six calls, else nothing.
func (p *page) picture() {
	if p.IntN(6) > 0 {
		return
	}
	p.add("![A figure of ", p.word(), "](../images/", pictureName(p.IntN(pictures)), ")\n\n")
}

// fence appends a code fence. Seven of ten repeat code of other pages.
func (p *page) fence() {
	start := len(p.out)
	code := p.snippets[p.IntN(len(p.snippets))]
	if p.IntN(10) >= 7 {
		code = (&writer{Rand: p.Rand}).snippet()
	}
	p.add("```", code.language, "\n", code.text, "```\n\n")
	p.codeBytes += len(p.out) - start
}
