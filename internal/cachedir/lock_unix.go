//go:build unix

package cachedir

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Lock creates the cache folder and locks it for one build of the site. While another
// process holds the lock it waits, after one call of waiting. The kernel releases the
// lock of a killed process. Lock returns an error if it cannot lock, or if ctx ends.
func Lock(ctx context.Context, cache string, waiting func()) (unlock func(), err error) {
	if err := Make(cache); err != nil {
		return nil, fmt.Errorf("lock the cache: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the cache: %w", err)
	}
	for called := false; ; called = true {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			f.Close()
			return nil, fmt.Errorf("lock the cache: %w", err)
		}
		if !called {
			waiting()
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("wait for another build: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
