package site

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"verbatim/internal/publish"
	"verbatim/templates"
)

// author changes a small site at random, the same way for the same seed.
type author struct {
	t *testing.T
	*rand.Rand
	dir     string
	deleted map[string][]byte // by file: what may come back
	changed []string          // by the last step
	step    int
}

func (a *author) write(file, text string) {
	a.t.Helper()
	name := filepath.Join(a.dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		a.t.Fatal(err)
	}
	a.changed = append(a.changed, file)
}

func (a *author) read(file string) string {
	data, err := os.ReadFile(filepath.Join(a.dir, filepath.FromSlash(file)))
	if err != nil {
		return ""
	}
	return string(data)
}

func (a *author) remove(file string) {
	os.RemoveAll(filepath.Join(a.dir, filepath.FromSlash(file)))
	a.changed = append(a.changed, file)
}

// lessons returns the lesson files that are there, sorted, without the home page.
func (a *author) lessons() (files []string) {
	names, err := filepath.Glob(filepath.Join(a.dir, "content", "*", "*.md"))
	if err != nil {
		a.t.Fatal(err)
	}
	for _, name := range names {
		files = append(files, "content/"+filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name))
	}
	return files
}

func (a *author) one(files []string) string { return files[a.IntN(len(files))] }

// begin writes the site: lessons that link to one another, an example with
// recorded lines and a value, a source with its page, and a theme of its own.
func (a *author) begin() {
	err := fs.WalkDir(templates.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(templates.FS, name)
		a.write("templates/"+name, string(data))
		return err
	})
	if err != nil {
		a.t.Fatal(err)
	}
	a.write("examples/say/example.yaml", "run: sh say.sh\nneeds: none\n")
	a.write("examples/say/say.sh", "cat lines.txt\necho \"n=$(wc -l <lines.txt | tr -d ' ')\" >>\"$VERBATIM_VALUES\"\n")
	a.write("examples/say/lines.txt", "one\ntwo\n")
	a.write("quotes/book/source.yaml", "title: Book\nurl: https://example.org/book\nsaved: 2026-11-29\npublish: true\n")
	a.write("quotes/book/page.html", "<!doctype html>\n<html lang=\"en\"><title>Book</title>\n<p>Every word of it is true.</p>\n</html>\n")
	a.write("content/m/proof.md", "---\ntitle: Proof\n---\n\nIt said {{say.n}} lines: [word of it is true](quote:book).\n\n```output {of=say}\n```\n\n![a dot](dot.png)\n")
	a.write("content/m/dot.png", "no picture")
	for i := range 8 {
		a.lesson(fmt.Sprintf("content/%s/p%d.md", []string{"m", "n"}[i%2], i))
	}
	a.home()
}

// lesson writes a lesson that is all in order.
func (a *author) lesson(file string) {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: Title %d\ntags: [t%d]\n---\n\n", a.IntN(1000), a.IntN(3))
	for range 1 + a.IntN(4) {
		b.WriteString(a.piece())
	}
	a.write(file, b.String())
}

// piece is something to add to a lesson.
func (a *author) piece() string {
	n := a.IntN(1000)
	switch a.IntN(8) {
	case 0:
		return fmt.Sprintf("## Heading %d\n\nText %d.\n\n", n, n)
	case 1:
		return fmt.Sprintf("```go\nfunc f%d() string { return \"x\" } // y\n```\n\n", n)
	case 2:
		return fmt.Sprintf("::: note\n\nRead [the proof](../m/proof.md), number %d.\n\n:::\n\n", n)
	case 3:
		return "It printed {{say.n}} lines.\n\n"
	case 4:
		return "```output {of=say lines=1}\n```\n\n"
	case 5:
		return "The book says: [word of it is true](quote:book).\n\n"
	case 6:
		if others := a.lessons(); len(others) > 0 {
			other := strings.TrimPrefix(a.one(others), "content/")
			return fmt.Sprintf("See [another](../%s).\n\n", other)
		}
	}
	return fmt.Sprintf("A paragraph with *number* %d and `code`.\n\n", n)
}

// home lists every lesson that is there.
func (a *author) home() {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntitle: Course\nbase_url: https://example.org/c\n---\n\n# Course %d\n\n", a.IntN(10))
	for _, file := range a.lessons() {
		id := strings.TrimPrefix(file, "content/")
		fmt.Fprintf(&b, "- [%s](%s)\n", strings.TrimSuffix(id, ".md"), id)
	}
	a.write("content/index.md", b.String())
}

