package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// returning is how often it is looked whether a site's root that went is back.
const returning = 500 * time.Millisecond

// watcher hears of changes from the system: one watch per folder, because that
// is what Linux has, and because a folder's watch survives editors that save by
// renaming. It is used by one goroutine.
type watcher struct {
	root    string // absolute, links resolved
	notify  *fsnotify.Watcher
	most    int                 // watches that there may be, 0 for what the system allows
	folders map[string]bool     // watched, relative to the root
	links   map[string][]string // links of the site by what each leads to
	behind  map[string]string   // the folder behind each of the root's that is a link
	changes chan<- string
	say     func(format string, args ...any)

	imports  imports
	imported map[string]bool // folders that examples were seen to import from
}

// watch tells on changes of every path of the site that may have changed, until
// ctx ends. What changes after it has returned is not missed. Where the system
// cannot tell, because there are too many folders or another machine holds
// them, it looks again and again instead, and says so once.
func watch(ctx context.Context, root string, i imports, say func(format string, args ...any), changes chan<- string) error {
	root, err := filepath.Abs(root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return fmt.Errorf("watch the site: %w", err)
	}
	w := newWatcher(root, i, say, changes)
	if remote(root) {
		w.lookInstead(ctx, "the system cannot tell of changes on a network file system")
		return nil
	}
	w.start(ctx)
	return nil
}

func newWatcher(root string, i imports, say func(format string, args ...any), changes chan<- string) *watcher {
	return &watcher{root: root, changes: changes, say: say, imports: i, imported: map[string]bool{}}
}

// start watches, or looks again and again where that cannot be.
func (w *watcher) start(ctx context.Context) {
	if err := w.begin(); err != nil {
		w.lookInstead(ctx, fmt.Sprintf("cannot watch every folder (%v)", err))
		return
	}
	go func() {
		if err := w.follow(ctx); err != nil && ctx.Err() == nil {
			w.lookInstead(ctx, fmt.Sprintf("cannot watch every folder (%v)", err))
			tell(ctx, w.changes, anything)
		}
		w.end()
	}()
}

// lookInstead gives watching up, says why, and polls.
func (w *watcher) lookInstead(ctx context.Context, reason string) {
	w.end()
	w.say("%s: looking for changes every %s instead", reason, interval)
	poll(ctx, w.root, w.imports, interval, w.changes)
}

// tell hands a path over, unless ctx ends first.
func tell(ctx context.Context, changes chan<- string, name string) {
	select {
	case changes <- name:
	case <-ctx.Done():
	}
}

// begin watches every folder that matters, and forgets what was watched before.
func (w *watcher) begin() error {
	w.end()
	w.folders, w.links, w.behind = map[string]bool{}, map[string][]string{}, map[string]string{}
	var err error
	if w.notify, err = fsnotify.NewWatcher(); err != nil {
		return err
	}
	if err := w.hear(w.root); err != nil {
		return err
	}
	for _, name := range roots {
		if err := w.addEntry(name, w.modeOf(name)); err != nil {
			return err
		}
	}
	_, err = w.addImports()
	return err
}

// modeOf gives what a path of the site is; 0, a file's, where there is nothing.
func (w *watcher) modeOf(name string) fs.FileMode {
	info, err := os.Lstat(w.entry(name))
	if err != nil {
		return 0
	}
	return info.Mode().Type()
}

func (w *watcher) end() {
	if w.notify != nil {
		w.notify.Close()
	}
}

// hear has the system tell of what happens in one folder.
func (w *watcher) hear(folder string) error {
	if w.most > 0 && len(w.notify.WatchList()) >= w.most {
		return syscall.ENOSPC
	}
	return w.notify.Add(folder)
}

// add watches a folder and all below it. One that is not there is no error: it
// may come.
func (w *watcher) add(name string) error {
	folder := w.at(name)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil
	}
	// First the watch, then the list: what comes in between is in one of them.
	err := w.hear(folder)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	w.folders[name] = true
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // it went, or cannot be read: drawing the site says so
	}
	for _, e := range entries {
		if err := w.addEntry(path.Join(name, e.Name()), e.Type()); err != nil {
			return err
		}
	}
	return nil
}

func (w *watcher) addEntry(name string, mode fs.FileMode) error {
	switch {
	case passing(path.Base(name)):
		return nil
	case mode.IsDir():
		return w.add(name)
	case mode&fs.ModeSymlink != 0:
		return w.addLink(name)
	}
	return nil
}

// gone tells errors about a folder that went before it could be watched.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// follow passes changes on until ctx ends, or something cannot be watched.
func (w *watcher) follow(ctx context.Context) error {
	for {
		again := false
		select {
		case <-ctx.Done():
			return nil
		case <-w.imports.news:
			if err := w.tellImports(ctx); err != nil {
				return err
			}
		case event, open := <-w.notify.Events:
			if !open {
				return fsnotify.ErrClosed
			}
			var err error
			if again, err = w.handle(ctx, event); err != nil {
				return err
			}
		case err := <-w.notify.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return err
			}
			again = true // events were lost, those of new folders too
		}
		if !again {
			continue
		}
		if err := w.restart(ctx); err != nil {
			return err
		}
	}
}

// restart watches everything anew, as soon as the root is there.
func (w *watcher) restart(ctx context.Context) error {
	for {
		err := w.begin()
		if !gone(err) {
			tell(ctx, w.changes, anything)
			return err
		}
		tell(ctx, w.changes, anything)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(returning):
		}
	}
}

// handle passes one event on. Lost means that the root itself went.
func (w *watcher) handle(ctx context.Context, event fsnotify.Event) (lost bool, err error) {
	for _, link := range slices.Clone(w.links[event.Name]) {
		tell(ctx, w.changes, link)
		if event.Has(fsnotify.Create) {
			err = errors.Join(err, w.addEntry(link, w.modeOf(link)))
		}
	}
	name, ok := w.nameOf(event.Name)
	if err != nil || !ok {
		return false, err // beside the file that a link leads to
	}
	went := event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)
	if name == "." {
		return went, nil
	}
	source := matters(name)
	if !source && !w.concerns(name) {
		return false, nil
	}
	if went {
		w.forget(name)
	}
	switch {
	case !event.Has(fsnotify.Create):
	case source:
		err = w.addEntry(name, w.modeOf(name))
	default:
		err = w.tellImports(ctx)
	}
	tell(ctx, w.changes, name)
	return false, err
}

// forget ends the watches of a folder that went and of all below it. Where it
// was moved, they would go on under its old name.
func (w *watcher) forget(name string) {
	for _, folder := range slices.Sorted(maps.Keys(w.folders)) {
		if folder == name || strings.HasPrefix(folder, name+"/") {
			_ = w.notify.Remove(w.at(folder)) // the system may have ended it
			delete(w.folders, folder)
		}
	}
	delete(w.behind, name)
}
