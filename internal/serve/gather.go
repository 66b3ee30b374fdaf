package serve

import (
	"context"
	"maps"
	"slices"
	"time"
)

// anything stands for every path of the site: what changed is not known.
const anything = ""

// How long it must be quiet before a change counts as over. A save is a few
// events within a millisecond; a checkout goes on for long, and its many files
// are worth one drawing.
const (
	few       = 8 // paths: more are no save
	afterFew  = 10 * time.Millisecond
	afterMany = 100 * time.Millisecond
	noLonger  = 2 * time.Second // than this is waited for quiet
)

// gather makes batches of changed paths: sorted, each path once, nil where it is
// not known what changed. While a batch is not taken it grows. It returns when
// ctx ends.
func gather(ctx context.Context, changes <-chan string, batches chan<- []string) {
	pending := map[string]bool{}
	var begin time.Time
	var quiet <-chan time.Time
	var offer chan<- []string // nil while more may come
	var ready []string
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-changes:
			if len(pending) == 0 {
				begin = time.Now()
			}
			pending[name], offer = true, nil
			if quiet == nil || time.Since(begin) < noLonger {
				quiet = time.After(pause(len(pending)))
			}
		case <-quiet:
			quiet, offer, ready = nil, batches, batch(pending)
		case offer <- ready:
			offer = nil
			clear(pending)
		}
	}
}

func pause(paths int) time.Duration {
	if paths > few {
		return afterMany
	}
	return afterFew
}

func batch(pending map[string]bool) []string {
	if pending[anything] {
		return nil
	}
	return slices.Sorted(maps.Keys(pending))
}
