//go:build !unix

package site

import (
	"context"
	"fmt"

	"verbatim/internal/cachedir"
)

// lock only makes the cache folder: examples do not run here, so two builds at
// once write the same bytes.
func lock(_ context.Context, cache string, _ func()) (unlock func(), err error) {
	if err := cachedir.Make(cache); err != nil {
		return nil, fmt.Errorf("lock the tree: %w", err)
	}
	return func() {}, nil
}
