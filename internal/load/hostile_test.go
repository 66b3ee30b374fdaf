package load

import (
	"bytes"
	"fmt"
	"testing"
	"testing/fstest"
)

// TestHugeSite: 10,000 lessons in one folder are read, one of 50 MB is one
// clear problem, and neither hides the others.
func TestHugeSite(t *testing.T) {
	site := fstest.MapFS{
		"content/huge.md": {Data: append([]byte("---\ntitle: Huge\n---\n"), bytes.Repeat([]byte("many words in one lesson\n\n"), 2<<20)...)},
	}
	for i := range 10_000 {
		site[fmt.Sprintf("content/all/lesson-%d.md", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "# Lesson %d\n\nSome words.\n", i)}
	}
	book, problems, err := Site(site)
	if err != nil {
		t.Fatal(err)
	}
	if len(book.Lessons) != 10_001 {
		t.Errorf("%d lessons", len(book.Lessons))
	}
	var said bytes.Buffer
	problems.Print(&said)
	want := "content/huge.md:4:1: the page has 52 MB: at most 8 are drawn [size]\n    make several lessons of it, or link to the file\n"
	if wrong, _ := problems.Count(); wrong != 1 || !bytes.HasPrefix(said.Bytes(), []byte(want)) {
		t.Errorf("problems:\n%.500s\nwant\n%s", said.String(), want)
	}
}
