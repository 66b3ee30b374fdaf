package quote

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/html"

	"verbatim/internal/cputime"
	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// generator makes pages that look like those of the web. The same seed makes
// the same pages.
type generator struct {
	*rand.Rand
	vocabulary []string
}

func newGenerator(seed uint64) *generator {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	for range 3000 {
		word := make([]byte, 2+g.IntN(9))
		for i := range word {
			word[i] = "etaoinshrdlucmfwypvbgkjqxz"[min(g.IntN(26), g.IntN(26))]
		}
		g.vocabulary = append(g.vocabulary, string(word))
	}
	return g
}

func (g *generator) words(n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = g.vocabulary[min(g.IntN(len(g.vocabulary)), g.IntN(len(g.vocabulary)))]
	}
	words[n-1] += "."
	return words
}

// wrapped breaks lines as editors do.
func wrapped(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(" \n"[min(i%12/11, 1)])
		}
		b.WriteString(w)
	}
	return b.String()
}

// page makes one page, and gives its paragraphs as plain words.
func (g *generator) page() (page []byte, paragraphs [][]string) {
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + strings.Join(g.words(5), " ") + "</title>\n")
	b.WriteString("<script>" + strings.Repeat("window.dataLayer = window.dataLayer || [];", 20) + "</script></head>\n<body class=\"docs\"><nav><ul>\n")
	for range 30 {
		fmt.Fprintf(&b, "<li class=\"nav-item\"><a href=\"/docs/%s/\" title=\"&amp; more\">%s</a></li>\n", g.words(1)[0], strings.Join(g.words(2), " "))
	}
	b.WriteString("</ul></nav><main>\n")
	for range 20 + g.IntN(60) {
		p := g.words(25 + g.IntN(50))
		paragraphs = append(paragraphs, p)
		fmt.Fprintf(&b, "<p class=\"text\">%s <code>%s</code> %s, <a href=\"#x\">%s</a> %s</p>\n", strings.Join(p[:10], " "), p[10],
			strings.Join(p[11:15], " "), strings.Join(p[15:18], " "), wrapped(p[18:]))
		p[14] += ","
	}
	b.WriteString("</main></body></html>\n")
	return b.Bytes(), paragraphs
}

// scaleSite writes a site of n sources, each with a committed page, whose
// quotations all stand in their pages.
func scaleSite(tb testing.TB, pages, quotations int) Input {
	dir := tb.TempDir()
	g := newGenerator(1)
	in := Input{Dir: dir, Strip: strip}
	for i := range pages {
		id := fmt.Sprintf("source-%04d", i)
		page, paragraphs := g.page()
		folder := filepath.Join(dir, "quotes", id)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "page.html"), page, 0o644); err != nil {
			tb.Fatal(err)
		}
		in.Sources = append(in.Sources, lesson.Source{ID: id, File: "quotes/" + id + "/source.yaml", URL: "https://example.org/" + id, Publish: true})
		c := Citation{Source: id, URL: "https://example.org/" + id, Pos: problem.Pos{File: "content/x.md", Line: i + 1}}
		n := quotations / pages
		if i < quotations%pages {
			n++
		}
		for j := range n {
			p := paragraphs[g.IntN(len(paragraphs))]
			from := g.IntN(len(p) - 13)
			c.Quotes = append(c.Quotes, lesson.Quote{Pos: problem.Pos{File: "content/x.md", Line: i + 1, Col: j + 1}, Text: strings.Join(p[from:from+8+g.IntN(5)], " ")})
		}
		if n > 0 {
			in.Citations = append(in.Citations, c)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { root.Close() })
	in.Site = root.FS()
	return in
}

// parseAlone reads and parses every page and nothing more, with as many
// workers as a check has.
func parseAlone(tb testing.TB, in Input) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range in.workers() {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(in.Sources) {
					return
				}
				page, err := fs.ReadFile(in.Site, filepath.Dir(in.Sources[i].File)+"/page.html")
				if err == nil {
					_, err = html.ParseWithOptions(bytes.NewReader(page), html.ParseOptionEnableScripting(false))
				}
				if err != nil {
					tb.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func checkAll(tb testing.TB, in Input) {
	results, _, err := Check(context.Background(), in)
	if err != nil {
		tb.Fatal(err)
	}
	for _, r := range results {
		if r.State != Verified {
			tb.Fatalf("%s: %q is %s: %s", r.Source, r.Quote.Text, r.State, r.Notes)
		}
	}
}

// BenchmarkScale compares, in one run and by turns, parsing the pages of a site
// alone, a first check of it and a second one with nothing changed. What counts
// are the ratios: first/parse (goal 1.3) and second/first (goal 0.05), by the
// clock and by the time of the processor; each is the median of the rounds.
//
//	go test ./internal/quote -run '^$' -bench Scale -benchtime 7x
func BenchmarkScale(b *testing.B) {
	for _, quotations := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("quotations=%d", quotations), func(b *testing.B) {
			in := scaleSite(b, 1000, quotations)
			var wall, cpu [3][]float64
			b.ResetTimer()
			for b.Loop() {
				in.Cache = filepath.Join(b.TempDir(), "cache")
				for i, f := range []func(testing.TB, Input){parseAlone, checkAll, checkAll} {
					start, used := time.Now(), cputime.Used()
					f(b, in)
					wall[i] = append(wall[i], time.Since(start).Seconds())
					cpu[i] = append(cpu[i], (cputime.Used() - used).Seconds())
				}
			}
			b.ReportMetric(median(ratios(wall[1], wall[0])), "first/parse")
			b.ReportMetric(median(ratios(wall[2], wall[1])), "second/first")
			b.ReportMetric(median(ratios(cpu[1], cpu[0])), "cpu-first/parse")
			b.ReportMetric(median(ratios(cpu[2], cpu[1])), "cpu-second/first")
			b.ReportMetric(median(wall[0])*1000, "ms-parse")
			b.ReportMetric(median(wall[1])*1000, "ms-first")
			b.ReportMetric(median(wall[2])*1000, "ms-second")
		})
	}
}

func ratios(a, b []float64) []float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = a[i] / b[i]
	}
	return r
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}
