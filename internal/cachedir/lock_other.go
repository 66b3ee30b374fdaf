//go:build !unix

package cachedir

import (
	"context"
	"fmt"
)

// Lock creates the cache folder and locks nothing, because examples do not run on this
// system and two builds at once write the same bytes.
func Lock(_ context.Context, cache string, _ func()) (unlock func(), err error) {
	if err := Make(cache); err != nil {
		return nil, fmt.Errorf("lock the cache: %w", err)
	}
	return func() {}, nil
}
