package serve

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// pollInterval is the time between two scans of a site that cannot be watched.
const pollInterval = 500 * time.Millisecond

// fileState is the metadata by which poll detects that a file changed.
type fileState struct {
	size  int64 // in bytes
	mtime int64 // in nanoseconds since 1970
	mode  fs.FileMode
}

// poll sends changed paths as watch does, but finds them by scanning the site once
// in every interval. Where scans take long, it scans less often, so that they use
// at most a tenth of the time. The first scan is done when poll returns.
func poll(ctx context.Context, root string, i imports, interval time.Duration, changes chan<- string) {
	before := scan(root, i)
	go func() {
		pause := interval
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			begin := time.Now()
			now := scan(root, i)
			pause = max(interval, 9*time.Since(begin))
			for name, state := range now {
				if before[name] != state {
					send(ctx, changes, name)
				}
			}
			for name := range before {
				if _, ok := now[name]; !ok {
					send(ctx, changes, name)
				}
			}
			before = now
		}
	}()
}

// scan returns the state of all sources of a site by path.
func scan(root string, i imports) map[string]fileState {
	states := map[string]fileState{}
	for _, name := range sourceDirs {
		scanPath(root, name, true, states)
	}
	for _, name := range sourceFiles {
		scanPath(root, name, false, states)
	}
	for _, dir := range i.list() {
		scanDir(root, dir, states)
	}
	return states
}

// scanDir adds a directory and its entries, without those of its subdirectories.
func scanDir(root, dir string, states map[string]fileState) {
	scanPath(root, dir, false, states)
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return
	}
	for _, e := range entries {
		if !isTemporary(e.Name()) {
			scanPath(root, path.Join(dir, e.Name()), false, states)
		}
	}
}

// scanPath adds a file or a directory; with recursive, also everything below the
// directory. It follows links to files, and links to directories only for name
// itself.
func scanPath(root, name string, recursive bool, states map[string]fileState) {
	full := filepath.Join(root, filepath.FromSlash(name))
	info, err := os.Stat(full)
	if err != nil {
		return
	}
	if !info.IsDir() {
		states[name] = fileState{info.Size(), info.ModTime().UnixNano(), info.Mode()}
		return
	}
	states[name] = fileState{mode: info.Mode()} // its entries have states of their own
	if !recursive {
		return
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !isTemporary(e.Name()) {
			scanPath(root, path.Join(name, e.Name()), e.IsDir(), states)
		}
	}
}
