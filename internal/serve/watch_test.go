package serve

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watchedSite is a small site that is watched. It collects the paths that the
// watcher sends and the messages that it prints.
type watchedSite struct {
	t       *testing.T
	root    string
	mu      sync.Mutex
	changed map[string]bool
	printed []string
}

// newWatchedSite writes the site and calls begin, which starts to watch it.
func newWatchedSite(t *testing.T, begin func(ctx context.Context, root string, w *watchedSite, changes chan<- string)) *watchedSite {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &watchedSite{t: t, root: root, changed: map[string]bool{}}
	for _, name := range []string{"content/a.md", "content/deep/b.md", "examples/x/main.go", "go.mod", "shared/s.md", "README.md", "internal/greet/g.go", "internal/other.go"} {
		w.write(name, "text")
	}
	w.must(os.Symlink("../shared/s.md", w.path("content/s.md")))
	ctx, stop := context.WithCancel(context.Background())
	changes := make(chan string)
	begin(ctx, root, w, changes)
	var collecting sync.WaitGroup
	collecting.Go(func() {
		for {
			select {
			case name := <-changes:
				w.mu.Lock()
				w.changed[name] = true
				w.mu.Unlock()
			case <-ctx.Done():
				return
			}
		}
	})
	t.Cleanup(func() { stop(); collecting.Wait() })
	return w
}

// path returns the path of a file of the site in the file system.
func (w *watchedSite) path(name string) string {
	return filepath.Join(w.root, filepath.FromSlash(name))
}

func (w *watchedSite) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *watchedSite) write(name, text string) {
	w.t.Helper()
	writeFile(w.t, w.root, name, text)
}

func (w *watchedSite) printf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.printed = append(w.printed, fmt.Sprintf(format, args...))
}

// isChanged reports whether the watcher sent a path or a parent of it. A new
// directory stands for the files that were created before it was watched. The
// caller holds w.mu.
func (w *watchedSite) isChanged(name string) bool {
	for p := name; p != "."; p = path.Dir(p) {
		if w.changed[p] {
			return true
		}
	}
	return false
}

