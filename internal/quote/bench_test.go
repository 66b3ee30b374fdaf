package quote

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// generatedPage makes a page of about n words, with quotations that stand in it.
func generatedPage(seed uint64, words, quotations int) (page string, quotes []string) {
	dice := rand.New(rand.NewPCG(seed, 1))
	word := func() string { return fmt.Sprintf("w%x", dice.Uint32N(5000)) }
	var b strings.Builder
	b.WriteString("<!DOCTYPE html><html><head><title>x</title></head><body>")
	var all [][]string
	for n := 0; n < words; n += 40 {
		paragraph := make([]string, 40)
		for i := range paragraph {
			paragraph[i] = word()
		}
		all = append(all, paragraph)
		b.WriteString("<p class=\"text\">" + strings.Join(paragraph[:20], " ") + " <code>" + paragraph[20] + "</code> <a href=\"/x\">" +
			strings.Join(paragraph[21:], " ") + "</a></p>\n")
	}
	b.WriteString("</body></html>")
	for range quotations {
		p := all[dice.IntN(len(all))]
		from := dice.IntN(20)
		quotes = append(quotes, strings.Join(p[from:from+12], " "))
	}
	return b.String(), quotes
}

// BenchmarkPage compares parsing a page alone with reading it and finding
// quotations in it: the ratio of the two is what counts.
func BenchmarkPage(b *testing.B) {
	for _, quotations := range []int{0, 1, 10, 1000} {
		page, quotes := generatedPage(1, 2000, quotations)
		if quotations == 0 {
			b.Run("parse", func(b *testing.B) {
				b.SetBytes(int64(len(page)))
				for b.Loop() {
					if _, err := html.Parse(strings.NewReader(page)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("quotations=%d", quotations), func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			for b.Loop() {
				p, err := ReadPage("p.html", strings.NewReader(page), nil)
				if err != nil {
					b.Fatal(err)
				}
				for _, q := range quotes {
					if f := p.Find(q); f.Verdict != Match {
						b.Fatalf("%q: %s", q, f.Verdict)
					}
				}
			}
		})
	}
}
