// Package run promises that an example's record says what really happened: it
// knows on what an example depends, compiles it, runs it against the service
// that it needs with nothing of the user's in its reach, and ends it.
package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"verbatim/internal/lesson"
)

// The names of inputs that are not files of the site.
const (
	redisInput    = "redis"     // the image reference as the repository writes it
	commandsInput = "commands"  // those of a transcript
	modulePrefix  = "module "   // a module version, its digest from go.sum
	replacePrefix = "replaced " // a package of a module replaced by a folder
)

// Inputs is what one example depends on: a name, and the digest of what it
// stands for. Files are named by their path in the site.
type Inputs map[string]string

// Change is one input that is not what a record says.
type Change struct {
	Name string
	Kind string // "changed", "added", "removed"
}

func (c Change) String() string { return c.Kind + " " + c.Name }

// Changes tells how now differs from what a record says, sorted by name.
func Changes(recorded, now Inputs) []Change {
	var out []Change
	names := slices.Sorted(maps.Keys(recorded))
	for _, name := range names {
		digest, ok := now[name]
		switch {
		case !ok:
			out = append(out, Change{name, "removed"})
		case digest != recorded[name]:
			out = append(out, Change{name, "changed"})
		}
	}
	for name := range now {
		if _, ok := recorded[name]; !ok {
			out = append(out, Change{name, "added"})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Tree reads the site's files for fingerprints. Each file is hashed once,
// however many examples share it.
type Tree struct {
	fsys  fs.FS
	image string // the pinned Redis

	mu      sync.Mutex
	digests map[string]string
	mods    *modules
}

// NewTree fingerprints the site fsys, whose repository pins the Redis image.
func NewTree(fsys fs.FS, image string) *Tree {
	return &Tree{fsys: fsys, image: image, digests: map[string]string{}}
}

// Verify gives the inputs of e as they are now, starting from those that its
// record lists: it hashes the files, lists the folders and looks the modules
// up in go.mod and go.sum. It runs no program. exact is false when a Go file
// or a module differs, so that only the go command can tell what e imports.
func (t *Tree) Verify(e lesson.Example, recorded Inputs) (now Inputs, exact bool, err error) {
	now, err = t.own(e)
	if err != nil {
		return nil, false, err
	}
	if !e.Go {
		return now, true, nil
	}
	mods, err := t.modules()
	if err != nil {
		return nil, false, err
	}
	exact = true
	packages := map[string]bool{}
	for name := range recorded {
		switch {
		case name == redisInput || within(e.Dir, name):
		case strings.HasPrefix(name, replacePrefix):
			exact = false
		case strings.HasPrefix(name, modulePrefix):
			modulePath, _, _ := strings.Cut(strings.TrimPrefix(name, modulePrefix), "@")
			if current, digest, ok := mods.input(modulePath); ok {
				now[current] = digest
			}
		case path.Ext(name) == ".go":
			packages[path.Dir(name)] = true
		}
	}
	for dir := range packages {
		if err := t.addPackage(now, dir, nil); err != nil {
			return nil, false, err
		}
	}
	if err := t.addListed(now, recorded); err != nil {
		return nil, false, err
	}
	for _, c := range Changes(recorded, now) {
		if path.Ext(c.Name) == ".go" || strings.HasPrefix(c.Name, modulePrefix) {
			exact = false
		}
	}
	return now, exact, nil
}

// addListed adds the files that a record lists and no folder gave: those that
// a package embeds from further below.
func (t *Tree) addListed(now, recorded Inputs) error {
	for name := range recorded {
		if _, have := now[name]; have || name == redisInput ||
			strings.HasPrefix(name, modulePrefix) || strings.HasPrefix(name, replacePrefix) {
			continue
		}
		if err := t.addFile(now, name); err != nil {
			return err
		}
	}
	return nil
}

// own gives the files of the example's folder and its service.
func (t *Tree) own(e lesson.Example) (Inputs, error) {
	now := Inputs{}
	if e.Needs != "none" {
		now[redisInput] = t.image
	}
	if len(e.Commands) > 0 {
		now[commandsInput] = hashCommands(e.Commands)
		return now, nil
	}
	err := fs.WalkDir(t.fsys, e.Dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case file != e.Dir && ignored(d.Name()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		return t.addFile(now, file)
	})
	if err != nil {
		return nil, fmt.Errorf("read inputs of example %s: %w", e.ID, err)
	}
	return now, nil
}

func hashCommands(commands []lesson.Command) string {
	h := sha256.New()
	for _, c := range commands {
		fmt.Fprintf(h, "%q\n", c.Words)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ignored are the files of an example's folder that no run depends on.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") ||
		slices.Contains(lesson.NoInputs, name)
}

// addPackage adds a package that an example imports: every file of its folder,
// whatever its build tags, those of the folders below that hold no Go files of
// their own (what it may embed), and the files it does embed.
func (t *Tree) addPackage(now Inputs, dir string, embedded []string) error {
	err := fs.WalkDir(t.fsys, dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case file == dir:
			return nil
		case d.IsDir() && (ignored(d.Name()) || d.Name() == "testdata" || t.holdsGo(file)):
			return fs.SkipDir
		case d.IsDir() || ignored(d.Name()):
			return nil
		}
		return t.addFile(now, file)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read package %s: %w", dir, err)
	}
	for _, name := range embedded {
		if err := t.addFile(now, path.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tree) holdsGo(dir string) bool {
	entries, err := fs.ReadDir(t.fsys, dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return path.Ext(e.Name()) == ".go" })
}

func (t *Tree) addFile(now Inputs, file string) error {
	t.mu.Lock()
	digest, have := t.digests[file]
	t.mu.Unlock()
	if !have {
		var err error
		digest, err = hashFile(t.fsys, file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone: it counts as removed
		}
		if err != nil {
			return fmt.Errorf("hash input: %w", err)
		}
		t.mu.Lock()
		t.digests[file] = digest
		t.mu.Unlock()
	}
	now[file] = digest
	return nil
}

func hashFile(fsys fs.FS, file string) (string, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func within(dir, file string) bool { return strings.HasPrefix(file, dir+"/") }

// modules is what go.mod and go.sum say.
type modules struct {
	versions map[string]string // path → version
	replaced map[string]string // path → "path@version" or the folder that stands in for it
	sums     map[string]string // "path@version" → h1:…
}

// modules reads go.mod and go.sum of the site's root once. A site without
// go.mod has no modules.
func (t *Tree) modules() (*modules, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mods != nil {
		return t.mods, nil
	}
	m := &modules{versions: map[string]string{}, replaced: map[string]string{}, sums: map[string]string{}}
	src, err := fs.ReadFile(t.fsys, "go.mod")
	if errors.Is(err, fs.ErrNotExist) {
		t.mods = m
		return m, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read go.mod: %w", err)
	}
	f, err := modfile.Parse("go.mod", src, nil)
	if err != nil {
		return nil, fmt.Errorf("read go.mod: %w", err)
	}
	for _, r := range f.Require {
		m.versions[r.Mod.Path] = r.Mod.Version
	}
	for _, r := range f.Replace {
		_, have := m.replaced[r.Old.Path]
		switch {
		case r.Old.Version == "" && have: // one for this very version goes first
		case r.Old.Version == "" || r.Old.Version == m.versions[r.Old.Path]:
			m.replaced[r.Old.Path] = r.New.String()
		}
	}
	sums, err := fs.ReadFile(t.fsys, "go.sum")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read go.sum: %w", err)
	}
	for line := range strings.Lines(string(sums)) {
		if part := strings.Fields(line); len(part) == 3 {
			m.sums[part[0]+"@"+part[1]] = part[2]
		}
	}
	t.mods = m
	return m, nil
}

// input names the version of a module that is in force, and gives its digest:
// "" where a folder stands in for it, whose files are inputs of their own.
func (m *modules) input(modulePath string) (name, digest string, ok bool) {
	version, ok := m.versions[modulePath]
	if !ok {
		return "", "", false
	}
	at := modulePath + "@" + version
	if stand := m.replaced[modulePath]; stand != "" {
		return modulePrefix + at + " => " + stand, m.sums[stand], true
	}
	return modulePrefix + at, m.sums[at], true
}
