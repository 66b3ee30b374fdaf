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
	for _, file := range verdictRows {
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
		checkNotes(t, quotation, got)
		if got.Verdict != Match {
			return
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

// checkNotes holds that no reservation is without a note, and no edit without
// a reservation.
func checkNotes(t *testing.T, quotation string, f Finding) {
	t.Helper()
	if (f.Verdict == Warning) != (len(f.Reservations) > 0) {
		t.Fatalf("a %s with the reservations %q", f.Verdict, f.Reservations)
	}
	for _, note := range ReaderNotes(f.Reservations) {
		if note == "" {
			t.Fatalf("a reservation of %q has no words", f.Reservations)
		}
	}
	if f.Verdict == NoMatch {
		return
	}
	if strings.ContainsAny(quotation, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") {
		t.Fatalf("%q has a control character and is found", quotation)
	}
	if got, want := publish(Verified, quotation, f), newSealed(quotation, f).finding(); !slices.Equal(got.Reservations, want.Reservations) || want.Verdict != f.Verdict {
		t.Fatalf("found with %q, sealed as %+v", got.Reservations, want)
	}
	if f.Fold == Exact || f.Fold == Typography {
		return
	}
	if f.Verdict == Match {
		t.Fatalf("a match under the fold %q", f.Fold)
	}
	if f.Fold != Editing {
		return
	}
	// What is not on the page between the parts must be said.
	said := map[Reservation]bool{}
	for _, r := range f.Reservations {
		said[r] = true
	}
	words, passage := simpleWords(Typography, strings.ToLower(quotation)), simpleWords(Typography, strings.ToLower(f.Passage))
	if !slices.Equal(words, passage) && !said[Elision] && !said[Insertion] && !said[Sic] && !said[LetterCase] && !said[Markup] {
		t.Fatalf("%q is not %q, and the reservations are %q", quotation, f.Passage, f.Reservations)
	}
}

// simpleWords returns the words of s under a fold: its runs of letters, digits
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

// containsRun reports whether all contains part without a gap. In scripts
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
