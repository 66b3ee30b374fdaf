//go:build unix

package serve

import (
	"context"
	"fmt"
	"testing"
	"time"

	"verbatim/internal/cputime"
)

// Eight times as many changed paths, each sent several times, cost at most 32
// times as much work of the processor.
func TestDebounceGrowth(t *testing.T) {
	work := func(n int) time.Duration {
		changes, batches := make(chan string), make(chan []string)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		before := cputime.Used()
		go debounce(ctx, changes, batches)
		for i := range 3 * n {
			changes <- fmt.Sprintf("content/%d.md", i%n)
		}
		if got := <-batches; len(got) != n {
			t.Fatalf("a batch of %d paths, want %d", len(got), n)
		}
		return cputime.Used() - before
	}
	few, many := max(10*time.Millisecond, work(1000)), work(8000)
	if many > 32*few {
		t.Errorf("1,000 paths take %v, 8,000 take %v", few, many)
	}
}
