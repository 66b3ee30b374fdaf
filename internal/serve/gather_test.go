package serve

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// inBubble runs gather on a clock of its own.
func inBubble(t *testing.T, test func(t *testing.T, changes chan<- string, batches <-chan []string)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		changes, batches := make(chan string), make(chan []string)
		go gather(ctx, changes, batches)
		test(t, changes, batches)
		stop()
		synctest.Wait()
	})
}

// A save is shown soon, and what an editor does in several steps is one change.
func TestGatherASave(t *testing.T) {
	inBubble(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
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

// A checkout of 1,000 files is one change, even with pauses in it.
func TestGatherACheckout(t *testing.T) {
	inBubble(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
		go func() {
			for i := range 1000 {
				changes <- fmt.Sprintf("content/%d.md", i)
				if i%100 == 99 {
					time.Sleep(afterMany / 2)
				}
			}
		}()
		if got := <-batches; len(got) != 1000 {
			t.Errorf("the first batch has %d paths, want all 1,000", len(got))
		}
	})
}

// What is not known stands for everything.
func TestGatherAnything(t *testing.T) {
	inBubble(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
		changes <- "content/a.md"
		changes <- anything
		if got := <-batches; got != nil {
			t.Errorf("got %q, want nil", got)
		}
		changes <- "content/a.md"
		if got := <-batches; len(got) != 1 {
			t.Errorf("the next batch is %q", got)
		}
	})
}

// While the site is drawn, changes add up; none is lost.
func TestGatherWhileBusy(t *testing.T) {
	inBubble(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
		for i := range 5 {
			changes <- fmt.Sprintf("content/%d.md", i)
			time.Sleep(time.Second)
		}
		if got := <-batches; len(got) != 5 {
			t.Errorf("got %q, want 5 paths", got)
		}
	})
}

// A file that something writes all the time does not keep the others waiting.
func TestGatherWithoutQuiet(t *testing.T) {
	inBubble(t, func(t *testing.T, changes chan<- string, batches <-chan []string) {
		done := make(chan bool)
		go func() {
			defer close(done)
			for range 1000 {
				changes <- "examples/x/log"
				time.Sleep(afterFew / 2)
			}
		}()
		begin := time.Now()
		<-batches
		if took := time.Since(begin); took > 2*noLonger {
			t.Errorf("waited %s for quiet", took)
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
