package site

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"verbatim/internal/cachedir"
	"verbatim/internal/load"
	"verbatim/internal/proc"
	"verbatim/internal/run"
	"verbatim/internal/service"
)

// Live is a site that is drawn again and again while its author writes. It
// writes nothing outside the cache: records, fences and public/ belong to
// Build, and no lock keeps a Build of the same site waiting. Refresh is for one
// goroutine at a time; Run may be called by several, beside it.
type Live struct {
	config  Config
	ctx     context.Context // of the services, which outlive a cancelled run
	cache   string          // the folder of this process for programs and their scratch folders
	remove  func()          // takes that away
	scratch string          // the folder outside of the site that examples run in

	redis  sync.Mutex
	source *service.Source // opened by the first run that needs it

	mu     sync.Mutex
	last   *build                // the newest that was read whole
	inputs map[string]run.Inputs // by example: what the go command listed at its last run

	now *buildState // of the last refresh; only Refresh looks at it
}

// OpenLive opens the site for Refresh, and sweeps what killed builds left in
// its cache. What Live starts ends with ctx, and at the latest with Close.
func OpenLive(ctx context.Context, c Config) (*Live, error) {
	root, err := filepath.Abs(c.Root)
	if err != nil {
		return nil, fmt.Errorf("open the site: %w", err)
	}
	if info, err := os.Stat(filepath.Join(root, load.Content)); err != nil || !info.IsDir() {
		return nil, &noSiteError{c.Root}
	}
	c.Root, c.Check, c.Run = root, false, nil
	cache := filepath.Join(root, CacheDir)
	if err := cachedir.Make(cache); err != nil {
		return nil, err
	}
	scratch, err := proc.ScratchRoot(root)
	if err != nil {
		return nil, err
	}
	if err := proc.Sweep(cache, scratch); err != nil {
		return nil, err
	}
	own, remove, err := proc.Scratch(cache, "serve")
	if err != nil {
		return nil, err
	}
	return &Live{config: c, ctx: ctx, cache: own, remove: remove, scratch: scratch, inputs: map[string]run.Inputs{}}, nil
}

// noSiteError says that a folder is no site.
type noSiteError struct{ root string }

func (e *noSiteError) Error() string {
	return fmt.Sprintf("%s is no site: it has no folder content/ (-C names the site's root)", e.root)
}

// Close ends what was started and removes it from the cache. No call of Run may
// be going on.
func (l *Live) Close() error {
	l.redis.Lock()
	defer l.redis.Unlock()
	var err error
	if l.source != nil {
		err = l.source.Close()
	}
	l.remove()
	return err
}

// Refresh returns the site as its sources are now. changed names the files and
// folders that may differ since the last call, slash-separated and relative to
// the root; nil means that any may. An error says why the site as a whole
// cannot be drawn: content/ is gone, a template is broken.
//
// A saved lesson that means nothing to other pages costs no more than itself.
// Anything else is read again, but for the lessons that did not change. Pages
// are drawn when they are asked for.
func (l *Live) Refresh(ctx context.Context, changed []string) (*Snapshot, error) {
	next, err := l.incremental(changed)
	if next == nil && err == nil {
		next, err = l.rebuild(ctx, changed)
	}
	if err != nil {
		return nil, err
	}
	next.shown = next.snapshot()
	if l.now == nil || next.b.theme != l.now.b.theme {
		if err := next.shown.probe(); err != nil {
			return nil, err
		}
	}
	next.shown.Changed = next.shown.since(l.now)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last, l.now = next.b, next
	return next.shown, nil
}

// findStale lists the examples that their records do not fit. It runs no
// program: where only the go command could tell what an example imports now,
// the example is stale already, and its next run asks.
func (l *Live) findStale(b *build, s *buildState) error {
	if b.book.Odd {
		return nil // a problem by now
	}
	tree := b.newTree()
	for _, e := range b.book.Examples {
		r := b.records[e.ID]
		base := l.listed(e.ID)
		if base == nil && r != nil {
			base = r.Inputs
		}
		now, exact, err := tree.Verify(e, base)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it went while the site was read: the next refresh knows
		}
		if err != nil {
			return err
		}
		if r == nil || !exact || r.Torn || len(run.Changes(r.Inputs, now)) > 0 {
			s.stale = append(s.stale, e.ID)
			s.inputs[e.ID] = digest(now)
		}
	}
	return nil
}

// ImportDirs returns the directories outside content/, examples/, quotes/ and
// templates/ that examples import from, slash-separated and sorted. A change in
// them may change an example's output. The list may grow when an example has run.
func (l *Live) ImportDirs() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		return nil
	}
	folders := map[string]bool{}
	for _, e := range l.last.book.Examples {
		inputs := l.inputs[e.ID]
		if r := l.last.records[e.ID]; inputs == nil && r != nil {
			inputs = r.Inputs
		}
		for name := range inputs {
			addImportDir(folders, name)
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(folders)), func(folder string) bool {
		info, err := fs.Stat(l.last.fsys, folder)
		return err != nil || !info.IsDir() // the version of a module is an input too, and no file
	})
}

// addImportDir adds the directory of an input, unless it is one of the site's own
// source directories.
func addImportDir(folders map[string]bool, input string) {
	top, _, below := strings.Cut(input, "/")
	switch {
	case slices.Contains(inputFolders, top):
	case below || path.Ext(input) == ".go": // "redis" is no file of the root
		folders[path.Dir(input)] = true
	}
}

// listed returns what the go command said of an example at its last run, or nil.
func (l *Live) listed(example string) run.Inputs {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.inputs[example]
}

func digest(inputs run.Inputs) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		fmt.Fprintf(h, "%q %s\n", name, inputs[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
