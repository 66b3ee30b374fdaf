package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Manifest is the file of the output folder that lists what a build wrote. Complete
// deletes only files that it lists.
const Manifest = ".verbatim"

// phase orders the changes of a batch. The files of a site are written in this order:
// what pages need, pages, entry pages; then files are deleted. The manifest is written
// before the first new file, with the old files in it, and after the last deletion, so
// that it names every file that a killed build leaves.
type phase int

const (
	phaseFirst phase = iota
	phaseNewManifest
	phaseObstacles
	phaseResources
	phasePages
	phaseEntryPages
	phaseDeletions
	phaseManifest
)

func phaseOf(name string) phase {
	switch {
	case path.Ext(name) != ".html":
		return phaseResources
	case name == "index.html" || name == "404.html":
		return phaseEntryPages
	}
	return phasePages
}

// ReadManifest returns the names of the files that the last build wrote to out,
// sorted. It returns none if out has no manifest.
func ReadManifest(out *os.Root) ([]string, error) {
	src, err := out.ReadFile(Manifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", Manifest, err)
	}
	var files []string
	for line := range strings.Lines(string(src)) {
		if name := strings.TrimSuffix(line, "\n"); filepath.IsLocal(name) {
			files = append(files, name)
		}
	}
	return files, nil
}

// FormatManifest returns the content of a manifest that lists names, which must be
// sorted.
func FormatManifest(names []string) []byte {
	return []byte(strings.Join(append(slices.Clone(names), ""), "\n"))
}

// Complete plans the rest of a site whose files, named by names, were all added to b:
// it deletes other files that an earlier build wrote, and writes the manifest.
func (b *Batch) Complete(out *os.Root, names []string) error {
	before, err := ReadManifest(out)
	if err != nil {
		return err
	}
	now := slices.Sorted(slices.Values(names))
	files, dirs := map[string]bool{}, map[string]bool{}
	for _, name := range now {
		files[name] = true
		for dir := path.Dir(name); dir != "." && !dirs[dir]; dir = path.Dir(dir) {
			dirs[dir] = true
		}
	}
	gone := slices.DeleteFunc(slices.Clone(before), func(name string) bool { return files[name] })
	if len(gone) > 0 || !slices.Equal(before, now) {
		both := slices.Compact(slices.Sorted(slices.Values(slices.Concat(before, now))))
		if err := b.add(change{root: out, name: Manifest, phase: phaseNewManifest}, FormatManifest(both)); err != nil {
			return err
		}
	}
	for _, name := range gone {
		c := change{root: out, name: name, phase: phaseDeletions}
		if dirs[name] || isBelow(name, files) {
			c.phase = phaseObstacles
		}
		b.list(c)
	}
	return b.add(change{root: out, name: Manifest, phase: phaseManifest}, FormatManifest(now))
}

// isBelow reports whether a directory above a file has the name of one of the files.
func isBelow(name string, files map[string]bool) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if files[dir] {
			return true
		}
	}
	return false
}
