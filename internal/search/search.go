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
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strconv"
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

// Index gives the files of the index: those that index.js names first.
func Index(pages []Page) ([]File, error) {
	var v Vocabulary
	counts := make([]Count, len(pages))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				counts[i] = v.Count(pages[i])
			}
		})
	}
	for i := range pages {
		next <- i
	}
	close(next)
	wg.Wait()
	var files []File
	err := v.Index(pages, counts, func(f File) error {
		files = append(files, f)
		return nil
	})
	return files, err
}

// Index hands over the files of the index of pages, of which counts has the
// words: those that index.js names first. Of the pages' sections it needs no
// text.
func (v *Vocabulary) Index(pages []Page, counts []Count, write func(File) error) error {
	root := struct {
		Size  int         `json:"size"`  // pages in a file of pages
		Pages []string    `json:"pages"` // the files of pages, in order
		Terms [][2]string `json:"terms"` // first term and file, in order
	}{Size: pagesInFile, Pages: []string{}, Terms: [][2]string{}}

	for chunk := range slices.Chunk(pages, pagesInFile) {
		f, name, err := shown(chunk)
		if err == nil {
			err = write(f)
		}
		if err != nil {
			return err
		}
		root.Pages = append(root.Pages, name)
	}
	terms := v.invert(counts)
	for len(terms) > 0 {
		data, n := shard(terms)
		f, name := file("t", data)
		if err := write(f); err != nil {
			return err
		}
		root.Terms = append(root.Terms, [2]string{terms[0].word, name})
		terms = terms[n:]
	}
	data, err := json.Marshal(root)
	if err != nil {
		return fmt.Errorf("write the search index: %w", err)
	}
	return write(File{"search/index.js", call("index", data)})
}

// shard writes the first of some terms, as many as fill a file: for each the
// word, and for each page that holds it the page's number, its weight and the
// section.
func shard(terms []term) (data []byte, n int) {
	size := 0
	data = append(data, '[')
	for n < len(terms) && (n == 0 || size < shardSize) {
		if n > 0 {
			data = append(data, ',')
		}
		t := terms[n]
		data = append(data, `["`...) // a word has nothing to escape
		data = append(data, t.word...)
		data = append(data, `",[`...)
		for i, p := range t.pages {
			if i > 0 {
				data = append(data, ',')
			}
			data = strconv.AppendUint(data, uint64(p.page), 10)
			data = append(data, ',')
			data = strconv.AppendUint(data, uint64(p.weight), 10)
			data = append(data, ',')
			data = strconv.AppendUint(data, uint64(p.section), 10)
		}
		data = append(data, "]]"...)
		size += len(t.word) + 10*len(t.pages)
		n++
	}
	return append(data, ']'), n
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
	data, err := json.Marshal(content)
	if err != nil {
		return File{}, "", fmt.Errorf("write the search index: %w", err)
	}
	f, name := file("p", data)
	return f, name, nil
}

// file names a file by its content.
func file(kind string, content []byte) (f File, name string) {
	sum := sha256.Sum256(content)
	name = fmt.Sprintf("%s-%x", kind, sum[:4])
	return File{"search/" + name + ".js", call(name, content)}, name
}

// call makes the script that hands content to the page.
func call(name string, content []byte) []byte {
	return fmt.Appendf(nil, "verbatimSearch(%q,%s)\n", name, content)
}
