package quote

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestFindAll holds that looking for many quotations at once finds what
// looking for each of them does: on every page of the tables, with all
// quotations of the tables.
func TestFindAll(t *testing.T) {
	var all []row
	var quotations []string
	for _, file := range []string{"testdata/quotes.jsonl", "testdata/more.jsonl"} {
		all = append(all, rows(t, file)...)
	}
	for _, r := range all {
		quotations = append(quotations, r.Quote)
	}
	for _, r := range all {
		page, err := ReadPage(r.File, bytes.NewReader(r.PageB64), strip)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range page.FindAll(quotations) {
			if want := page.Find(quotations[i]); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %q\nall at once %+v\none by one  %+v", r.ID, quotations[i], got, want)
			}
		}
	}
}

// Texts that begin alike, or begin one another, are all found wherever they stand,
// as by looking for each alone.
func TestPatternsAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var texts []string
		for range 1 + random.IntN(30) {
			texts = append(texts, "the keys "+strings.Repeat("ab ", random.IntN(4))+string("abc "[random.IntN(4)]))
		}
		text := " " + strings.Repeat(strings.Join(texts, " the key ")+" ", 2)
		got := make([][]int, len(texts))
		newPatterns(texts).find(text, func(i, at int) { got[i] = append(got[i], at) })
		for i, want := range texts {
			var all []int
			for at := 0; at+len(want) <= len(text); at++ {
				if strings.HasPrefix(text[at:], want) {
					all = append(all, at)
				}
			}
			if !slices.Equal(got[i], all) {
				t.Fatalf("%q in %q: %v, want %v", want, text, got[i], all)
			}
		}
	}
}
