// Package search writes a search index that a browser reads without a server program:
// small script files, of which one query loads few. The same pages give the same bytes.
//
// A file is one call of the function verbatimSearch, which the theme's search.js
// defines. A file of terms lists for each word the pages that contain it, best first.
// A file of pages has what a result shows of a page. index.js is the root of two trees
// that lead to them, by the first word and by the first page of each file. A large
// site has inner nodes between the root and these files.
package search

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

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
	termsSize   = 8_000 // bytes of a file of terms, at most, unless it has but one
	pagesSize   = 2_500 // the same for a file of pages
	fanOut      = 64    // files that index.js, and a file of directions, lead to
	maxPostings = 500   // pages of one word: the best
	maxSections = 200   // of one page that results can lead to
)

// How much more a word counts in a title, a summary and a heading than in the
// text.
const titleWeight, summaryWeight, headingWeight = 8, 3, 3

// Index returns the files of the index: those that index.js names first.
func Index(pages []Page) ([]File, error) {
	var v Vocabulary
	counts := make([]Count, len(pages))
	for i, p := range pages {
		counts[i] = v.Count(p)
	}
	var files []File
	err := v.Index(pages, counts, func(f File) error {
		files = append(files, f)
		return nil
	})
	return files, err
}

// Index hands over the files of the index of pages, of which counts has the
// words: those that another names first. Of the pages' sections it needs no
// text.
func (v *Vocabulary) Index(pages []Page, counts []Count, write func(File) error) error {
	var root struct {
		Pages []branch `json:"pages"`
		Terms []branch `json:"terms"`
	}
	var err error
	if root.Pages, err = writePages(pages, write); err != nil {
		return err
	}
	if root.Terms, err = writeTerms(v.invert(counts), write); err != nil {
		return err
	}
	data, err := json.Marshal(root)
	if err != nil {
		return fmt.Errorf("write the search index: %w", err)
	}
	return write(File{"search/index.js", call("index", data)})
}

// branch leads to a file: the first that is to be found there, a word or the
// number of a page, and the file's name.
type branch [2]any

// grow writes files of directions until few enough branches are left.
func grow(nodes []branch, write func(File) error) ([]branch, error) {
	for len(nodes) > fanOut {
		var above []branch
		for below := range slices.Chunk(nodes, fanOut) {
			data, err := json.Marshal(below)
			if err != nil {
				return nil, fmt.Errorf("write the search index: %w", err)
			}
			f, name := file("d", data)
			if err := write(f); err != nil {
				return nil, err
			}
			above = append(above, branch{below[0][0], name})
		}
		nodes = above
	}
	return nodes, nil
}

// writeTerms writes the files of terms.
func writeTerms(terms []term, write func(File) error) ([]branch, error) {
	leaves := []branch{}
	for len(terms) > 0 {
		data, n := shard(terms)
		f, name := file("t", data)
		if err := write(f); err != nil {
			return nil, err
		}
		leaves = append(leaves, branch{terms[0].word, name})
		terms = terms[n:]
	}
	return grow(leaves, write)
}

// shard writes the first of some terms, as many as fit into a file.
func shard(terms []term) (data []byte, n int) {
	data = append(make([]byte, 0, termsSize+termsSize/8), '[')
	for n < len(terms) {
		before := len(data)
		if n > 0 {
			data = append(data, ',')
		}
		data = appendTerm(data, terms[n])
		if n > 0 && len(data) > termsSize {
			data = data[:before]
			break
		}
		n++
	}
	return append(data, ']'), n
}

// appendTerm writes a word, and for each page that holds it the page's number
// and the section. The pages of one weight follow that weight as a negative
// number.
func appendTerm(data []byte, t term) []byte {
	data = append(data, `["`...) // a word has nothing to escape
	data = append(data, t.word...)
	data = append(data, `",[`...)
	weight := uint16(0) // none has this
	for i, p := range t.pages {
		if i > 0 {
			data = append(data, ',')
		}
		if p.weight != weight {
			weight = p.weight
			data = strconv.AppendInt(data, -int64(weight), 10)
			data = append(data, ',')
		}
		data = strconv.AppendUint(data, uint64(p.page), 10)
		data = append(data, ',')
		data = strconv.AppendUint(data, uint64(p.section), 10)
	}
	return append(data, "]]"...)
}

// writePages writes the files of pages, each with as many as fit.
func writePages(pages []Page, write func(File) error) ([]branch, error) {
	leaves := []branch{}
	var data []byte
	first := 0
	for i, p := range pages {
		entry, err := shown(p)
		if err != nil {
			return nil, err
		}
		if i > first && len(data)+len(entry) > pagesSize {
			if leaves, err = writeLeaf(leaves, first, data, write); err != nil {
				return nil, err
			}
			first, data = i, data[:0]
		}
		data = append(append(data, ','), entry...)
	}
	if len(pages) > 0 {
		var err error
		if leaves, err = writeLeaf(leaves, first, data, write); err != nil {
			return nil, err
		}
	}
	return grow(leaves, write)
}

// writeLeaf writes a file of pages, of which data has a comma before each.
func writeLeaf(leaves []branch, first int, data []byte, write func(File) error) ([]branch, error) {
	f, name := file("p", fmt.Appendf(nil, "[%s]", data[1:]))
	return append(leaves, branch{first, name}), write(f)
}

// shown returns what results show of a page: address, title, summary, and the id
// and title of each section.
func shown(p Page) ([]byte, error) {
	sections := [][2]string{}
	for _, s := range p.Sections[:min(len(p.Sections), maxSections+1)] {
		sections = append(sections, [2]string{s.ID, s.Title})
	}
	data, err := json.Marshal([]any{p.URL, p.Title, p.Summary, sections})
	if err != nil {
		return nil, fmt.Errorf("write the search index: %w", err)
	}
	return data, nil
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
