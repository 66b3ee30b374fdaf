//go:build unix

package site

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"verbatim/internal/cachedir"
)

// lock makes a second build in the same tree wait for the first. The kernel
// drops the lock with the process, so a killed build leaves none.
func lock(ctx context.Context, cache string, waiting func()) (unlock func(), err error) {
	if err := cachedir.Make(cache); err != nil {
		return nil, fmt.Errorf("lock the tree: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the tree: %w", err)
	}
	for told := false; ; told = true {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			f.Close()
			return nil, fmt.Errorf("lock the tree: %w", err)
		}
		if !told {
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
