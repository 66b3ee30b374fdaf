package site

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"verbatim/internal/cli"
)

// manifest is the file of the output folder that lists what a build wrote:
// only what it lists is ever deleted.
const manifest = ".verbatim"

// aside begins the name of a file on its way to its place. A killed build may
// leave one; the next build removes it.
const aside = ".verbatim-aside-"

// checkOut refuses an output folder that a build could harm: one inside the
// author's folders or around them, or one that holds files of someone else.
// out is relative to the root, or absolute.
func checkOut(root, out string) error {
	absolute, err := filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("find the output folder: %w", err)
	}
	site, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("find the site's root: %w", err)
	}
	absolute, site = followed(absolute), followed(site)
	for _, name := range []string{"content", "examples", "quotes", "templates", ".cache", ".git"} {
		theirs := filepath.Join(site, name)
		if inside(theirs, absolute) || inside(absolute, theirs) {
			return &cli.UsageError{Text: fmt.Sprintf("-out %s contains or lies inside %s/: choose a folder of its own", out, name)}
		}
	}
	entries, err := os.ReadDir(absolute)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the output folder: %w", err)
	}
	if _, err := os.Stat(filepath.Join(absolute, manifest)); err != nil {
		return &cli.UsageError{Text: fmt.Sprintf("-out %s holds files and no list %s of what a build wrote there: restore that file, empty the folder, or choose another", out, manifest)}
	}
	return nil
}

// followed resolves links as far as the path exists.
func followed(p string) string {
	if real, err := filepath.EvalSymlinks(p); err == nil {
		return real
	}
	dir := filepath.Dir(p)
	if dir == p {
		return p
	}
	return filepath.Join(followed(dir), filepath.Base(p))
}

func inside(outer, inner string) bool {
	rel, err := filepath.Rel(outer, inner)
	return err == nil && filepath.IsLocal(rel)
}

// readManifest gives the files that the last build wrote, sorted.
func readManifest(root *os.Root) ([]string, error) {
	src, err := root.ReadFile(manifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", manifest, err)
	}
	var files []string
	for line := range strings.Lines(string(src)) {
		if name := strings.TrimSuffix(line, "\n"); filepath.IsLocal(name) {
			files = append(files, name)
		}
	}
	return files, nil
}

// The turns in which the files of a site are written: what pages need, pages,
// what leads to them, and last what goes. The list is renewed before the first
// new file and after the last deletion, so that a killed build leaves nothing
// that no list names.
const (
	turnNewList = 1 + iota
	turnInTheWay
	turnNeeded
	turnPages
	turnEntrances
	turnGone
	turnList
)

// turnOf is when a file of the site is written.
func turnOf(name string) int {
	switch {
	case path.Ext(name) != ".html":
		return turnNeeded
	case name == "index.html" || name == "404.html":
		return turnEntrances
	}
	return turnPages
}

// publish adds to a batch that has all files of the site what makes the folder
// hold these and no others that an earlier build wrote.
func publish(b *batch, root *os.Root, names []string) error {
	before, err := readManifest(root)
	if err != nil {
		return err
	}
	now := slices.Sorted(slices.Values(names))
	files := map[string]bool{}
	for _, name := range now {
		files[name] = true
	}
	folders := map[string]bool{}
	for _, name := range now {
		for dir := path.Dir(name); dir != "." && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	gone := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return files[name] })
	if len(gone) > 0 || !slices.Equal(before, now) {
		both := slices.Compact(slices.Sorted(slices.Values(slices.Concat(before, now))))
		if err := b.add(change{root: root, name: manifest, turn: turnNewList}, list(both)); err != nil {
			return err
		}
	}
	for _, name := range gone {
		turn := turnGone
		if folders[name] || inFile(name, files) {
			turn = turnInTheWay
		}
		b.list(change{root: root, name: name, turn: turn})
	}
	return b.add(change{root: root, name: manifest, turn: turnList}, list(now))
}

// obstacles gives what stands in the way of a batch's files for good, sorted by
// name: what none of its changes deletes.
func obstacles(b *batch) (all []target) {
	deleted, seen := map[target]bool{}, map[target]bool{}
	for _, c := range b.changes {
		if c.temporary == "" {
			deleted[target{c.root, c.name}] = true
		}
	}
	for _, at := range b.blocked {
		if !seen[at] && !goes(deleted, at) {
			all = append(all, at)
		}
		seen[at] = true
	}
	slices.SortFunc(all, func(x, y target) int { return strings.Compare(x.name, y.name) })
	return all
}

// goes reports whether a file is deleted, or all that is in a folder and so the
// folder. An empty folder stays.
func goes(deleted map[target]bool, at target) bool {
	some, others := false, false
	err := fs.WalkDir(names(at.root), at.name, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), aside) {
			some, others = true, others || !deleted[target{at.root, name}]
		}
		return err
	})
	return err == nil && some && !others
}

// inFile reports whether a file lies in a folder that has the name of one of the
// files.
func inFile(name string, files map[string]bool) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if files[dir] {
			return true
		}
	}
	return false
}

func list(names []string) []byte {
	return []byte(strings.Join(append(slices.Clone(names), ""), "\n"))
}

// sweepAside removes what a killed build left on its way to its place.
func sweepAside(root *os.Root, dirs ...string) error {
	for _, dir := range dirs {
		err := fs.WalkDir(names(root), dir, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			if !d.IsDir() && strings.HasPrefix(d.Name(), aside) {
				return root.Remove(name)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	return nil
}
