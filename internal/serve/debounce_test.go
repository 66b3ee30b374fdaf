package serve

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// testDebounce calls test with the channels of a running debounce, under a fake
// clock.
func testDebounce(t *testing.T, test func(t *testing.T, changes chan<- string, batches <-chan []string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		changes, batches := make(chan string), make(chan []string)
		go debounce(ctx, changes, batches)
		test(t, changes, batches)
		stop()
		synctest.Wait()
	})
}

// TestDebounceSave checks that the events of one save form one batch within 20 ms.
func TestDebounceSave(t *testing.T) {
	testDebounce(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
		begin := time.Now()
		for _, name := range []string{"content/b.md", "content/a.md", "content/b.md"} {
			changes <- name
			time.Sleep(time.Millisecond)
		}
		if got, want := <-batches, []string{"content/a.md", "content/b.md"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if took := time.Since(begin); took > 20*time.Millisecond {
			t.Errorf("a save waited %s", took)
		}
	})
}

// TestDebounceCheckout checks that 1,000 files form one batch, also when there are
// pauses between them.
func TestDebounceCheckout(t *testing.T) {
	testDebounce(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
		go func() {
			for i := range 1000 {
				changes <- fmt.Sprintf("content/%d.md", i)
				if i%100 == 99 {
					time.Sleep(quietAfterMany / 2)
				}
			}
		}()
		if got := <-batches; len(got) != 1000 {
			t.Errorf("the first batch has %d paths, want all 1,000", len(got))
		}
	})
}

// TestDebounceUnknownPath checks that a batch with an unknown path is nil.
func TestDebounceUnknownPath(t *testing.T) {
	testDebounce(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
		changes <- "content/a.md"
		changes <- unknownPath
		if got := <-batches; got != nil {
			t.Errorf("got %q, want nil", got)
		}
		changes <- "content/a.md"
		if got := <-batches; len(got) != 1 {
			t.Errorf("the next batch is %q", got)
		}
	})
}

// TestDebounceSlowReceiver checks that a batch which is not received grows and
// loses no path.
func TestDebounceSlowReceiver(t *testing.T) {
	testDebounce(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
		for i := range 5 {
			changes <- fmt.Sprintf("content/%d.md", i)
			time.Sleep(time.Second)
		}
		if got := <-batches; len(got) != 5 {
			t.Errorf("got %q, want 5 paths", got)
		}
	})
}

// TestDebounceMaxWait checks that a batch ends although a file changes without a
// pause.
func TestDebounceMaxWait(t *testing.T) {
	testDebounce(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
		done := make(chan bool)
		go func() {
			defer close(done)
			for range 1000 {
				changes <- "examples/x/log"
				time.Sleep(quietAfterSave / 2)
			}
		}()
		begin := time.Now()
		<-batches
		if took := time.Since(begin); took > 2*maxWait {
			t.Errorf("the batch took %s", took)
		}
		for {
			select {
			case <-batches:
			case <-done:
				return
			}
		}
	})
}
