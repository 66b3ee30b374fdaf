package load

import (
	"bytes"
	"testing"
	"testing/fstest"
)

// FuzzLesson: a site of one lesson is read whatever its bytes are, and every
// problem lies in a file of it.
func FuzzLesson(f *testing.F) {
	for _, src := range []string{
		"---\ntitle: x\nneeds: [a, {id: b, why: c}]\ntags: [d]\nchecked: 2026-11-29\naliases: [e.html]\ndraft: true\n---\n# y\n",
		"\ufeff---\r\ntitle: x\r\n---\r\n\r\ntext\r\n", "---\n", "---\ntitle: x\n", "---\n---\n", "---\n- a\n---\n", "---\n&a [*a, *a]\n---\n",
		"---\ntitle: [x]\nneeds: {a: b}\ntagz: y\ntitle: z\n---\n", "---\n!!binary x: y\n? - a\n: b\n---\n", "---\na: !!set {b}\n<<: *c\n---\n",
		"\xff\xfea\x00", "a\xffb", "a\x00b\x1b[0m", "---\nsummary: \"\\x00\\xff\"\n---\n", "---\nchecked: 2026-02-30\n---\n",
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		book, problems, err := Site(fstest.MapFS{"content/a.md": {Data: src}})
		if err != nil {
			t.Fatal(err)
		}
		if len(book.Lessons) != 1 || book.Lessons[0].Meta.Title == "" {
			t.Errorf("the lesson is not there, or has no title: %+v", book.Lessons)
		}
		lines := bytes.Count(src, []byte("\n")) + 2
		for _, p := range problems {
			if p.File != "content/a.md" || p.Line < 0 || p.Line > lines || p.Text == "" {
				t.Errorf("a problem out of the file: %v", p)
			}
		}
	})
}

// FuzzInvisible: the quick search finds what looking at every character does.
func FuzzInvisible(f *testing.F) {
	for _, text := range []string{"a\tb\r\n", "a\x7f", "\u0085", "é\u009f", "\xc2", "\xc2\xa0\x00", "\xe2\xc2\x80"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if got, want := invisibleIn(src), bytes.IndexFunc(src, invisible); got != want {
			t.Errorf("%q: found at %d, want %d", src, got, want)
		}
	})
}
