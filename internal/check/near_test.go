package check

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"verbatim/internal/lesson"
	"verbatim/internal/problem"
)

// TestMayBeNear: what is taken for far is never what the hint would name.
func TestMayBeNear(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	letters := []rune("abcé限x-/.")
	near := 0
	for range 20_000 {
		word := make([]rune, random.IntN(14))
		for i := range word {
			word[i] = letters[random.IntN(len(letters))]
		}
		other := append([]rune(nil), word...)
		for range random.IntN(5) {
			at := random.IntN(len(other) + 1)
			switch {
			case random.IntN(2) == 0:
				other = append(other[:at], append([]rune{letters[random.IntN(len(letters))]}, other[at:]...)...)
			case at < len(other):
				other = append(other[:at], other[at+1:]...)
			}
		}
		if problem.DidYouMean(string(word), []string{string(other)}) == "" {
			continue
		}
		near++
		if !mayBeNear(string(word), string(other)) {
			t.Fatalf("%q is taken for far from %q", string(other), string(word))
		}
	}
	if near < 1000 || mayBeNear("abcdef", "abcdef1234") || mayBeNear("abcd", "efgh") {
		t.Errorf("%d pairs were near, and others must not be", near)
	}
}

// TestManyAlike: a broken link is compared with a bounded number of names, the
// right one among them.
func TestManyAlike(t *testing.T) {
	s := &Site{}
	for i := range 3000 {
		s.Lessons = append(s.Lessons, &lesson.Lesson{ID: fmt.Sprint(i), File: fmt.Sprintf("content/m/page-%04d.md", i)})
	}
	s.Index()
	names := alike(s, s.Lessons[7], "page-2718.mdd")
	if len(names) == 0 || len(names) > maxCompared {
		t.Errorf("compared with %d names", len(names))
	}
	for _, file := range []string{"page-2718.mdd", "paeg-2718.md", "pag-2718.md", "page2718.md"} {
		if got := nearestFile(s, s.Lessons[7], file); got != `did you mean "page-2718.md"?` {
			t.Errorf("%s: the hint is %q", file, got)
		}
	}
	if names := alike(s, s.Lessons[7], "quite-another-name.md"); len(names) > 0 {
		t.Errorf("far names are compared: %q", names)
	}
}
