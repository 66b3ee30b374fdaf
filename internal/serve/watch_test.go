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

// told collects what a watcher tells.
type told struct {
	t     *testing.T
	root  string
	mu    sync.Mutex
	names map[string]bool
	said  []string
}

// watched makes a small site and begins to watch it.
func watched(t *testing.T, begin func(ctx context.Context, root string, w *told, changes chan<- string)) *told {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &told{t: t, root: root, names: map[string]bool{}}
	for _, name := range []string{"content/a.md", "content/deep/b.md", "examples/x/main.go", "go.mod", "shared/s.md", "README.md", "internal/greet/g.go", "internal/other.go"} {
		w.write(name, "text")
	}
	w.do(os.Symlink("../shared/s.md", w.at("content/s.md")))
	ctx, stop := context.WithCancel(context.Background())
	changes := make(chan string)
	begin(ctx, root, w, changes)
	var collecting sync.WaitGroup
	collecting.Go(func() {
		for {
			select {
			case name := <-changes:
				w.mu.Lock()
				w.names[name] = true
				w.mu.Unlock()
			case <-ctx.Done():
				return
			}
		}
	})
	t.Cleanup(func() { stop(); collecting.Wait() })
	return w
}

func (w *told) at(name string) string { return filepath.Join(w.root, filepath.FromSlash(name)) }

func (w *told) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *told) write(name, text string) {
	w.t.Helper()
	w.do(os.MkdirAll(filepath.Dir(w.at(name)), 0o755))
	w.do(os.WriteFile(w.at(name), []byte(text), 0o644))
}

// say is the terminal.
func (w *told) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

// knows tells whether a name was told, or a folder above it: of a folder that
// was new, all that came into it before it was watched is told with it.
func (w *told) knows(name string) bool {
	for at := name; at != "."; at = path.Dir(at) {
		if w.names[at] {
			return true
		}
	}
	return false
}

// expect waits until all names were told, and forgets what was.
func (w *told) expect(step string, names ...string) {
	w.t.Helper()
	begin := time.Now()
	for {
		w.mu.Lock()
		missing := slices.DeleteFunc(slices.Clone(names), w.knows)
		if len(missing) == 0 {
			clear(w.names)
			w.mu.Unlock()
			return
		}
		have := fmt.Sprint(w.names)
		w.mu.Unlock()
		if time.Since(begin) > patience {
			w.t.Fatalf("%s: not told of %q, but of %s", step, missing, have)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// ways are those of hearing of changes, where internal/greet is imported from.
var ways = map[string]func(ctx context.Context, root string, w *told, changes chan<- string){
	"watch": func(ctx context.Context, root string, w *told, changes chan<- string) {
		beyond := newImports(func() []string { return []string{"internal/greet"} })
		newWatcher(root, beyond, w.say, changes).start(ctx)
		beyond.changed()
		beyond.changed()
	},
	"poll": func(ctx context.Context, root string, _ *told, changes chan<- string) {
		poll(ctx, root, newImports(func() []string { return []string{"internal/greet"} }), 10*time.Millisecond, changes)
	},
}

// Both ways of hearing of changes hear of each.
func TestEveryChangeIsTold(t *testing.T) {
	for name, begin := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watched(t, begin)
			w.write("content/a.md", "longer text")
			w.expect("written in place", "content/a.md")
			w.write("content/.a.tmp", "an even longer text")
			w.do(os.Rename(w.at("content/.a.tmp"), w.at("content/a.md")))
			w.expect("renamed into its place", "content/a.md")
			w.write("go.mod", "module x")
			w.expect("a file of the root", "go.mod")
			w.write("shared/s.md", "longer text")
			w.expect("the file behind a link", "content/s.md")
			w.do(os.Rename(w.at("content/deep"), w.at("content/far")))
			w.expect("a folder moved", "content/deep", "content/far")
			w.write("content/far/b.md", "longer text")
			w.expect("in the moved folder", "content/far/b.md")
			w.do(os.RemoveAll(w.at("content")))
			w.expect("content/ deleted", "content")
			w.write("content/new/c.md", "text")
			w.expect("content/ back", "content")
			w.write("content/new/c.md", "longer text")
			w.expect("in a folder of it", "content/new/c.md")
			w.write("quotes/q/source.yaml", "text")
			w.expect("a folder of the root that was not there", "quotes")
			w.write("quotes/q/source.yaml", "longer text")
			w.expect("in it", "quotes/q/source.yaml")
			w.write("internal/greet/g.go", "longer text")
			w.expect("in a package that is imported", "internal/greet/g.go")
			w.do(os.RemoveAll(w.at("internal")))
			w.expect("the package deleted", "internal/greet")
			w.write("internal/greet/new.go", "text")
			w.expect("the package back", "internal/greet")
			w.write("internal/greet/new.go", "longer text")
			w.expect("in it", "internal/greet/new.go")
			w.write("internal/other.go", "longer text")
			w.write("README.md", "longer text")
			w.write("shared/other.md", "text")
			w.write("content/new/.c.md.swp", "text")
			w.do(os.Remove(w.at("content/new/c.md")))
			w.expect("deleted", "content/new/c.md")
			for name := range w.names {
				if !matters(name) && !strings.HasPrefix(name, "internal/greet") && name != "internal" {
					t.Errorf("told of %s, which no page depends on", name)
				}
			}
		})
	}
}

