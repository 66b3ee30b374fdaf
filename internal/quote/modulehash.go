package quote

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/stamp"
)

// modules caches the modules that a check looked up, by name. Each module is looked
// up and hashed once, however many sources name files of it.
type modules struct {
	mu    sync.Mutex
	known map[string]*pinned
}

// pinned is the cache entry of one module.
type pinned struct {
	once   sync.Once
	module module
	err    error
	hash   sync.Once
	bad    error // why its files differ from go.sum, or nil
}

func (m *modules) entry(name string) *pinned {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]*pinned{}
	}
	if m.known[name] == nil {
		m.known[name] = &pinned{}
	}
	return m.known[name]
}

// get returns a module in the module cache whose archive agrees with go.sum.
func (m *modules) get(ctx context.Context, dir, name string) (module, error) {
	p := m.entry(name)
	p.once.Do(func() { p.module, p.err = pinnedModule(ctx, dir, name) })
	return p.module, p.err
}

// checkModule returns a *complaint if the files of a module differ from go.sum. The
// go command compares only the archive, so it does not notice a file that was
// edited in the module cache.
func (in Input) checkModule(m module, fsys fs.FS) error {
	p := in.modules.entry(m.Path)
	p.hash.Do(func() {
		got, err := in.hashModule(m, fsys)
		if err == nil && got != m.sum {
			err = &complaint{
				fmt.Sprintf("module %s %s was changed in the module cache: its folder has the hash %s, go.sum has %s", m.Path, m.Version, got, m.sum),
				"run: go clean -modcache && go mod download",
			}
		}
		p.bad = err
	})
	return p.bad
}

// hashModule returns the h1: hash of a module's folder, as in go.sum: the SHA-256 of
// a list of the SHA-256 and the name of each file. It reads only files that changed
// since the last check, according to their stamps.
func (in Input) hashModule(m module, fsys fs.FS) (string, error) {
	var lines []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		sum, err := in.fileSum(fsys, name, d)
		lines = append(lines, fmt.Sprintf("%s\x00%x", name, sum))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash module %s: %w", m.Path, err)
	}
	slices.Sort(lines)
	list := sha256.New()
	for _, line := range lines {
		name, sum, _ := strings.Cut(line, "\x00")
		fmt.Fprintf(list, "%s  %s@%s/%s\n", sum, m.Path, m.Version, name)
	}
	return "h1:" + base64.StdEncoding.EncodeToString(list.Sum(nil)), nil
}

// fileSum returns the SHA-256 of a file.
func (in Input) fileSum(fsys fs.FS, name string, d fs.DirEntry) (sum stamp.Sum, err error) {
	if sum, known := in.cache.Sum(d.Info); known {
		return sum, nil
	}
	before := in.cache.Now()
	f, err := fsys.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	sum = stamp.Sum(h.Sum(nil))
	in.cache.NoteSum(before, info, sum)
	return sum, nil
}
