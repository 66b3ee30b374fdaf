package serve

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// interval is how often a site that cannot be watched is looked at.
const interval = 500 * time.Millisecond

// stamp is what tells that a file changed without reading it.
type stamp struct {
	size  int64
	mtime int64 // in nanoseconds
	mode  fs.FileMode
}

// poll tells of changes like watch, by looking at the site as often as every
// says; less often where a look takes more than a tenth of that. It takes the
// first look before it returns.
func poll(ctx context.Context, root string, i imports, every time.Duration, changes chan<- string) {
	before := look(root, i)
	go func() {
		pause := every
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			begin := time.Now()
			now := look(root, i)
			pause = max(every, 9*time.Since(begin))
			for name, s := range now {
				if before[name] != s {
					tell(ctx, changes, name)
				}
			}
			for name := range before {
				if _, ok := now[name]; !ok {
					tell(ctx, changes, name)
				}
			}
			before = now
		}
	}()
}

// look gives the stamp of everything in a site that matters.
func look(root string, i imports) map[string]stamp {
	stamps := map[string]stamp{}
	for _, name := range roots {
		lookAt(root, name, true, stamps)
	}
	for _, name := range rootFiles {
		lookAt(root, name, false, stamps)
	}
	for _, folder := range i.list() {
		lookIn(root, folder, stamps)
	}
	return stamps
}

// lookIn adds a folder and what is in it, but nothing below that.
func lookIn(root, folder string, stamps map[string]stamp) {
	lookAt(root, folder, false, stamps)
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
	if err != nil {
		return
	}
	for _, e := range entries {
		if !passing(e.Name()) {
			lookAt(root, path.Join(folder, e.Name()), false, stamps)
		}
	}
}

// lookAt adds one file, or a folder and all below it. Links are followed to
// files; to a folder only where that is a folder of the root.
func lookAt(root, name string, folders bool, stamps map[string]stamp) {
	full := filepath.Join(root, filepath.FromSlash(name))
	info, err := os.Stat(full)
	if err != nil {
		return
	}
	if !info.IsDir() {
		stamps[name] = stamp{info.Size(), info.ModTime().UnixNano(), info.Mode()}
		return
	}
	stamps[name] = stamp{mode: info.Mode()} // what is in it is told by name
	if !folders {
		return
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !passing(e.Name()) {
			lookAt(root, path.Join(name, e.Name()), e.IsDir(), stamps)
		}
	}
}
