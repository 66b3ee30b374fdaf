package serve

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// at gives where a path of the site lies. A folder must be known to the system
// under one path only, or its events come under either.
func (w *watcher) at(name string) string {
	top, below, _ := strings.Cut(name, "/")
	if folder, ok := w.behind[top]; ok {
		return filepath.Join(folder, filepath.FromSlash(below))
	}
	return filepath.Join(w.root, filepath.FromSlash(name))
}

// entry gives where a path of the site itself lies, be it a link or what it leads
// to: only the links above it are followed.
func (w *watcher) entry(name string) string {
	return filepath.Join(w.at(path.Dir(name)), path.Base(name))
}

// nameOf is the opposite of at: "." for the root, false beside the site. Of
// folders behind links that lie in one another the innermost counts.
func (w *watcher) nameOf(file string) (name string, ok bool) {
	innermost := ""
	for top, folder := range w.behind {
		rel, err := filepath.Rel(folder, file)
		if err == nil && filepath.IsLocal(rel) && len(folder) > len(innermost) {
			innermost, name = folder, path.Join(top, filepath.ToSlash(rel))
		}
	}
	if innermost != "" {
		return name, true
	}
	rel, err := filepath.Rel(w.root, file)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// addLink watches what a link leads to, also where there is nothing yet. Folders
// behind links are no part of a site, but for a link in the root, as from
// content/ to docs/.
func (w *watcher) addLink(name string) error {
	hops := hopsOf(w.entry(name))
	if len(hops) == 0 {
		return nil
	}
	target := hops[len(hops)-1]
	if info, err := os.Stat(target); err == nil && info.IsDir() {
		if strings.Contains(name, "/") {
			return nil
		}
		if w.behind[name] != target {
			w.forget(name)
		}
		w.behind[name] = target
		if err := w.add(name); err != nil {
			return err
		}
	}
	for _, hop := range hops {
		if !slices.Contains(w.links[hop], name) {
			w.links[hop] = append(w.links[hop], name)
		}
		if err := w.hear(filepath.Dir(hop)); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// hopsOf gives the path behind a link, the path behind that if it is one too, and
// so on. At the last there is a file, a folder or nothing yet.
func hopsOf(link string) (hops []string) {
	const most = 40 // as Linux has it
	for at := link; len(hops) < most; {
		to, err := os.Readlink(at)
		if err != nil {
			return hops
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(at), to)
		}
		folder, err := filepath.EvalSymlinks(filepath.Dir(to))
		if err != nil {
			return hops // not even the folder is there
		}
		at = filepath.Join(folder, filepath.Base(to))
		hops = append(hops, at)
	}
	return hops
}