// edits are what an author may do. After an odd one the next mends the site.
var edits = []func(a *author){
	func(a *author) { f := a.one(a.lessons()); a.write(f, a.read(f)+a.piece()) },
	func(a *author) { f := a.one(a.lessons()); a.write(f, a.read(f)+a.piece()) },
	func(a *author) { f := a.one(a.lessons()); a.write(f, a.read(f)+a.piece()+a.piece()) },
	func(a *author) {
		f := a.one(a.lessons())
		a.write(f, strings.Replace(a.read(f), "title: ", fmt.Sprintf("title: %d ", a.IntN(10)), 1))
	},
	func(a *author) { a.lesson(fmt.Sprintf("content/n/new%d.md", a.step)); a.home() },
	func(a *author) {
		if f := a.one(a.lessons()); f != "content/m/proof.md" {
			a.deleted[f] = []byte(a.read(f))
			a.remove(f)
			a.home()
		}
	},
	func(a *author) {
		for _, f := range slices.Sorted(maps.Keys(a.deleted)) {
			a.write(f, string(a.deleted[f]))
		}
		clear(a.deleted)
		a.home()
	},
	func(a *author) {
		if f := a.one(a.lessons()); f != "content/m/proof.md" {
			text := a.read(f)
			a.remove(f)
			a.write(fmt.Sprintf("content/m/moved%d.md", a.step), text)
			a.home()
		}
	},
	func(a *author) { f := a.one(a.lessons()); a.write(f, a.read(f)+"A [dead](../m/none.md) link.\n\n") },
	func(a *author) { f := a.one(a.lessons()); a.write(f, a.read(f)+"::: note\n\nNever closed.\n\n") },
	func(a *author) {
		f := a.one(a.lessons())
		a.write(f, strings.Replace(a.read(f), "---\n", "---\ndraft: true\n", 1))
	},
	func(a *author) {
		f := a.one(a.lessons())
		a.write(f, strings.Replace(a.read(f), "---\n", fmt.Sprintf("---\naliases: [old/%d.html]\n", a.step), 1))
	},
	func(a *author) {
		a.write("examples/say/lines.txt", strings.Repeat(fmt.Sprintf("line %d\n", a.IntN(100)), 1+a.IntN(3)))
	},
	func(a *author) { a.remove("examples/say/recorded") },
	func(a *author) { a.write("examples/say/recorded/output.txt", "forged\n") },
	func(a *author) {
		a.write("examples/say/example.yaml", fmt.Sprintf("title: Say %d\nrun: sh say.sh\nneeds: none\n", a.IntN(10)))
	},
	func(a *author) {
		a.write("templates/note.html", fmt.Sprintf("%s<!-- %d -->", a.read("templates/note.html"), a.step))
	},
	func(a *author) { a.write("templates/static/style.css", a.read("templates/static/style.css")+"/* */\n") },
	func(a *author) { a.remove("templates/note.html") },
	func(a *author) { a.write("templates/lesson.html", a.read("templates/lesson.html")+"{{if}}") },
	func(a *author) { a.write("content/m/dot.png", fmt.Sprintf("picture %d", a.step)) },
	func(a *author) { a.write(fmt.Sprintf("content/n/file%d.txt", a.IntN(3)), "text") },
	func(a *author) {
		a.write("quotes/book/source.yaml", fmt.Sprintf("title: Book %d\nurl: https://example.org/book\nsaved: 2026-11-29\npublish: true\n", a.IntN(10)))
	},
	func(a *author) {
		a.write("quotes/book/page.html", fmt.Sprintf("<!doctype html>\n<html lang=\"en\"><title>Book</title>\n<p>Every word of it is true, %d.</p>\n</html>\n", a.step))
	},
	func(a *author) { a.write("quotes/book/page.html", "<html lang=\"en\"><p>Nothing.</p></html>\n") },
	func(a *author) { a.home() },
	sneak,
}

