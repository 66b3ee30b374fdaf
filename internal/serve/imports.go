package serve

import (
	"context"
	"path"
	"strings"
)

// imports lists the directories outside the site's sources that its examples
// import from. The list is empty until the site is rendered for the first time and
// may change when an example has run. The zero value is an empty list.
type imports struct {
	dirs    func() []string // slash-separated, relative to the root
	changed chan struct{}   // buffered for one: the list may have changed
}

func newImports(dirs func() []string) imports {
	return imports{dirs, make(chan struct{}, 1)}
}

// notify makes the watcher read the list again.
func (i imports) notify() {
	select {
	case i.changed <- struct{}{}:
	default: // the watcher has not received the last notification yet
	}
}

func (i imports) list() []string {
	if i.dirs == nil {
		return nil
	}
	return i.dirs()
}

// addImports watches the imported directories without their subdirectories, and
// their parents, because a deleted directory may be created again. It returns the
// directories that were not watched before: changes in them may have been missed.
func (w *watcher) addImports() (added []string, err error) {
	for _, dir := range w.imports.list() {
		w.imported[dir] = true
	}
	for dir := range w.imported {
		if w.dirs[dir] {
			continue
		}
		if err := w.watchWithParents(dir); err != nil {
			return nil, err
		}
		if w.dirs[dir] {
			added = append(added, dir)
		}
	}
	return added, nil
}

// watchWithParents watches a directory of the site and its parents, as far as they
// exist. It begins with the outermost, whose watch reports when an inner one is
// created in the meantime.
func (w *watcher) watchWithParents(dir string) error {
	for i, c := range dir + "/" {
		if c != '/' {
			continue
		}
		parent := dir[:i]
		err := w.watchDir(w.fullPath(parent))
		if err != nil && !isMissing(err) {
			return err
		}
		w.dirs[parent] = err == nil
	}
	return nil
}

// sendNewImports watches the imported directories and sends the new ones.
func (w *watcher) sendNewImports(ctx context.Context) error {
	added, err := w.addImports()
	for _, dir := range added {
		send(ctx, w.changes, dir)
	}
	return err
}

// isImported reports whether a path is an imported directory, an entry of one, or
// a parent of one.
func (w *watcher) isImported(name string) bool {
	for dir := range w.imported {
		if dir == path.Dir(name) && !isTemporary(path.Base(name)) || strings.HasPrefix(dir+"/", name+"/") {
			return true
		}
	}
	return false
}
