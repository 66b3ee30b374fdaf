// Package run runs examples: it computes their inputs, compiles them, runs them with
// their service in an environment without the user's settings, and ends them.
package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"verbatim/internal/lesson"
)

// The names of inputs that are not files.
const (
	redisInput       = "redis"       // the image reference as the repository writes it
	commandsInput    = "commands"    // those of a transcript
	languageInput    = "language"    // the lines go, toolchain and godebug of go.mod
	modulePrefix     = "module "     // a module version, its digest from go.sum
	replacePrefix    = "replaced "   // a package of a module replaced by a folder
	executablePrefix = "executable " // a file whose owner may execute it
)

// Inputs holds what one example depends on: names with the digests of the contents. Files are named by their path relative to the site's root, which
// begins with ../ for those of the Go module around the site.
type Inputs map[string]string

// InputFile returns the path of the file that an input's name refers to, relative to
// the site's root. ok is false for an input that is no file.
func InputFile(name string) (file string, ok bool) {
	if file, marked := strings.CutPrefix(name, "./"); marked {
		return file, true
	}
	return name, !isReserved(name)
}

// fileInput returns the name of the input for a file.
func fileInput(file string) string {
	if isReserved(file) {
		return "./" + file
	}
	return file
}

// isReserved reports whether a name is the name of an input that is no file.
func isReserved(name string) bool {
	return slices.Contains([]string{redisInput, commandsInput, languageInput}, name) ||
		slices.ContainsFunc([]string{modulePrefix, replacePrefix, executablePrefix}, func(prefix string) bool {
			return strings.HasPrefix(name, prefix)
		})
}

// Change is one input that differs from the record.
type Change struct {
	Name string
	Kind string // "changed", "added", "removed"
}

func (c Change) String() string { return c.Kind + " " + c.Name }

// Changes returns the differences between recorded and current inputs, sorted by name.
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

// Verify returns the inputs of e as they are now, starting from those that its
// record lists: it hashes the files, lists the folders and looks the modules
// up in go.mod and go.sum. It runs no program. exact is false when a Go file
// or a module differs, because then only the go command knows what e imports.
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
	mods.addLanguage(now)
	packages := map[string]bool{}
	for name := range recorded {
		if modulePath, isModule := strings.CutPrefix(name, modulePrefix); isModule {
			modulePath, _, _ = strings.Cut(modulePath, "@")
			if current, digest, ok := mods.input(modulePath); ok {
				now[current] = digest
			}
			exact = exact && !mods.vendored
		}
		exact = exact && !strings.HasPrefix(name, replacePrefix)
		if file, ok := InputFile(name); ok && path.Ext(file) == ".go" && !within(e.Dir, file) {
			packages[path.Dir(file)] = true
		}
	}
	for dir := range packages {
		if err := t.addPackage(now, dir); err != nil {
			return nil, false, err
		}
	}
	if mods.vendored {
		if err := t.addFile(now, t.ofModule(vendorList)); err != nil {
			return nil, false, err
		}
	}
	for _, c := range Changes(recorded, now) {
		if path.Ext(c.Name) == ".go" || path.Base(c.Name) == "go.mod" || c.Name == languageInput || strings.HasPrefix(c.Name, modulePrefix) {
			exact = false
		}
	}
	return now, exact, nil
}

// own returns the inputs that are in the example's folder, and its service.
func (t *Tree) own(e lesson.Example) (Inputs, error) {
	now := Inputs{}
	if e.Needs != "none" {
		now[redisInput] = t.image
	}
	if e.IsTranscript() {
		now[commandsInput] = hashCommands(e.Commands)
		return now, nil
	}
	err := fs.WalkDir(t.site, e.Dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case file != e.Dir && ignored(d.Name()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			t.noteFolder(file)
			return nil
		}
		return t.addFile(now, file)
	})
	if err != nil {
		return nil, fmt.Errorf("read inputs of example %s: %w", e.ID, err)
	}
	for name := range maps.Clone(now) {
		if file, ok := InputFile(name); ok && t.isExecutable(file) {
			now[executablePrefix+file] = "yes"
		}
	}
	if e.Go {
		err = t.addGoMods(now, e.Dir)
	}
	return now, err
}

// addGoMods adds each go.mod between the root of the site's module and a package:
// one makes the package part of another module.
func (t *Tree) addGoMods(now Inputs, dir string) error {
	root := path.Dir(t.ofModule("go.mod"))
	for ; dir != root; dir = parent(dir) {
		if _, name := t.at(dir); !fs.ValidPath(name) {
			return nil // a folder outside of the module, which only an edited record lists
		}
		t.noteFolder(dir)
		if err := t.addFile(now, path.Join(dir, "go.mod")); err != nil {
			return err
		}
	}
	return nil
}

// parent returns the folder that holds dir. Both are relative to the site's root.
func parent(dir string) string {
	if dir == "." || path.Base(dir) == ".." {
		return path.Join("..", dir)
	}
	return path.Dir(dir)
}

func hashCommands(commands []lesson.Command) string {
	h := sha256.New()
	for _, c := range commands {
		fmt.Fprintf(h, "%q\n", c.Words)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ignored are the files of an example's folder that no run depends on, unless
// its program embeds them.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") ||
		slices.Contains(lesson.NoInputs, name)
}

// addPackage adds a package that an example imports: every file of its folder,
// whatever its build tags, those of its subfolders without Go files, and the files
// that it embeds. To a package outside of vendor/ belong the go.mod files above it.
func (t *Tree) addPackage(now Inputs, dir string) error {
	if !within(t.ofModule("vendor"), dir) {
		if err := t.addGoMods(now, dir); err != nil {
			return err
		}
	}
	fsys, top := t.at(dir)
	err := fs.WalkDir(fsys, top, func(name string, d fs.DirEntry, err error) error {
		file := path.Join(dir, relative(top, name))
		switch {
		case err != nil:
			return err
		case name == top:
			t.noteFolder(dir)
			return nil
		case d.IsDir() && (holdsSite(dir) || ignored(d.Name()) || d.Name() == "testdata" || holdsGo(fsys, name)):
			return fs.SkipDir
		case d.IsDir():
			t.noteFolder(file)
			return nil
		case ignored(d.Name()):
			return nil
		}
		return t.addFile(now, file)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read package %s: %w", dir, err)
	}
	return nil
}

// holdsSite reports whether dir is the site's root or a folder above it, whose
// subfolders are not part of the package in dir.
func holdsSite(dir string) bool { return strings.Trim(dir, "./") == "" }

func holdsGo(fsys fs.FS, dir string) bool {
	entries, err := fs.ReadDir(fsys, dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return path.Ext(e.Name()) == ".go" })
}

// addFile adds a file and, where it is Go code, the files that it embeds. One
// that is missing is not added: it counts as removed.
func (t *Tree) addFile(now Inputs, file string) error {
	input := fileInput(file)
	if _, have := now[input]; have {
		return nil
	}
	f, err := t.read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("hash input: %w", err)
	}
	now[input] = f.digest
	for _, name := range f.embedded {
		if err := t.addFile(now, name); err != nil {
			return err
		}
	}
	return nil
}

func within(dir, file string) bool { return strings.HasPrefix(file, dir+"/") }
