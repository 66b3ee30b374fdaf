//go:build unix

package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"verbatim/internal/lesson"
)

// Whatever an example does to its Redis, the next one on the same worker finds
// it as new.
func TestBrokenRedisIsReplaced(t *testing.T) {
	source := redisSource(t, "process", "")
	breakers := map[string]lesson.Example{
		"shut down":       example("breaks", "shutdown"),
		"killed":          example("breaks", "sigkill"),
		"stopped":         example("breaks", "control", "stop"),
		"paused":          example("breaks", "control", "pause"),
		"cut off":         example("breaks", "control", "partition?mode=refuse"),
		"held":            example("breaks", "control", "partition?mode=drop"),
		"slow":            example("breaks", "control", "slow?ms=5000"),
		"nothing is done": example("breaks", "probe", "first"),
	}
	after := example("after", "probe", "after")
	var want string
	for name, breaks := range breakers {
		outcomes := runAll(t, newPool(t, source, 1, breaks, after), breaks, after)
		if f := outcomes[0].Failure; f != nil {
			t.Errorf("%s: the example that does it failed: %s\n%s", name, f.Text, f.Hint)
		}
		got := printed(outcomes[1])
		if want == "" {
			want = got
		}
		if got != want || outcomes[1].Failure != nil {
			t.Errorf("%s: the next example printed\n%s\nwant\n%s", name, got, want)
		}
	}
}

// A Redis that is killed under an example is that example's failure, with its
// own words; the build goes on.
func TestRedisKilledMidExample(t *testing.T) {
	source := redisSource(t, "process", "")
	marker := filepath.Join(t.TempDir(), "waiting")
	waits, after := example("waits", "wait", marker), example("after", "probe", "after")
	done := make(chan error, 1)
	go func() { done <- killNamed(marker) }()
	outcomes := runAll(t, newPool(t, source, 1, waits, after), waits, after)
	must(t, <-done)
	if f := outcomes[0].Failure; f == nil || f.Text != "exit code 1" || !strings.Contains(f.Hint, "standard error:") {
		t.Errorf("the example whose Redis was killed: %+v", f)
	}
	if f := outcomes[1].Failure; f != nil {
		t.Errorf("the next example failed: %s\n%s", f.Text, f.Hint)
	}
}

// killNamed kills the process whose number is written in a file, once that is
// there.
func killNamed(file string) error {
	for {
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		pid, err := strconv.Atoi(string(text))
		if err != nil {
			return err
		}
		return syscall.Kill(pid, syscall.SIGKILL)
	}
}

// What run names in the example's own folder is its author's to mend; what is
// looked up elsewhere is this machine's lack, and ends the build.
func TestProgramThatCannotStart(t *testing.T) {
	for name, row := range map[string]struct {
		args string
		text string // of the failure, or else of the error
		ours bool
	}{
		"not there":      {"./gone.sh", "./gone.sh cannot be started: no such file or directory", false},
		"not executable": {"./plain.sh", "./plain.sh cannot be started: permission denied", false},
		"no first line":  {"./bare.sh", "./bare.sh cannot be started: its first line names no program (#!)", false},
		"no program":     {"nobody-has-this-program", `there is no "nobody-has-this-program" on PATH`, true},
		"no interpreter": {"./odd.sh", "the program that the first line of ./odd.sh names is not here", true},
	} {
		e := command("x", "none", row.args)
		p := newPool(t, nil, 1, e)
		must(t, os.WriteFile(filepath.Join(p.Root, e.Dir, "plain.sh"), []byte("#!/bin/sh\n"), 0o644))
		must(t, os.WriteFile(filepath.Join(p.Root, e.Dir, "bare.sh"), []byte("echo\n"), 0o755))
		must(t, os.WriteFile(filepath.Join(p.Root, e.Dir, "odd.sh"), []byte("#!/no/such/program\n"), 0o755))
		outcomes, err := p.Run(t.Context(), jobsOf([]lesson.Example{e}))
		if row.ours {
			if err == nil || !strings.Contains(err.Error(), row.text) {
				t.Errorf("%s: %v, want an error with %q", name, err, row.text)
			}
			continue
		}
		must(t, err)
		if f := outcomes[0].Failure; f == nil || f.Text != row.text {
			t.Errorf("%s: %+v, want a failure %q", name, f, row.text)
		}
	}
}
