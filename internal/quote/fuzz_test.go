package quote

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// FuzzMatch holds the promise of the package against strangers' bytes: the
// words of a match, in order and without a gap, are words of the page under
// the named fold. The folds are written here once more, and simply.
func FuzzMatch(f *testing.F) {
	for _, file := range []string{"testdata/quotes.jsonl", "testdata/more.jsonl"} {
		for _, r := range rows(f, file) {
			f.Add(r.File, r.PageB64, r.Quote)
		}
	}
	f.Fuzz(func(t *testing.T, file string, page []byte, quotation string) {
		p, err := ReadPage(file, bytes.NewReader(page), strip)
		if err != nil {
			return
		}
		got := p.Find(quotation)
		if all := p.FindAll([]string{"a", quotation}); !reflect.DeepEqual(all[1], got) {
			t.Fatalf("of many %+v\nalone %+v", all[1], got)
		}
		if got.Verdict != Match {
			return
		}
		if got.Fold != Exact && got.Fold != Typography {
			t.Fatalf("a match under the fold %q", got.Fold)
		}
		want := simpleWords(got.Fold, quotation)
		for _, omit := range p.variant {
			if omit&hiddenText != 0 && containsRun(simpleWords(got.Fold, p.reading(omit).text), want) {
				return
			}
		}
		t.Fatalf("false %s match\npage  %q\nquote %q\nwords %q", got.Fold, p.Text(), quotation, want)
	})
}

// simpleWords gives the words of s under a fold: its runs of letters, digits
// and marks.
func simpleWords(fold Fold, s string) []string {
	s = strings.Map(func(r rune) rune {
		if ignorable(r) {
			return -1
		}
		if fold == Typography && r >= 0xFF01 && r <= 0xFF5E {
			return r - 0xFEE0
		}
		return r
	}, s)
	if fold == Typography {
		s = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl", "ﬅ", "st", "ﬆ", "st").Replace(s)
	}
	return strings.FieldsFunc(norm.NFC.String(s), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.N, unicode.M)
	})
}

// containsRun reports whether part stands in all without a gap. In scripts
// without spaces a quotation may begin and end inside what is one word here.
func containsRun(all, part []string) bool {
	for i := 0; i+len(part) <= len(all); i++ {
		window := all[i : i+len(part)]
		if slices.Equal(window, part) || likeUnspaced(window, part) {
			return true
		}
	}
	return len(part) == 0
}

// likeUnspaced compares two runs of words of which the first may begin and the last
// may end with a character of a script without spaces.
func likeUnspaced(window, part []string) bool {
	joined, want := strings.Join(window, " "), strings.Join(part, " ")
	i := strings.Index(joined, want)
	return i >= 0 && strings.ContainsFunc(joined, isUnspaced)
}

// FuzzRead holds that no bytes crash the reading of a page.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"p.html", "p.mhtml", "p.md", "p.txt", "p.go", "p.html.gz"} {
		f.Add(name, []byte("\x1f\x8b\x08"))
		f.Add(name, []byte("Content-Type: multipart/related; boundary=B\n\n--B\n\n"))
		f.Add(name, []byte("<p><b>a<table><tr>b\n\n```\n&#x1F600;"))
		f.Add(name, []byte("package p\n// a\nvar x = `"))
		f.Add(name, []byte("\xff\xfea\x00b\x00"))
	}
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		p, err := ReadPage(name, bytes.NewReader(raw), strip)
		if err != nil {
			return
		}
		text := p.Text()
		if strings.Contains(text, "  ") || strings.TrimSpace(text) != text {
			t.Fatalf("words of %q are not one space apart: %q", raw, text)
		}
		if !norm.NFC.IsNormalString(text) {
			t.Fatalf("text of %q is not NFC: %q", raw, text)
		}
	})
}
