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

// rootCheckInterval is the time between two checks whether a deleted root exists
// again.
const rootCheckInterval = 500 * time.Millisecond

// watcher sends the paths of changed files, which the system reports through
// fsnotify. It watches each directory and no single files: Linux has no recursive
// watches, and the watch of a directory survives editors that save by renaming.
// Only one goroutine may use a watcher.
type watcher struct {
	root       string // absolute, links resolved
	notify     *fsnotify.Watcher
	maxWatches int                 // 0 means the system's limit; others are for tests
	dirs       map[string]bool     // the watched directories, relative to root
	links      map[string][]string // target → the links of the site that lead to it
	linkedDirs map[string]string   // source directory that is a link → the directory it leads to
	changes    chan<- string
	printf     func(format string, args ...any)

	imports  imports
	imported map[string]bool // all directories that examples imported from so far
}

// watch sends the path of every changed file of the site to changes until ctx is
// cancelled. It misses no change after it has returned. On a network file system,
// or when there are too many directories to watch, it prints the reason and polls.
func watch(ctx context.Context, root string, i imports, printf func(format string, args ...any), changes chan<- string) error {
	root, err := filepath.Abs(root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return fmt.Errorf("watch the site: %w", err)
	}
	w := newWatcher(root, i, printf, changes)
	if onNetworkFS(root) {
		w.poll(ctx, "a network file system does not report changes")
		return nil
	}
	w.start(ctx)
	return nil
}

func newWatcher(root string, i imports, printf func(format string, args ...any), changes chan<- string) *watcher {
	return &watcher{root: root, changes: changes, printf: printf, imports: i, imported: map[string]bool{}}
}

// start watches the site, or polls it when it cannot be watched.
func (w *watcher) start(ctx context.Context) {
	if err := w.watchAll(); err != nil {
		w.poll(ctx, watchFailure(err))
		return
	}
	go func() {
		if err := w.run(ctx); err != nil && ctx.Err() == nil {
			w.poll(ctx, watchFailure(err))
			send(ctx, w.changes, unknownPath)
		}
		w.close()
	}()
}

// watchFailure returns the reason why a site cannot be watched, in words for an
// author.
func watchFailure(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "there are more folders than fs.inotify.max_user_watches permits to watch"
	}
	return fmt.Sprintf("cannot watch every folder (%v)", err)
}

// poll stops watching, prints the reason and polls instead.
func (w *watcher) poll(ctx context.Context, reason string) {
	w.close()
	w.printf("%s: checking for changes every %s instead", reason, pollInterval)
	poll(ctx, w.root, w.imports, pollInterval, w.changes)
}

// send sends a path unless ctx is cancelled first.
func send(ctx context.Context, changes chan<- string, name string) {
	select {
	case changes <- name:
	case <-ctx.Done():
	}
}

// watchAll closes all watches and watches the root, the source directories and the
// imported directories.
func (w *watcher) watchAll() error {
	w.close()
	w.dirs, w.links, w.linkedDirs = map[string]bool{}, map[string][]string{}, map[string]string{}
	var err error
	if w.notify, err = fsnotify.NewWatcher(); err != nil {
		return err
	}
	if err := w.watchDir(w.root); err != nil {
		return err
	}
	for _, name := range sourceDirs {
		if err := w.addEntry(name, w.typeOf(name)); err != nil {
			return err
		}
	}
	_, err = w.addImports()
	return err
}

// typeOf returns the type bits of a path of the site, 0 for a regular file and
// when the path does not exist. It does not follow a link at the path itself.
func (w *watcher) typeOf(name string) fs.FileMode {
	info, err := os.Lstat(w.entryPath(name))
	if err != nil {
		return 0
	}
	return info.Mode().Type()
}

// close closes all watches.
func (w *watcher) close() {
	if w.notify != nil {
		w.notify.Close()
	}
}

// watchDir watches one directory, without its subdirectories.
func (w *watcher) watchDir(dir string) error {
	if w.maxWatches > 0 && len(w.notify.WatchList()) >= w.maxWatches {
		return syscall.ENOSPC
	}
	return w.notify.Add(dir)
}

// addDir watches a directory of the site and everything below it. It returns nil
// when the directory does not exist, because it may be created later.
func (w *watcher) addDir(name string) error {
	dir := w.fullPath(name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	// Watch before reading: an entry that is created between the two is reported
	// by at least one of them.
	err := w.watchDir(dir)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	w.dirs[name] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it was deleted, or is unreadable, which rendering reports
	}
	for _, e := range entries {
		if err := w.addEntry(path.Join(name, e.Name()), e.Type()); err != nil {
			return err
		}
	}
	return nil
}

// addEntry watches a directory or a link of the site. Files need no watch of their
// own.
func (w *watcher) addEntry(name string, mode fs.FileMode) error {
	switch {
	case isTemporary(path.Base(name)):
		return nil
	case mode.IsDir():
		return w.addDir(name)
	case mode&fs.ModeSymlink != 0:
		return w.addLink(name)
	}
	return nil
}

// isMissing reports whether a directory could not be watched because it does not
// exist any more.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// run handles events until ctx is cancelled or a directory cannot be watched.
func (w *watcher) run(ctx context.Context) error {
	for {
		lost := false
		select {
		case <-ctx.Done():
			return nil
		case <-w.imports.changed:
			if err := w.sendNewImports(ctx); err != nil {
				return err
			}
		case event, open := <-w.notify.Events:
			if !open {
				return fsnotify.ErrClosed
			}
			var err error
			if lost, err = w.handle(ctx, event); err != nil {
				return err
			}
		case err := <-w.notify.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return err
			}
			lost = true // the lost events may be of new directories
		}
		if !lost {
			continue
		}
		if err := w.restart(ctx); err != nil {
			return err
		}
	}
}

// restart watches everything again, as soon as the root exists, and sends
// unknownPath.
func (w *watcher) restart(ctx context.Context) error {
	for {
		err := w.watchAll()
		if !isMissing(err) {
			send(ctx, w.changes, unknownPath)
			return err
		}
		send(ctx, w.changes, unknownPath)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(rootCheckInterval):
		}
	}
}

// handle sends the paths that an event concerns and watches what it created. It
// reports lost when the root itself was deleted or renamed.
func (w *watcher) handle(ctx context.Context, event fsnotify.Event) (lost bool, err error) {
	for _, link := range slices.Clone(w.links[event.Name]) {
		send(ctx, w.changes, link)
		if event.Has(fsnotify.Create) {
			err = errors.Join(err, w.addEntry(link, w.typeOf(link)))
		}
	}
	name, ok := w.sitePath(event.Name)
	if err != nil || !ok {
		return false, err // not ok: outside the site, beside the target of a link
	}
	removed := event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename)
	if name == "." {
		return removed, nil
	}
	source := isSource(name)
	if !source && !w.isImported(name) {
		return false, nil
	}
	if removed {
		w.unwatch(name)
	}
	switch {
	case !event.Has(fsnotify.Create):
	case source:
		err = w.addEntry(name, w.typeOf(name))
	default:
		err = w.sendNewImports(ctx)
	}
	send(ctx, w.changes, name)
	return false, err
}

// unwatch removes the watches of a deleted or renamed directory and of all below
// it. Those of a renamed directory would go on to report the old path.
func (w *watcher) unwatch(name string) {
	for _, dir := range slices.Sorted(maps.Keys(w.dirs)) {
		if dir == name || strings.HasPrefix(dir, name+"/") {
			_ = w.notify.Remove(w.fullPath(dir)) // fails when the system has removed it
			delete(w.dirs, dir)
		}
	}
	delete(w.linkedDirs, name)
}
