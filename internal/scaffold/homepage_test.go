package scaffold

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"verbatim/internal/load"
)

// homePage returns the book of a site that has this home page.
func homePage(t testing.TB, page string) *load.Book {
	t.Helper()
	book, _, err := load.Site(fstest.MapFS{homeFile: {Data: []byte(page)}})
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func TestAddItem(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/homepage.txtar")
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, f := range archive.Files {
		pages[f.Name] = string(f.Data)
	}
	for name, page := range pages {
		want, ok := pages["want/"+name]
		if strings.HasPrefix(name, "want/") {
			continue
		}
		if !ok {
			t.Errorf("%s has no page in want/", name)
		}
		got, err := addItem(homePage(t, page), "New", "new/one")
		if err != nil {
			if !strings.HasPrefix(err.Error(), strings.TrimSpace(want)) {
				t.Errorf("%s: error %q, want %s", name, err, want)
			}
			continue
		}
		if string(got) != want {
			t.Errorf("%s became\n%s\nwant\n%s", name, got, want)
		}
		if windows, err := addItem(homePage(t, dos(page)), "New", "new/one"); err != nil || string(windows) != dos(want) {
			t.Errorf("%s with CR LF became %q, %v", name, windows, err)
		}
	}
}

func dos(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// A last line without its end gets one.
func TestAddItemAtTheEnd(t *testing.T) {
	got, err := addItem(homePage(t, "- [A](a.md)"), "New", "new")
	if want := "- [A](a.md)\n- [New](new.md)\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// Whatever the home page holds, its lines stay, or there is an error.
func FuzzAddItem(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/homepage.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(string(file.Data))
	}
	f.Fuzz(func(t *testing.T, page string) {
		got, err := addItem(homePage(t, page), "One more", "fuzz/one-more")
		if err != nil {
			return
		}
		const line = "[One more](fuzz/one-more.md)"
		before, after, found := strings.Cut(string(got), line)
		if !found {
			t.Fatalf("%q has no new line", got)
		}
		if kept := before[:strings.LastIndexByte(before, '\n')+1]; !strings.HasPrefix(page, strings.TrimRight(kept, "\r\n")) {
			t.Errorf("%q changed before the new line: %q", page, kept)
		}
		if after = strings.TrimLeft(after, "\r\n"); !strings.HasSuffix(page, after) {
			t.Errorf("%q changed after the new line: %q", page, after)
		}
	})
}
