// Package search promises an index that a browser searches by itself, from a
// server or from a disk: small script files, of which one query loads few. The
// same pages give the same bytes.
//
// A file is one call of the function verbatimSearch, which the theme's
// search.js defines. index.js names all others; a file of terms gives for each
// word the pages that hold it, best first, and a file of pages what to show of
// a few pages.
package search

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"verbatim/internal/lesson"
)

// Page is one page to find.
type Page struct {
	URL      string // from the top of the site
	Title    string
	Summary  string
	Sections []lesson.Section
}

// File is one file of the index.
type File struct {
	Path string // below the top of the site
	Data []byte
}

const (
	shardSize   = 10_000 // bytes of a file of terms, about
	pagesInFile = 8
	maxPostings = 500 // pages of one word: the best
	maxSections = 200 // of one page that results can lead to
)

// How much more a word counts in a title, a summary and a heading than in the
// text.
const titleWeight, summaryWeight, headingWeight = 8, 3, 3

// posting says how well a page answers a word, and in which of its sections.
type posting struct{ page, weight, section int }

// Index gives the files of the index: those that index.js names first.
func Index(pages []Page) ([]File, error) {
	terms := collect(pages)
	names := make([]string, 0, len(terms))
	for name := range terms {
		names = append(names, name)
	}
	slices.Sort(names)

	var files []File
	root := struct {
		Size  int         `json:"size"`  // pages in a file of pages
		Pages []string    `json:"pages"` // the files of pages, in order
		Terms [][2]string `json:"terms"` // first term and file, in order
	}{Size: pagesInFile, Pages: []string{}, Terms: [][2]string{}}

	for chunk := range slices.Chunk(pages, pagesInFile) {
		f, name, err := shown(chunk)
		if err != nil {
			return nil, err
		}
		files, root.Pages = append(files, f), append(root.Pages, name)
	}
	for len(names) > 0 {
		f, name, n, err := shard(names, terms)
		if err != nil {
			return nil, err
		}
		files, root.Terms = append(files, f), append(root.Terms, [2]string{names[0], name})
		names = names[n:]
	}
	data, err := call("index", root)
	return append(files, File{"search/index.js", data}), err
}

// pageTerm is how often a page holds a word, more for words in better places,
// and the section that holds it first.
type pageTerm struct{ count, section int }

// collect weighs every word of every page.
func collect(pages []Page) map[string][]posting {
	found, lengths := make([]map[string]pageTerm, len(pages)), make([]int, len(pages))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				found[i], lengths[i] = count(pages[i])
			}
		})
	}
	total := 1
	for i := range pages {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, n := range lengths {
		total += n
	}
	terms := map[string][]posting{}
	for i, words := range found {
		long := lengths[i] * len(pages) * 9 / total // nine times its length, as a share of the average
		for word, t := range words {
			terms[word] = append(terms[word], posting{i, 220 * t.count / (10*t.count + 3 + long), t.section})
		}
	}
	for word, list := range terms {
		rare := bits.Len(uint(16 * len(pages) / len(list)))
		for i := range list {
			list[i].weight = max(1, list[i].weight*rare)
		}
		slices.SortFunc(list, func(a, b posting) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.page, b.page))
		})
		terms[word] = list[:min(len(list), maxPostings)]
	}
	return terms
}

// count weighs the words of one page.
func count(p Page) (words map[string]pageTerm, length int) {
	words = map[string]pageTerm{}
	add := func(text string, weight, section int) {
		for word := range Words(text) {
			t, seen := words[word]
			if !seen {
				t.section = section
			}
			t.count += weight
			words[word] = t
			length++
		}
	}
	add(p.Title, titleWeight, 0)
	add(p.Summary, summaryWeight, 0)
	for i, section := range p.Sections {
		i = min(i, maxSections)
		add(section.Title, headingWeight, i)
		add(section.Text, 1, i)
	}
	return words, length
}

// shard writes the first words of a sorted list, as many as fill a file.
func shard(names []string, terms map[string][]posting) (f File, name string, n int, err error) {
	size := 0
	content := [][2]any{}
	for n < len(names) && (n == 0 || size < shardSize) {
		list := terms[names[n]]
		flat := make([]int, 0, 3*len(list))
		for _, p := range list {
			flat = append(flat, p.page, p.weight, p.section)
		}
		content = append(content, [2]any{names[n], flat})
		size += len(names[n]) + 10*len(list)
		n++
	}
	f, name, err = file("t", content)
	return f, name, n, err
}

// shown writes what results show of some pages: address, title, summary, and
// the id and title of each section.
func shown(pages []Page) (File, string, error) {
	var content [][]any
	for _, p := range pages {
		sections := [][2]string{}
		for _, s := range p.Sections[:min(len(p.Sections), maxSections+1)] {
			sections = append(sections, [2]string{s.ID, s.Title})
		}
		content = append(content, []any{p.URL, p.Title, p.Summary, sections})
	}
	return file("p", content)
}

// file names a file by its content.
func file(kind string, content any) (File, string, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return File{}, "", fmt.Errorf("write the search index: %w", err)
	}
	sum := sha256.Sum256(data)
	name := fmt.Sprintf("%s-%x", kind, sum[:4])
	data, err = call(name, json.RawMessage(data))
	return File{"search/" + name + ".js", data}, name, err
}

// call makes the script that hands content to the page.
func call(name string, content any) ([]byte, error) {
	data, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("write the search index: %w", err)
	}
	return fmt.Appendf(nil, "verbatimSearch(%q,%s)\n", name, data), nil
}
