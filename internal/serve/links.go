package serve

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// fullPath returns the file system's path of a path of the site. A source
// directory that is a link is replaced by its target, because fsnotify must know
// each directory by one path only: it reports events under either of two.
func (w *watcher) fullPath(name string) string {
	top, below, _ := strings.Cut(name, "/")
	if dir, ok := w.linkedDirs[top]; ok {
		return filepath.Join(dir, filepath.FromSlash(below))
	}
	return filepath.Join(w.root, filepath.FromSlash(name))
}

// entryPath is fullPath for the directory entry itself: it does not replace name
// when name is a link.
func (w *watcher) entryPath(name string) string {
	return filepath.Join(w.fullPath(path.Dir(name)), path.Base(name))
}

// sitePath is the inverse of fullPath. It returns "." for the root and false for a
// file outside the site. When a linked directory contains another one, the
// innermost determines the path.
func (w *watcher) sitePath(file string) (name string, ok bool) {
	innermost := ""
	for top, dir := range w.linkedDirs {
		rel, err := filepath.Rel(dir, file)
		if err == nil && filepath.IsLocal(rel) && len(dir) > len(innermost) {
			innermost, name = dir, path.Join(top, filepath.ToSlash(rel))
		}
	}
	if innermost != "" {
		return name, true
	}
	rel, err := filepath.Rel(w.root, file)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// addLink watches the target of a link, also when it does not exist yet. A link to
// a directory counts only in the root, as from content/ to docs/; elsewhere sites
// do not follow it.
func (w *watcher) addLink(name string) error {
	targets := targetsOf(w.entryPath(name))
	if len(targets) == 0 {
		return nil
	}
	last := targets[len(targets)-1]
	if info, err := os.Stat(last); err == nil && info.IsDir() {
		if strings.Contains(name, "/") {
			return nil
		}
		if w.linkedDirs[name] != last {
			w.unwatch(name)
		}
		w.linkedDirs[name] = last
		if err := w.addDir(name); err != nil {
			return err
		}
	}
	for _, target := range targets {
		if !slices.Contains(w.links[target], name) {
			w.links[target] = append(w.links[target], name)
		}
		if err := w.watchDir(filepath.Dir(target)); err != nil && !isMissing(err) {
			return err
		}
	}
	return nil
}

// targetsOf returns the target of a link, the target of that if it is a link, too,
// and so on. The last target is a file, a directory, or does not exist.
func targetsOf(link string) (targets []string) {
	const maxTargets = 40 // the limit of Linux
	for file := link; len(targets) < maxTargets; {
		target, err := os.Readlink(file)
		if err != nil {
			return targets
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(file), target)
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(target))
		if err != nil {
			return targets // the directory of the target does not exist
		}
		file = filepath.Join(dir, filepath.Base(target))
		targets = append(targets, file)
	}
	return targets
}
