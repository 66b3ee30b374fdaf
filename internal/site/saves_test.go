package site

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"verbatim/internal/publish"
	"verbatim/internal/stamp"
)

// stages are where a build can be when its author saves a file. The middle ones
// are passed only where an example runs.
var stages = []string{
	"list", "listed", "read", "inputs", "compile", "run", "start say", "end say", "ran",
	"check", "write", "rename", "renamed", "remember",
}

// saves are changes of every kind of input, one each.
var saves = map[string]func(a *author){
	"a lesson":             func(a *author) { a.write("content/m/proof.md", a.read("content/m/proof.md")+"\nMore.\n") },
	"the home page":        func(a *author) { a.write("content/index.md", a.read("content/index.md")+"\nMore.\n") },
	"a new lesson":         func(a *author) { a.write("content/m/new.md", "# New\n\nText.\n"); a.home() },
	"a lesson that goes":   func(a *author) { a.remove("content/n/p1.md"); a.home() },
	"a picture":            func(a *author) { a.write("content/m/dot.png", "another picture") },
	"a new file":           func(a *author) { a.write("content/m/data.txt", "data") },
	"a program":            func(a *author) { a.write("examples/say/say.sh", a.read("examples/say/say.sh")+"echo more\n") },
	"a program's data":     func(a *author) { a.write("examples/say/lines.txt", "three\nfour\nfive\n") },
	"a program's new data": func(a *author) { a.write("examples/say/more.txt", "more\n") },
	"a program's settings": func(a *author) { a.write("examples/say/example.yaml", "run: sh other.sh\nneeds: none\n") },
	"a program's mode":     func(a *author) { a.chmod("examples/say/say.sh") },
	"a record":             func(a *author) { a.write("examples/say/recorded/output.txt", "forged\n") },
	"a record that goes":   func(a *author) { a.remove("examples/say/recorded") },
	"a template":           func(a *author) { a.write("templates/note.html", a.read("templates/note.html")+"<!-- x -->") },
	"a style":              func(a *author) { a.write("templates/static/style.css", "p { color: red }\n") },
	"a template that goes": func(a *author) { a.remove("templates/note.html") },
	"a source": func(a *author) {
		a.write("quotes/book/source.yaml", strings.ReplaceAll(a.read("quotes/book/source.yaml"), "Book", "Novel"))
	},
	"a source's page": func(a *author) { a.write("quotes/book/page.html", "<html lang=\"en\"><p>Nothing.</p></html>\n") },
	"a new source":    func(a *author) { a.write("quotes/odd/source.yaml", "title: Odd\n") },
	"a source's second page": func(a *author) {
		a.write("quotes/book/page.txt", "Every word of it is true.\n")
	},
}

func (a *author) chmod(file string) {
	a.t.Helper()
	name := filepath.Join(a.dir, filepath.FromSlash(file))
	info, err := os.Stat(name)
	if err != nil {
		return // it was removed
	}
	if err := os.Chmod(name, info.Mode()^0o100); err != nil {
		a.t.Fatal(err)
	}
}

