//go:build unix

package quote

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"verbatim/internal/cputime"
)

// numbered returns n words, each of its own.
func numbered(prefix string, n int) []string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprintf("%s%c%d", prefix, 'a'+i%26, i)
	}
	return words
}

// growing are quotations and pages that hold n of something.
var growing = []struct {
	name string
	make func(n int) (page, quotation string)
}{
	{"elisions, each part on the page", func(n int) (string, string) {
		words := numbered("", 7*n)
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.Join(words[7*i:7*i+3], " ")
		}
		return "<p>" + strings.Join(words, " "), strings.Join(parts, " … ")
	}},
	{"elisions, the last part nowhere", func(n int) (string, string) {
		page := "<p>" + strings.Repeat("so it is said here and there ", 8*n)
		return page, strings.Repeat("it is said … ", n) + "nowhere at all"
	}},
	{"elisions within the limit on a growing page", func(n int) (string, string) {
		page := "<p>" + strings.Repeat("so it is said here and there ", 8*n)
		return page, strings.Repeat("it is said … ", maxEdits-1) + "nowhere at all"
	}},
	{"words in brackets", func(n int) (string, string) {
		return "<p>" + strings.Repeat("the key and ", 8*n), strings.Repeat("the [one] and ", n)
	}},
	{"letters in brackets", func(n int) (string, string) {
		return "<p>" + strings.Repeat("the key and ", 8*n), strings.Repeat("[T]he [k]ey and ", n) + "nothing"
	}},
	{"marks of Markdown", func(n int) (string, string) {
		return "<p>" + strings.Repeat("the key and ", 8*n), strings.Repeat("*the* **key** `and` ", n) + "nothing"
	}},
	{"brackets on the page", func(n int) (string, string) {
		return "<p>" + strings.Repeat("[the key [and ", 8*n), "the key [or] the key and so on"
	}},
	{"one word of many letters before the passage", func(n int) (string, string) {
		return "<p>" + strings.Repeat("x", 100*n) + " the key and so on", "… the key and so on"
	}},
	{"rules of style sheets", func(n int) (string, string) {
		return "<style>" + strings.Repeat(".a,.b{display:none}", 10*n) + "</style>" + strings.Repeat("<p class='a b'>the key", 10*n), "the key and so on"
	}},
	{"classes of one element", func(n int) (string, string) {
		return "<style>.a{display:none}</style><p class='" + strings.Join(numbered("c", 10*n), " ") + "'>the key and so on", "the key and so on"
	}},
	{"open blocks of style sheets", func(n int) (string, string) {
		return "<style>" + strings.Repeat("@a{b{", 8*n) + "</style><p>the key and so on", "the key and so on"
	}},
}

// TestGrowth holds that eight times as much of anything takes no more than 32
// times the time: half of what squares would be. What is too quick to measure
// counts as some milliseconds.
func TestGrowth(t *testing.T) {
	const most, least = 32, 10 * time.Millisecond
	for _, g := range growing {
		base, grown := max(least, findTime(t, g.make, 250)), findTime(t, g.make, 2000)
		t.Logf("%s: %v, eight times as many %v", g.name, base, grown)
		if grown > most*base {
			t.Errorf("%s: %v, eight times as many take %v", g.name, base, grown)
		}
	}
}

// findTime returns the processor time that reading a page and looking for a
// quotation took, the least of two times.
func findTime(t *testing.T, makes func(n int) (page, quotation string), n int) time.Duration {
	page, quotation := makes(n)
	least := time.Hour
	for range 2 {
		before := cputime.Used()
		p, err := ReadPage("p.html", bytes.NewReader([]byte(page)), nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Find(quotation)
		least = min(least, cputime.Used()-before)
	}
	return least
}
