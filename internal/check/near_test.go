package check

import (
	"fmt"
	"testing"

	"verbatim/internal/lesson"
)

// TestManyAlike: a broken link among many files that are all alike has the right
// one as its hint, written as the lesson would write it.
func TestManyAlike(t *testing.T) {
	s := &Site{}
	for i := range 3000 {
		s.Lessons = append(s.Lessons, &lesson.Lesson{ID: fmt.Sprint(i), File: fmt.Sprintf("content/m/page-%04d.md", i)})
	}
	s.Lessons = append(s.Lessons, &lesson.Lesson{ID: "deep/x", File: "content/deep/er/x.md"})
	s.Index()
	for _, file := range []string{"page-2718.mdd", "paeg-2718.md", "pag-2718.md", "page2718.md"} {
		if got := nearestFile(s, s.Lessons[7], file); got != `did you mean "page-2718.md"?` {
			t.Errorf("%s: the hint is %q", file, got)
		}
	}
	if got := nearestFile(s, s.Lessons[7], "quite-another-name.md"); got != "" {
		t.Errorf("a far name: the hint is %q", got)
	}
	for file, want := range map[string]string{
		"../../m/page-2718.mdd": "../../m/page-2718.md", "../m/page-2718.md": "", "y.md": "x.md",
	} {
		if want != "" {
			want = fmt.Sprintf("did you mean %q?", want)
		}
		if got := nearestFile(s, s.Lessons[len(s.Lessons)-1], file); got != want {
			t.Errorf("%s: the hint is %q, want %q", file, got, want)
		}
	}
}