// expect waits until the watcher has sent all names, and removes all that it sent.
func (w *watchedSite) expect(step string, names ...string) {
	w.t.Helper()
	begin := time.Now()
	for {
		w.mu.Lock()
		missing := slices.DeleteFunc(slices.Clone(names), w.isChanged)
		if len(missing) == 0 {
			clear(w.changed)
			w.mu.Unlock()
			return
		}
		have := fmt.Sprint(w.changed)
		w.mu.Unlock()
		if time.Since(begin) > timeout {
			w.t.Fatalf("%s: %q not sent, but %s", step, missing, have)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// methods are the two methods to detect changes. internal/greet is imported.
var methods = map[string]func(ctx context.Context, root string, w *watchedSite, changes chan<- string){
	"watch": func(ctx context.Context, root string, w *watchedSite, changes chan<- string) {
		i := newImports(func() []string { return []string{"internal/greet"} })
		newWatcher(root, i, w.printf, changes).start(ctx)
		i.notify()
		i.notify()
	},
	"poll": func(ctx context.Context, root string, _ *watchedSite, changes chan<- string) {
		poll(ctx, root, newImports(func() []string { return []string{"internal/greet"} }), 10*time.Millisecond, changes)
	},
}

// TestEveryChange checks that both methods report every kind of change, and no
// file that cannot change a page.
func TestEveryChange(t *testing.T) {
	for name, begin := range methods {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatchedSite(t, begin)
			w.write("content/a.md", "longer text")
			w.expect("written in place", "content/a.md")
			w.write("content/.a.tmp", "an even longer text")
			w.must(os.Rename(w.path("content/.a.tmp"), w.path("content/a.md")))
			w.expect("renamed into its place", "content/a.md")
			w.write("go.mod", "module x")
			w.expect("a file of the root", "go.mod")
			w.write("shared/s.md", "longer text")
			w.expect("the target of a link", "content/s.md")
			w.must(os.Rename(w.path("content/deep"), w.path("content/far")))
			w.expect("a directory moved", "content/deep", "content/far")
			w.write("content/far/b.md", "longer text")
			w.expect("in the moved directory", "content/far/b.md")
			w.must(os.RemoveAll(w.path("content")))
			w.expect("content/ deleted", "content")
			w.write("content/new/c.md", "text")
			w.expect("content/ created again", "content")
			w.write("content/new/c.md", "longer text")
			w.expect("in a directory of it", "content/new/c.md")
			w.write("quotes/q/source.yaml", "text")
			w.expect("a source directory that did not exist", "quotes")
			w.write("quotes/q/source.yaml", "longer text")
			w.expect("in it", "quotes/q/source.yaml")
			w.write("internal/greet/g.go", "longer text")
			w.expect("in an imported package", "internal/greet/g.go")
			w.must(os.RemoveAll(w.path("internal")))
			w.expect("the package deleted", "internal/greet")
			w.write("internal/greet/new.go", "text")
			w.expect("the package created again", "internal/greet")
			w.write("internal/greet/new.go", "longer text")
			w.expect("in it", "internal/greet/new.go")
			w.write("internal/other.go", "longer text")
			w.write("README.md", "longer text")
			w.write("shared/other.md", "text")
			w.write("content/new/.c.md.swp", "text")
			w.must(os.Remove(w.path("content/new/c.md")))
			w.expect("deleted", "content/new/c.md")
			for name := range w.changed {
				if !isSource(name) && !strings.HasPrefix(name, "internal/greet") && name != "internal" {
					t.Errorf("%s was sent, which no page depends on", name)
				}
			}
		})
	}
}

// TestImportsAreNewOnce checks that addImports returns a directory only once. Else
// watching would not end: a sent directory renders the site, and each rendering
// calls addImports again.
func TestImportsAreNewOnce(t *testing.T) {
	var inner *watcher
	folders := []string{".", "gone/for/good", "internal/greet"}
	w := newWatchedSite(t, func(ctx context.Context, root string, w *watchedSite, changes chan<- string) {
		inner = newWatcher(root, newImports(func() []string { return folders }), w.printf, changes)
		w.must(inner.watchAll()) // without run, no event is handled
	})
	t.Cleanup(inner.close)
	inner.unwatch("internal/greet")
	for _, want := range []string{"[internal/greet]", "[]"} {
		added, err := inner.addImports()
		if got := fmt.Sprint(added); err != nil || got != want {
			t.Errorf("added %s, %v, want %s", got, err, want)
		}
	}
	w.must(os.MkdirAll(w.path("gone/for/good"), 0o755))
	if added, err := inner.addImports(); err != nil || !slices.Equal(added, []string{"gone/for/good"}) {
		t.Errorf("added %q, %v", added, err)
	}
}

// TestLostEvents checks that lost events send unknownPath and that watching goes on.
func TestLostEvents(t *testing.T) {
	var inner *watcher
	w := newWatchedSite(t, func(ctx context.Context, root string, w *watchedSite, changes chan<- string) {
		inner = newWatcher(root, imports{}, w.printf, changes)
		inner.start(ctx)
	})
	inner.notify.Errors <- fsnotify.ErrEventOverflow
	w.expect("lost events", unknownPath)
	w.write("content/a.md", "longer text")
	w.expect("afterwards", "content/a.md")
}

// TestRootComesBack checks that a site is watched again after its root was moved
// away and back.
func TestRootComesBack(t *testing.T) {
	w := newWatchedSite(t, func(ctx context.Context, root string, w *watchedSite, changes chan<- string) {
		newWatcher(root, imports{}, w.printf, changes).start(ctx)
	})
	w.must(os.Rename(w.root, w.root+"-away"))
	w.expect("the root moved away", unknownPath)
	w.must(os.Rename(w.root+"-away", w.root))
	w.expect("the root moved back", unknownPath)
	w.write("content/a.md", "longer text")
	w.expect("afterwards", "content/a.md")
}

// TestTooManyFolders checks that a site with more directories than can be watched is
// polled, and that this is printed once, whether there are too many at the start
// or later.
func TestTooManyFolders(t *testing.T) {
	for name, maxWatches := range map[string]int{"at the start": 3, "later": 8} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWatchedSite(t, func(ctx context.Context, root string, w *watchedSite, changes chan<- string) {
				inner := newWatcher(root, imports{}, w.printf, changes)
				inner.maxWatches = maxWatches
				inner.start(ctx)
			})
			for i := range 8 {
				w.write(fmt.Sprintf("content/more%d/a.md", i), "text")
			}
			if maxWatches == 8 {
				w.expect("the limit was reached", unknownPath) // from here on the site is polled
			}
			w.write("content/more7/a.md", "longer text")
			w.expect("beyond the limit", "content/more7/a.md")
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.printed) != 1 || !strings.Contains(w.printed[0], "instead") {
				t.Errorf("it printed %q, want one line", w.printed)
			}
		})
	}
}

// TestInnermostLinkedDir checks that sitePath uses the innermost of linked
// directories that contain one another.
func TestInnermostLinkedDir(t *testing.T) {
	root := t.TempDir()
	docs := filepath.Join(root, "docs")
	for range 100 { // the order of a map is random
		w := &watcher{root: root, linkedDirs: map[string]string{"content": docs, "examples": filepath.Join(docs, "examples")}}
		for file, want := range map[string]string{
			"docs/examples/x/main.go": "examples/x/main.go",
			"docs/a.md":               "content/a.md",
			"templates/x.html":        "templates/x.html",
		} {
			if got, ok := w.sitePath(filepath.Join(root, filepath.FromSlash(file))); got != want || !ok {
				t.Fatalf("%s: got %q, want %q", file, got, want)
			}
		}
	}
}
