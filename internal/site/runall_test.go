package site

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// Of several jobs that fail, the error of the first in order counts, even if it fails
// last in time.
func TestRunAllReturnsTheFirstError(t *testing.T) {
	for first := range 10 {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			want := errors.New("the first")
			jobs := make([]func() error, 20)
			for i := range jobs {
				jobs[i] = func() error { return nil }
				if i > first {
					jobs[i] = func() error { return errors.New("a later one") }
				}
			}
			jobs[first] = func() error {
				time.Sleep(5 * time.Millisecond)
				return want
			}
			if err := runAll(t.Context(), 4, jobs); err != want {
				t.Errorf("got %v", err)
			}
		})
	}
}
