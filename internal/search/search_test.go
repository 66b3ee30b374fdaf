package search_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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
			for i := 0; i < len(list); i += 3 {
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

// TestSize: one query of a large site loads little, and the same pages give
// the same files.
func TestSize(t *testing.T) {
	var pages []search.Page
	for i := range 1000 {
		var text strings.Builder
		for j := range 200 {
			fmt.Fprintf(&text, "word%d ", (i*7+j*j*31)%20000)
		}
		pages = append(pages, page(fmt.Sprintf("Page %d", i), "Heading", "common "+text.String()))
	}
	files, err := search.Index(pages)
	if err != nil {
		t.Fatal(err)
	}
	again, err := search.Index(pages)
	if err != nil {
		t.Fatal(err)
	}
	largest := map[byte]int{}
	for i, f := range files {
		if !bytes.Equal(f.Data, again[i].Data) || f.Path != again[i].Path {
			t.Fatalf("%s differs the second time", f.Path)
		}
		kind := f.Path[len("search/")]
		largest[kind] = max(largest[kind], len(f.Data))
	}
	// Two words, a prefix over two files each, and ten pages in ten files.
	query := largest['i'] + 4*largest['t'] + 10*largest['p']
	t.Logf("index.js %d, terms %d, pages %d bytes; a query loads at most %d", largest['i'], largest['t'], largest['p'], query)
	if query > 100_000 {
		t.Errorf("a query may load %d bytes", query)
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
