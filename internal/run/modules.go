package run

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// vendorList is the file of a vendor folder that makes the go command use it.
const vendorList = "vendor/modules.txt"

// modules holds the contents of go.mod and go.sum.
type modules struct {
	found    bool              // there is a go.mod
	language string            // its lines go, toolchain and godebug
	vendored bool              // packages of other modules come from vendor/
	versions map[string]string // path → version
	replaced map[string]string // path → the "path@version" or the folder that replaces it
	sums     map[string]string // "path@version" → h1:…
}

// modules returns the contents of go.mod and go.sum of the module that holds the
// site, which it reads once. For a site outside of any module they are empty.
func (t *Tree) modules() (*modules, error) {
	t.mu.Lock()
	mods := t.mods
	t.mu.Unlock()
	if mods != nil {
		return mods, nil
	}
	m := &modules{versions: map[string]string{}, replaced: map[string]string{}, sums: map[string]string{}}
	source, err := t.text("go.mod")
	if err == nil && source != nil {
		err = m.parse(source)
	}
	if err != nil {
		return nil, fmt.Errorf("read go.mod: %w", err)
	}
	sums, err := t.text("go.sum")
	if err != nil {
		return nil, fmt.Errorf("read go.sum: %w", err)
	}
	for line := range strings.Lines(string(sums)) {
		if part := strings.Fields(line); len(part) == 3 {
			m.sums[part[0]+"@"+part[1]] = part[2]
		}
	}
	fsys, name := t.at(t.ofModule(vendorList))
	_, err = fs.Stat(fsys, name)
	m.vendored = err == nil
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mods = m
	return m, nil
}

// text returns the content of a file beside go.mod, or nil if there is no such file.
func (t *Tree) text(name string) ([]byte, error) {
	file := t.ofModule(name)
	fsys, name := t.at(file)
	now := t.stateNow(file)
	text, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[file] = hashed{state: now}
	return text, err
}

func (m *modules) parse(source []byte) error {
	f, err := modfile.Parse("go.mod", source, nil)
	if err != nil {
		return err
	}
	m.found = true
	var lines []string
	if f.Go != nil {
		lines = append(lines, "go "+f.Go.Version)
	}
	if f.Toolchain != nil {
		lines = append(lines, "toolchain "+f.Toolchain.Name)
	}
	for _, d := range f.Godebug {
		lines = append(lines, "godebug "+d.Key+"="+d.Value)
	}
	m.language = strings.Join(lines, ", ")
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
	return nil
}

// addLanguage adds the lines of go.mod that decide which version of Go its packages
// are compiled as.
func (m *modules) addLanguage(now Inputs) {
	if m.found {
		now[languageInput] = m.language
	}
}

// input returns the name of the input for a module's selected version, and its
// digest from go.sum. ok is false for a module not in go.mod.
func (m *modules) input(modulePath string) (name, digest string, ok bool) {
	version, ok := m.versions[modulePath]
	if !ok {
		return "", "", false
	}
	name, digest = m.inputOf(module.Version{Path: modulePath, Version: version}, m.replaced[modulePath])
	return name, digest, true
}

// inputOf returns the name of the input for a module, and its digest from go.sum.
// replacement is the "path@version" or the folder that replaces the module, or "". The
// digest is "" if a folder replaces it, because the folder's files are inputs themselves.
func (m *modules) inputOf(used module.Version, replacement string) (name, digest string) {
	if replacement != "" {
		return modulePrefix + used.String() + " => " + replacement, m.sums[replacement]
	}
	return modulePrefix + used.String(), m.sums[used.String()]
}
