package proc

import (
	"runtime"
	"testing"
)

// TestFilteredThreadCollectsGarbage: the Go runtime may stop the other threads of
// this process from the thread that has the signal filter. That must not end the
// process.
func TestFilteredThreadCollectsGarbage(t *testing.T) {
	done := make(chan struct{})
	defer close(done)
	for range 2 * runtime.GOMAXPROCS(0) {
		go func() {
			for n := 0; ; n++ { // without a call, so that only a signal stops it
				if n&(1<<20-1) == 0 {
					select {
					case <-done:
						return
					default:
					}
				}
			}
		}()
	}
	err := startFiltered(func() error {
		for range 50 {
			runtime.GC()
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
