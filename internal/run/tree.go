package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"verbatim/internal/stamp"
)

// Tree computes the inputs of examples from the files of a site. It hashes each
// file once, however many examples share it. It is safe for concurrent use.
type Tree struct {
	site   fs.FS
	module fs.FS  // the folder of a go.mod above the site, or nil
	sub    string // where the site is in module
	image  string // the pinned Redis

	mu      sync.Mutex
	files   map[string]hashed // by path relative to the site's root
	folders map[string]state  // those that were listed
	mods    *modules
}

// hashed is a file that was read.
type hashed struct {
	digest   string
	embedded []string // the files that it embeds, where it is Go code
	state    state
}

// state is the metadata of a file or folder. Every later change results in another
// state, even a change that is undone.
type state struct {
	stamp    stamp.Stamp // zero if the system's metadata does not reveal every change
	mode     fs.FileMode
	size     int64
	modified int64
}

func stateOf(info fs.FileInfo) state {
	s, ok := stamp.Of(info)
	if !ok {
		s, _ = stamp.OfFolder(info)
	}
	return state{s, info.Mode(), info.Size(), info.ModTime().UnixNano()}
}

// NewTree returns a Tree of the site in fsys. image is the pinned Redis image.
func NewTree(fsys fs.FS, image string) *Tree {
	return &Tree{site: fsys, image: image, files: map[string]hashed{}, folders: map[string]state{}}
}

// InModule adds the Go module around the site to the tree. folder is the folder of
// its go.mod, and sub the slash-separated path of the site in it.
func (t *Tree) InModule(folder fs.FS, sub string) { t.module, t.sub = folder, sub }

// at returns the file system that holds a file, and the file's name in it.
func (t *Tree) at(file string) (fsys fs.FS, name string) {
	if t.module != nil && (file == ".." || strings.HasPrefix(file, "../")) {
		return t.module, path.Join(t.sub, file)
	}
	return t.site, file
}

// ofModule returns the path, relative to the site's root, of a file that is
// named relative to the folder of go.mod.
func (t *Tree) ofModule(name string) string {
	if t.module == nil {
		return name
	}
	return strings.Repeat("../", strings.Count(t.sub, "/")+1) + name
}

// read returns the digest of a file, which it computes at the first call.
func (t *Tree) read(file string) (hashed, error) {
	t.mu.Lock()
	f, have := t.files[file]
	t.mu.Unlock()
	if have {
		return f, nil
	}
	fsys, name := t.at(file)
	if !fs.ValidPath(name) {
		return hashed{}, &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist}
	}
	f, source, err := hashFile(fsys, name)
	if err != nil {
		return hashed{}, err
	}
	if source != nil {
		f.embedded = t.embedded(path.Dir(file), source)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files[file] = f
	return f, nil
}

// hashFile reads a file. It returns its text too if it is Go code.
func hashFile(fsys fs.FS, file string) (f hashed, source []byte, err error) {
	in, err := fsys.Open(file)
	if err != nil {
		return f, nil, err
	}
	defer in.Close()
	info, err := in.Stat() // before the bytes: a change while they are read shows
	if err != nil {
		return f, nil, err
	}
	f.state = stateOf(info)
	h := sha256.New()
	var text bytes.Buffer
	var out io.Writer = h
	if path.Ext(file) == ".go" {
		out = io.MultiWriter(h, &text)
	}
	if _, err := io.Copy(out, in); err != nil {
		return f, nil, err
	}
	f.digest = hex.EncodeToString(h.Sum(nil))
	return f, text.Bytes(), nil
}

func (t *Tree) isExecutable(file string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.files[file].state.mode&0o100 != 0
}

// noteFolder notes the state of a folder that will be listed.
func (t *Tree) noteFolder(dir string) {
	now := t.stateNow(dir)
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, noted := t.folders[dir]; !noted {
		t.folders[dir] = now
	}
}

// stateNow returns the state of a file or folder, zero where there is none.
func (t *Tree) stateNow(name string) state {
	fsys, name := t.at(name)
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return state{}
	}
	return stateOf(info)
}

// Changed returns the files and folders whose state differs from when the Tree read
// them, sorted. An example that ran since then may have used other content.
func (t *Tree) Changed() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var changed []string
	for name, f := range t.files {
		if t.stateNow(name) != f.state {
			changed = append(changed, name)
		}
	}
	for name, was := range t.folders {
		if t.stateNow(name) != was {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// youngest returns the latest time at which a Go file that was read or a folder that
// was listed changed, in nanoseconds since 1970.
func (t *Tree) youngest() (at int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name, f := range t.files {
		if ext := path.Ext(name); ext == ".go" || ext == ".mod" {
			at = max(at, f.state.modified, f.state.stamp.Changed)
		}
	}
	for s := range maps.Values(t.folders) {
		at = max(at, s.modified, s.stamp.Changed)
	}
	return at
}

// embedded returns the files that Go code in dir embeds, found by the go command's
// rules for patterns. A line of a string literal that looks like a
// directive counts as one, which only adds inputs.
func (t *Tree) embedded(dir string, source []byte) (files []string) {
	for line := range strings.Lines(string(source)) {
		patterns, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:embed")
		if !ok || patterns == strings.TrimLeft(patterns, " \t") {
			continue
		}
		for _, pattern := range splitPatterns(patterns) {
			found, err := t.match(dir, pattern)
			if err != nil {
				continue // the go command says what is wrong with it
			}
			files = append(files, found...)
		}
	}
	return files
}

// splitPatterns splits the patterns of a directive, which may be quoted.
func splitPatterns(text string) (patterns []string) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		var pattern string
		if quoted, err := strconv.QuotedPrefix(text); err == nil {
			pattern, _ = strconv.Unquote(quoted) // which QuotedPrefix has checked
			text = text[len(quoted):]
		} else {
			at := strings.IndexAny(text, " \t")
			if at < 0 {
				at = len(text)
			}
			pattern, text = text[:at], text[at:]
		}
		patterns = append(patterns, pattern)
	}
	return patterns
}

// match returns the files that one pattern names: the files that it matches, and
// all files in the folders that it matches. Without the prefix all: it leaves out
// names that begin with a dot or an underscore.
func (t *Tree) match(dir, pattern string) (files []string, err error) {
	pattern, all := strings.CutPrefix(pattern, "all:")
	fsys, name := t.at(dir)
	t.noteFolder(path.Join(dir, path.Dir(pattern)))
	matches, err := fs.Glob(fsys, path.Join(literal.Replace(name), pattern))
	if err != nil {
		return nil, err
	}
	for _, top := range matches {
		err := fs.WalkDir(fsys, top, func(file string, d fs.DirEntry, err error) error {
			below := relative(name, file)
			switch base := path.Base(file); {
			case err != nil:
				return err
			case file != top && !all && (base[0] == '.' || base[0] == '_'):
				if d.IsDir() {
					return fs.SkipDir
				}
			case d.IsDir():
				if _, err := fs.Stat(fsys, path.Join(file, "go.mod")); err == nil && file != name {
					return fs.SkipDir // another module
				}
				t.noteFolder(path.Join(dir, below))
			case d.Type().IsRegular():
				files = append(files, path.Join(dir, below))
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("list embedded files: %w", err)
		}
	}
	return files, nil
}

// relative returns the path of a file below a folder, both of one file system.
func relative(folder, file string) string {
	if folder == "." {
		return file
	}
	return strings.TrimPrefix(strings.TrimPrefix(file, folder), "/")
}

// literal escapes a path to a pattern that matches only this path.
var literal = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