// newAuthor returns the author of a copy of the site at dir, cache included.
func newAuthor(t *testing.T, dir string, seed uint64) *author {
	t.Helper()
	a := &author{t: t, Rand: rand.New(rand.NewPCG(seed, 14)), dir: t.TempDir(), deleted: map[string][]byte{}}
	if dir != "" {
		if err := os.CopyFS(a.dir, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// savedSites returns a site for which a build has nothing to do, one with a
// changed lesson, and one whose example is stale.
func savedSites(t *testing.T) (fresh, edited, stale *author) {
	t.Helper()
	fresh = newAuthor(t, "", 1)
	fresh.begin()
	fresh.write("examples/say/other.sh", "cat lines.txt lines.txt\necho n=9 >>\"$VERBATIM_VALUES\"\n")
	if r, err := Build(t.Context(), fresh.config()); err != nil || len(r.Problems) > 0 {
		t.Fatal(built(r, err))
	}
	time.Sleep(2 * stamp.Margin) // so that stamps are believed
	if r, err := Build(t.Context(), fresh.config()); err != nil || len(r.Problems) > 0 {
		t.Fatal(built(r, err))
	}
	edited = newAuthor(t, fresh.dir, 1)
	edited.write("content/n/p3.md", "# Another\n\nText.\n")
	stale = newAuthor(t, fresh.dir, 1)
	stale.write("examples/say/lines.txt", "eins\nzwei\n")
	return fresh, edited, stale
}

func (a *author) config() Config {
	return Config{Root: a.dir, Redis: "embedded", Workers: 2, Today: "2026-11-29"}
}

// clean returns what a build of the site comes to that nothing was done before,
// and the files that it leaves.
func (a *author) clean() (string, map[string][]byte) {
	a.t.Helper()
	clean := newAuthor(a.t, a.dir, 1)
	for _, made := range []string{"examples/say/recorded", "public", CacheDir} {
		clean.remove(made)
	}
	came := strings.ReplaceAll(built(Build(context.Background(), clean.config())), clean.dir, a.dir)
	files := clean.all()
	os.RemoveAll(clean.dir)
	return came, files
}

// all returns the files of the site and of its sources.
func (a *author) all() map[string][]byte {
	a.t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(a.dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == CacheDir:
			return fs.SkipDir
		case d.Type().IsRegular() && name != "public/"+publish.Manifest:
			files[name], err = os.ReadFile(filepath.Join(a.dir, name))
		}
		return err
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return files
}

// wantClean builds the site, while nothing is saved, and wants what a clean
// build comes to.
func (a *author) wantClean(what string, wanted string, files map[string][]byte) {
	a.t.Helper()
	if got := built(Build(context.Background(), a.config())); got != wanted {
		a.t.Errorf("%s:\nthe next build: %s\na clean one:    %s", what, got, wanted)
	} else if got == "[]" {
		same(a.t, what, a.all(), files)
	}
}

// TestSavedAtEveryStage: after a save at any stage of a build, the next build has the
// result of a clean one.
func TestSavedAtEveryStage(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the example of this test is a shell script")
	}
	fresh, edited, stale := savedSites(t)
	passed := map[string]bool{}
	for kind, save := range saves {
		for state, site := range map[string]*author{"fresh": fresh, "edited": edited, "stale": stale} {
			after := newAuthor(t, site.dir, 2)
			save(after)
			wanted, files := after.clean()
			copies := map[string]*author{}
			for i, stage := range stages {
				if !testing.Short() || (i+len(kind))%8 == 0 {
					copies[stage] = newAuthor(t, site.dir, 2)
				}
			}
			time.Sleep(2 * stamp.Margin) // what is younger is not remembered
			for stage, a := range copies {
				done := false
				config := a.config()
				config.at = func(now string) {
					if now == stage && !done {
						done = true
						save(a)
					}
				}
				_, _ = Build(t.Context(), config) // what it comes to is its own moment's
				if !done {
					continue // nothing ran
				}
				passed[stage] = true
				a.wantClean(fmt.Sprintf("%s saved at %q, %s", kind, stage, state), wanted, files)
				os.RemoveAll(a.dir)
			}
		}
	}
	for _, stage := range stages {
		if !passed[stage] && !testing.Short() { // a short test tries a sample
			t.Errorf("nothing was saved at stage %q", stage)
		}
	}
}

var (
	schedules    = flag.Int("schedules", 10, "how many random schedules of saves to try")
	firstOfSaves = flag.Uint64("schedule", 1, "the seed of the first of them")
)

// TestRandomSaves: after builds during which files were saved at random, and some
// of them put back, a build comes to what a clean one comes to, byte for byte.
//
//	go test ./internal/site -run RandomSaves -schedules 500
func TestRandomSaves(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the example of this test is a shell script")
	}
	_, edited, _ := savedSites(t)
	all := slices.Clone(edits)
	for _, kind := range slices.Sorted(maps.Keys(saves)) {
		all = append(all, saves[kind])
	}
	for i := range uint64(*schedules) {
		seed := *firstOfSaves + i
		a := newAuthor(t, edited.dir, seed)
		var history []string
		time.Sleep(2 * stamp.Margin)
		for a.step = range 1 + a.IntN(3) {
			var undo func()
			config := a.config()
			config.at = func(stage string) {
				if undo != nil && a.IntN(3) == 0 {
					undo()
					undo = nil
					history = append(history, stage+": put back")
				}
				if a.IntN(4) > 0 {
					return
				}
				n := a.IntN(len(all))
				before := map[string]string{}
				copyTree(t, a.dir, before)
				a.changed = nil
				all[n](a)
				changed := slices.Clone(a.changed)
				undo = func() {
					for _, file := range changed {
						if text, ok := before[file]; ok {
							a.write(file, text)
						} else {
							a.remove(file)
						}
					}
				}
				history = append(history, fmt.Sprintf("%s: %v", stage, changed))
			}
			_, _ = Build(t.Context(), config)
			if a.IntN(2) == 0 {
				time.Sleep(2 * stamp.Margin)
			}
		}
		if a.read("examples/say/recorded/output.txt") == "" {
			a.remove("examples/say/recorded") // half a record is the author's to delete, as its problem says
		}
		wanted, files := a.clean()
		a.wantClean(fmt.Sprintf("seed %d: %q", seed, history), wanted, files)
		if t.Failed() {
			t.Fatalf("run it again with -schedule %d -schedules 1", seed)
		}
		os.RemoveAll(a.dir)
	}
	t.Logf("%d schedules, seeds from %d", *schedules, *firstOfSaves)
}
