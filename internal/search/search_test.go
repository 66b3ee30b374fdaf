package search_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"verbatim/internal/lesson"
	"verbatim/internal/search"
)

// TestWords reads testdata/words.jsonl: texts and their words.
func TestWords(t *testing.T) {
	data, err := os.ReadFile("testdata/words.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var c struct {
			Text  string
			Words []string
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := slices.Collect(search.Words(c.Text)); !slices.Equal(got, c.Words) {
			t.Errorf("%q gives %q, want %q", c.Text, got, c.Words)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Redis 限流 a")
	f.Fuzz(func(t *testing.T, text string) {
		for word := range search.Words(text) {
			if n := utf8.RuneCountInString(word); n == 0 || n > 40 || word != strings.ToLower(word) && utf8.ValidString(text) && !strings.ContainsFunc(text, odd) {
				t.Errorf("%q gives %q", text, word)
			}
		}
	})
}

// odd tells letters of which small and capital forms are no pairs.
func odd(r rune) bool { return r > 127 }

// postings reads the index as a browser does: term to pages, best first.
func postings(t *testing.T, files []search.File) map[string][]int {
	t.Helper()
	found := map[string][]int{}
	for _, f := range files {
		if !strings.HasPrefix(f.Path, "search/t-") {
			continue
		}
		_, body, _ := strings.Cut(string(f.Data), ",")
		var terms [][2]json.RawMessage
		if err := json.Unmarshal([]byte(strings.TrimSuffix(body, ")\n")), &terms); err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		for _, term := range terms {
			var word string
			var list []int
			if json.Unmarshal(term[0], &word) != nil || json.Unmarshal(term[1], &list) != nil {
				t.Fatalf("%s: %s", f.Path, term)
			}
			for i := 0; i < len(list); i += 2 {
				if list[i] < 0 { // a weight
					i++
				}
				found[word] = append(found[word], list[i])
			}
		}
	}
	return found
}

func page(title, heading, text string) search.Page {
	return search.Page{URL: title + ".html", Title: title, Sections: []lesson.Section{{}, {ID: "s", Title: heading, Text: text}}}
}

// TestRanking: a word counts most in a title, then in a heading, and more in a
// short text than in a long one.
func TestRanking(t *testing.T) {
	files, err := search.Index([]search.Page{
		page("Long", "x", "expire "+strings.Repeat("and so on ", 200)),
		page("Short", "x", "keys expire"),
		page("Heading", "Expire", "nothing"),
		page("Expire", "x", "nothing"),
		page("Other", "x", "nothing"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := postings(t, files)["expire"]; !slices.Equal(got, []int{3, 2, 1, 0}) {
		t.Errorf("expire finds %v", got)
	}
}

// TestManyWords: however many words a page has, and whatever a page before it
// had, each is found on it.
func TestManyWords(t *testing.T) {
	var v search.Vocabulary
	var pages []search.Page
	var counts []search.Count
	for i, words := range []int{3, 5000, 2} {
		var text strings.Builder
		for n := range words {
			fmt.Fprintf(&text, "w%d ", n)
		}
		pages = append(pages, page(fmt.Sprint("t", i), "h", text.String()+"w0"))
		counts = append(counts, v.Count(pages[i]))
	}
	var files []search.File
	err := v.Index(pages, counts, func(f search.File) error {
		files = append(files, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	found := postings(t, files)
	for n := range 5000 {
		if len(found[fmt.Sprint("w", n)]) == 0 {
			t.Fatalf("w%d is not found", n)
		}
	}
	if len(found) != 5000+3+1 { // the titles, and "h"
		t.Errorf("%d words, want 5004", len(found))
	}
}

// large returns the files of the index of a large site.
func large(t *testing.T) ([]search.Page, []search.File) {
	t.Helper()
	var pages []search.Page
	for i := range 4000 {
		var text strings.Builder
		for j := range 100 {
			fmt.Fprintf(&text, "word%d ", (i*7+j*j*31)%40_000)
		}
		p := page(fmt.Sprintf("Page %d", i), "Heading", "common "+text.String())
		for j := range i % 20 {
			p.Sections = append(p.Sections, lesson.Section{ID: fmt.Sprint("part-", j), Title: fmt.Sprint("Part ", j)})
		}
		pages = append(pages, p)
	}
	files, err := search.Index(pages)
	if err != nil {
		t.Fatal(err)
	}
	again, err := search.Index(pages)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		if !bytes.Equal(f.Data, again[i].Data) || f.Path != again[i].Path {
			t.Fatalf("%s differs the second time", f.Path)
		}
	}
	return pages, files
}

// TestSize: one query of a large site loads little: the root; of two words, each
// the beginning of others, two files with what leads to them; ten pages in ten
// files, likewise.
func TestSize(t *testing.T) {
	_, files := large(t)
	largest := map[byte]int{}
	for _, f := range files {
		kind := f.Path[len("search/")]
		largest[kind] = max(largest[kind], len(f.Data))
	}
	query := largest['i'] + 4*(largest['t']+largest['d']) + 10*(largest['p']+largest['d'])
	t.Logf("index.js %d, directions %d, terms %d, pages %d bytes; a query loads at most %d", largest['i'], largest['d'], largest['t'], largest['p'], query)
	if query > 100_000 {
		t.Errorf("a query may load %d bytes", query)
	}
	if largest['d'] == 0 {
		t.Error("this site is too small: it needs no directions")
	}
}

// TestTrees: from index.js pages and words are found, by what a file of branches
// says of the first that lies behind each.
func TestTrees(t *testing.T) {
	pages, files := large(t)
	content := map[string]json.RawMessage{}
	for _, f := range files {
		_, body, _ := strings.Cut(string(f.Data), ",")
		name := strings.TrimSuffix(strings.TrimPrefix(f.Path, "search/"), ".js")
		content[name] = json.RawMessage(strings.TrimSuffix(body, ")\n"))
	}
	var root struct{ Pages, Terms json.RawMessage }
	decode(t, content["index"], &root)
	for i := 0; i < len(pages); i += 37 {
		first, entries := follow(t, content, root.Pages, func(first int) bool { return first <= i })
		var url string
		decode(t, entries[i-first][0], &url)
		if url != pages[i].URL {
			t.Fatalf("page %d is %s", i, url)
		}
	}
	words := slices.Sorted(maps.Keys(postings(t, files)))
	for i := 0; i < len(words); i += 211 {
		word := words[i]
		_, entries := follow(t, content, root.Terms, func(first string) bool { return first <= word })
		quoted := fmt.Sprintf("%q", word)
		if !slices.ContainsFunc(entries, func(e []json.RawMessage) bool { return string(e[0]) == quoted }) {
			t.Fatalf("%s is not found", word)
		}
	}
}

// follow goes from branches to the file behind the last one that is no further
// than what is looked for, and gives what the file begins with, and its content.
func follow[Key any](t *testing.T, content map[string]json.RawMessage, branches json.RawMessage, reached func(Key) bool) (Key, [][]json.RawMessage) {
	t.Helper()
	var first Key
	var name string
	var all [][2]json.RawMessage
	decode(t, branches, &all)
	for _, b := range all {
		var key Key
		decode(t, b[0], &key)
		if reached(key) {
			first = key
			decode(t, b[1], &name)
		}
	}
	if strings.HasPrefix(name, "d-") {
		return follow(t, content, content[name], reached)
	}
	var entries [][]json.RawMessage
	decode(t, content[name], &entries)
	return first, entries
}

func decode(t *testing.T, data json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%.100s: %v", data, err)
	}
}

func BenchmarkIndex(b *testing.B) {
	var pages []search.Page
	for i := range 1000 {
		pages = append(pages, page(fmt.Sprintf("Page %d", i), "Heading", strings.Repeat(fmt.Sprintf("some words of page %d and others ", i), 100)))
	}
	for b.Loop() {
		if _, err := search.Index(pages); err != nil {
			b.Fatal(err)
		}
	}
}
