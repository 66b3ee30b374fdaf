package serve

import (
	"context"
	"maps"
	"slices"
	"time"
)

// unknownPath is sent in place of a changed path when it is not known what
// changed: every file may have.
const unknownPath = ""

// A batch of changes ends after a quiet period. Saving a file causes a few events
// within a millisecond, so a few paths need a short period. A git checkout goes on
// for longer and should be rendered once, so many paths need a longer one.
const (
	maxSavedPaths  = 8 // more paths are not a single save
	quietAfterSave = 10 * time.Millisecond
	quietAfterMany = 100 * time.Millisecond
	maxWait        = 2 * time.Second // a batch ends after this time even without a quiet period
)

// debounce collects changed paths and sends them in batches: sorted, each path
// once, or nil when a path is unknownPath. A batch grows until it is received.
// debounce returns when ctx is cancelled.
func debounce(ctx context.Context, changes <-chan string, batches chan<- []string) {
	pending := map[string]bool{}
	var begin time.Time
	var quiet <-chan time.Time
	var out chan<- []string // batches while ready is to be sent, else nil
	var ready []string
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-changes:
			if len(pending) == 0 {
				begin = time.Now()
			}
			pending[name], out = true, nil
			if quiet == nil || time.Since(begin) < maxWait {
				quiet = time.After(quietFor(len(pending)))
			}
		case <-quiet:
			quiet, out, ready = nil, batches, batch(pending)
		case out <- ready:
			out = nil
			clear(pending)
		}
	}
}

// quietFor returns the quiet period that ends a batch of so many paths.
func quietFor(paths int) time.Duration {
	if paths > maxSavedPaths {
		return quietAfterMany
	}
	return quietAfterSave
}

// batch returns the pending paths as debounce sends them.
func batch(pending map[string]bool) []string {
	if pending[unknownPath] {
		return nil
	}
	return slices.Sorted(maps.Keys(pending))
}
