//go:build unix

package cputime_test

import (
	"os/exec"
	"testing"
	"time"

	"verbatim/internal/cputime"
)

// Used grows with work and not with waiting, and UsedByChildren with the work of a child.
func TestUsed(t *testing.T) {
	before := cputime.Used()
	time.Sleep(50 * time.Millisecond)
	waited := cputime.Used() - before
	for begin := time.Now(); cputime.Used()-before < waited+50*time.Millisecond; {
		if time.Since(begin) > time.Minute {
			t.Fatal("a minute of work used less than 50 ms of processor time")
		}
	}
	if waited > 40*time.Millisecond {
		t.Errorf("50 ms of waiting used %v", waited)
	}
	children := cputime.UsedByChildren()
	if err := exec.Command("sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done").Run(); err != nil {
		t.Fatal(err)
	}
	if cputime.UsedByChildren() <= children {
		t.Error("the work of a child used no processor time")
	}
}
