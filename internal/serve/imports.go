package serve

import (
	"context"
	"path"
	"strings"
)

// imports are the folders elsewhere in a site than among its sources from which
// its examples import. They are known once the site is drawn, and better once an
// example has run. The zero imports are none.
type imports struct {
	folders func() []string // slash-separated, relative to the root
	news    chan struct{}   // with room for one: there may be more folders now
}

func newImports(folders func() []string) imports {
	return imports{folders, make(chan struct{}, 1)}
}

// changed has the folders asked for again, soon.
func (i imports) changed() {
	select {
	case i.news <- struct{}{}:
	default: // they will be
	}
}

func (i imports) list() []string {
	if i.folders == nil {
		return nil
	}
	return i.folders()
}

// addImports watches the folders that examples import from, without those below
// them, and the folders around them, for one that goes may come back. It gives
// those that are new: nobody heard what happened in them until now.
func (w *watcher) addImports() (fresh []string, err error) {
	for _, folder := range w.imports.list() {
		w.imported[folder] = true
	}
	for folder := range w.imported {
		if w.folders[folder] {
			continue
		}
		if err := w.hearDownTo(folder); err != nil {
			return nil, err
		}
		if w.folders[folder] {
			fresh = append(fresh, folder)
		}
	}
	return fresh, nil
}

// hearDownTo watches a folder and those around it, as far as they are there: the
// outer ones first, for an inner one may come meanwhile.
func (w *watcher) hearDownTo(folder string) error {
	for i, c := range folder + "/" {
		if c != '/' {
			continue
		}
		at := folder[:i]
		err := w.hear(w.at(at))
		if err != nil && !gone(err) {
			return err
		}
		w.folders[at] = err == nil
	}
	return nil
}

// tellImports watches what examples import from, and tells of what is new.
func (w *watcher) tellImports(ctx context.Context) error {
	fresh, err := w.addImports()
	for _, folder := range fresh {
		tell(ctx, w.changes, folder)
	}
	return err
}

// concerns tells whether a path is in a folder that examples import from, or
// whether it is one, or around one.
func (w *watcher) concerns(name string) bool {
	for folder := range w.imported {
		if folder == path.Dir(name) && !passing(path.Base(name)) || strings.HasPrefix(folder+"/", name+"/") {
			return true
		}
	}
	return false
}