// site returns a site's files by path, without the list of them.
func (a *author) site(dir string) map[string][]byte {
	files := map[string][]byte{}
	err := filepath.WalkDir(filepath.Join(dir, "public"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(filepath.Join(dir, "public"), name)
		if rel != publish.Manifest {
			files[filepath.ToSlash(rel)], err = os.ReadFile(name)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		a.t.Fatal(err)
	}
	return files
}

func same(t *testing.T, what string, got, want map[string][]byte) {
	t.Helper()
	for name := range want {
		if data, ok := got[name]; !ok {
			t.Errorf("%s: %s is missing", what, name)
		} else if !bytes.Equal(data, want[name]) {
			i := difference(data, want[name])
			t.Errorf("%s: %s differs: %q, want %q", what, name, data[i:min(len(data), i+60)], want[name][i:min(len(want[name]), i+60)])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s is too many", what, name)
		}
	}
}

// shownBy returns the files of a snapshot, and its problems as text.
func shownBy(s *Snapshot) (map[string][]byte, string) {
	files := map[string][]byte{}
	for _, name := range s.paths() {
		if data, ok := s.File(name); ok {
			files[name] = data
		}
	}
	return files, fmt.Sprint(s.Problems, s.Stale)
}

// built is what a build came to, in words.
func built(r *Report, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprint(r.Problems)
}

// TestRandomEdits: after every edit, a build with a cache writes the bytes of a clean
// build, and a live site serves them.
func TestRandomEdits(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the example of this test is a shell script")
	}
	const steps = 100
	ctx := context.Background()
	a := &author{t: t, Rand: rand.New(rand.NewPCG(1, 8)), dir: t.TempDir(), deleted: map[string][]byte{}}
	a.begin()
	config := Config{Root: a.dir, Redis: "embedded", Workers: 2, Today: "2026-11-29"}
	if r, err := Build(ctx, config); err != nil || len(r.Problems) > 0 {
		t.Fatal(built(r, err))
	}
	live, err := OpenLive(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	if _, err := live.Refresh(ctx, nil); err != nil {
		t.Fatal(err)
	}
	good := map[string]string{} // the last state without problems
	copyTree(t, a.dir, good)
	for a.step = range steps {
		kind := a.IntN(len(edits))
		edits[kind](a)
		compareLive(t, a, live, config)
		clean := config
		clean.Root = t.TempDir()
		copyTo(t, a.dir, clean.Root)
		before := a.site(a.dir)
		got := built(Build(ctx, config))
		want := built(Build(ctx, clean))
		if got != strings.ReplaceAll(want, clean.Root, config.Root) {
			t.Errorf("going on: %s\nclean: %s", got, want)
		}
		if strings.Contains(got, "error") || got != "[]" && len(a.site(clean.Root)) == 0 {
			same(t, "public after problems", a.site(a.dir), before)
			restore(t, a, good)
		} else {
			same(t, "public", a.site(a.dir), a.site(clean.Root))
			again, err := Build(ctx, config)
			if err != nil || again.Written > 0 || built(again, nil) != got {
				t.Errorf("the same again wrote %d files: %s", again.Written, built(again, err))
			}
			a.changed = append(a.changed, "content", "examples") // what the build wrote
			shown, err := live.Refresh(ctx, a.changed)
			if err != nil {
				t.Fatal(err)
			}
			files, _ := shownBy(shown)
			same(t, "live beside public", files, a.site(a.dir))
			clear(good)
			copyTree(t, a.dir, good)
			a.changed = nil
		}
		if t.Failed() {
			t.Fatalf("at step %d, edit %d, of %v", a.step, kind, a.changed)
		}
	}
}

// compareLive: what is live shows what it would show if it had just begun.
func compareLive(t *testing.T, a *author, live *Live, config Config) {
	t.Helper()
	s, err := live.Refresh(context.Background(), a.changed)
	fresh, openErr := OpenLive(context.Background(), config)
	if openErr != nil {
		t.Fatal(openErr)
	}
	defer fresh.Close()
	want, wantErr := fresh.Refresh(context.Background(), nil)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Errorf("live: error %v, want %v", err, wantErr)
	}
	if err != nil || wantErr != nil {
		live.now = nil // what it was told is to be told again
		return
	}
	files, says := shownBy(s)
	wantFiles, wantSays := shownBy(want)
	if says != wantSays {
		t.Errorf("live says %s\nwant %s", says, wantSays)
	}
	same(t, "live", files, wantFiles)
}

// copyTree reads what authors and builds wrote, but neither cache nor site.
func copyTree(t *testing.T, dir string, into map[string]string) {
	t.Helper()
	for _, folder := range inputFolders {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			rel, _ := filepath.Rel(dir, name)
			into[filepath.ToSlash(rel)] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	files := map[string]string{}
	copyTree(t, from, files)
	a := &author{t: t, dir: to}
	for name, text := range files {
		a.write(name, text)
	}
}

// restore brings back the state before the odd edit.
func restore(t *testing.T, a *author, good map[string]string) {
	t.Helper()
	now := map[string]string{}
	copyTree(t, a.dir, now)
	a.changed = nil // from here on what the mending changed, for the next step
	for name := range now {
		if _, ok := good[name]; !ok {
			a.remove(name)
		}
	}
	for name, text := range good {
		if now[name] != text || now[name] == "" {
			a.write(name, text)
		}
	}
}