// A folder that is imported from is new once: else each telling of it would draw
// the site, which asks for the folders, which tells of them.
func TestImportsAreNewOnce(t *testing.T) {
	var inner *watcher
	folders := []string{".", "gone/for/good", "internal/greet"}
	w := watched(t, func(ctx context.Context, root string, w *told, changes chan<- string) {
		inner = newWatcher(root, newImports(func() []string { return folders }), w.say, changes)
		w.do(inner.begin()) // and nobody follows
	})
	t.Cleanup(inner.end)
	inner.forget("internal/greet")
	for _, want := range []string{"[internal/greet]", "[]"} {
		fresh, err := inner.addImports()
		if got := fmt.Sprint(fresh); err != nil || got != want {
			t.Errorf("new are %s, %v, want %s", got, err, want)
		}
	}
	w.do(os.MkdirAll(w.at("gone/for/good"), 0o755))
	if fresh, err := inner.addImports(); err != nil || !slices.Equal(fresh, []string{"gone/for/good"}) {
		t.Errorf("new is %q, %v", fresh, err)
	}
}

// When the system lost events, anything may have changed, and folders that came
// meanwhile are watched.
func TestLostEvents(t *testing.T) {
	var inner *watcher
	w := watched(t, func(ctx context.Context, root string, w *told, changes chan<- string) {
		inner = newWatcher(root, imports{}, w.say, changes)
		inner.start(ctx)
	})
	inner.notify.Errors <- fsnotify.ErrEventOverflow
	w.expect("lost events", anything)
	w.write("content/a.md", "longer text")
	w.expect("afterwards", "content/a.md")
}

// The root itself may go and come back.
func TestRootComesBack(t *testing.T) {
	w := watched(t, func(ctx context.Context, root string, w *told, changes chan<- string) {
		newWatcher(root, imports{}, w.say, changes).start(ctx)
	})
	w.do(os.Rename(w.root, w.root+"-away"))
	w.expect("the root went", anything)
	w.do(os.Rename(w.root+"-away", w.root))
	w.expect("the root came back", anything)
	w.write("content/a.md", "longer text")
	w.expect("afterwards", "content/a.md")
}

// Where there are more folders than may be watched, the site is looked at
// instead, which is said once: at the start, or when the folders come.
func TestTooManyFolders(t *testing.T) {
	for name, most := range map[string]int{"at the start": 3, "later": 8} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := watched(t, func(ctx context.Context, root string, w *told, changes chan<- string) {
				inner := newWatcher(root, imports{}, w.say, changes)
				inner.most = most
				inner.start(ctx)
			})
			for i := range 8 {
				w.write(fmt.Sprintf("content/more%d/a.md", i), "text")
			}
			if most == 8 {
				w.expect("the limit was reached", anything) // and from now on it is looked
			}
			w.write("content/more7/a.md", "longer text")
			w.expect("beyond the limit", "content/more7/a.md")
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(w.said) != 1 || !strings.Contains(w.said[0], "instead") {
				t.Errorf("it said %q, want one line", w.said)
			}
		})
	}
}

// Of folders behind links that lie in one another, the innermost names a file.
func TestInnermostFolderNames(t *testing.T) {
	root := t.TempDir()
	docs := filepath.Join(root, "docs")
	for range 100 { // the order of a map decides nothing
		w := &watcher{root: root, behind: map[string]string{"content": docs, "examples": filepath.Join(docs, "examples")}}
		for file, want := range map[string]string{
			"docs/examples/x/main.go": "examples/x/main.go",
			"docs/a.md":               "content/a.md",
			"templates/x.html":        "templates/x.html",
		} {
			if got, ok := w.nameOf(filepath.Join(root, filepath.FromSlash(file))); got != want || !ok {
				t.Fatalf("%s: got %q, want %q", file, got, want)
			}
		}
	}
}
