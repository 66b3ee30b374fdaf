package page_test

import (
	"bytes"
	"testing"

	"verbatim/internal/markdown"
	"verbatim/internal/page"
)

// A page is the same whether its text is drawn from what was parsed first, or
// parsed again for it, or was drawn as soon as it was read.
func TestTextsFromElsewhere(t *testing.T) {
	in := course(t)
	want := render(t, in)
	theme, err := page.ReadTheme(theme(t))
	if err != nil {
		t.Fatal(err)
	}
	in.Theme = theme
	early := 0
	for i := range in.Lessons {
		l := &in.Lessons[i]
		doc := l.Doc
		l.Gist = theme.Read(l.Lesson, doc)
		text, alone, err := theme.Draw(page.Lesson{Lesson: l.Lesson, Doc: doc}, in.ImageSize)
		if err != nil {
			t.Fatal(err)
		}
		source := l.Source
		l.Doc, l.Open = nil, func() (*markdown.Doc, error) {
			again, _ := markdown.Parse(l.File, source, 0)
			return again, nil
		}
		if alone {
			early++
			l.Text = func() (page.Text, error) { return text, nil }
		}
	}
	got := render(t, in)
	for name := range want {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("%s differs", name)
		}
	}
	if early == 0 || early == len(in.Lessons) {
		t.Errorf("%d of %d texts were drawn early: the test needs some of each", early, len(in.Lessons))
	}
}
