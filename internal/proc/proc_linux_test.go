package proc

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// marked finds the living processes whose command line holds the mark. Zombies
// do not count: where nobody reaps orphans they stay for ever.
func marked(t *testing.T, mark string) (pids []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), mark) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if _, is := life(pid); is == alive {
			pids = append(pids, pid)
		}
	}
	return pids
}

// mark is a number of seconds to sleep that no other process sleeps.
func mark(t *testing.T) string {
	return fmt.Sprintf("%d.%d", 90000+time.Now().UnixNano()%9000, os.Getpid())
}

func wantNone(t *testing.T, mark string) {
	t.Helper()
	if pids := marked(t, mark); len(pids) > 0 {
		t.Errorf("still running: %v", pids)
	}
}

// A program that ends leaves nothing: not in the background, not in a session
// of its own, not several generations deep.
func TestNothingLeftAfterTheEnd(t *testing.T) {
	scripts := []string{
		"sleep %[1]s & echo done",
		"setsid sleep %[1]s & echo done",
		"setsid sh -c 'sleep %[1]s & setsid sleep %[1]s & wait' & sleep 0.05; echo done",
		"(trap '' TERM HUP; sleep %[1]s; sleep %[1]s) & echo done",
	}
	for _, script := range scripts {
		m := mark(t)
		got, out := shell(t, Spec{}, fmt.Sprintf(script, m))
		if got != (Result{}) || out != "done\n" {
			t.Errorf("%s: got %+v and %q", script, got, out)
		}
		wantNone(t, m)
	}
}

func TestNothingLeftAfterTheTimeout(t *testing.T) {
	m := mark(t)
	spec := Spec{Timeout: 200 * time.Millisecond, Grace: 100 * time.Millisecond}
	got, _ := shell(t, spec, fmt.Sprintf("setsid sleep %[1]s & sleep %[1]s & trap '' TERM; wait; wait; sleep %[1]s", m))
	if !got.TimedOut {
		t.Errorf("got %+v, want a timeout", got)
	}
	wantNone(t, m)
}

// A program that stops its supervisor with a signal is ended all the same.
func TestSupervisorStopped(t *testing.T) {
	m := mark(t)
	spec := Spec{Timeout: 100 * time.Millisecond, Grace: 50 * time.Millisecond}
	p, err := Start(t.Context(), Spec{
		Args: []string{"sh", "-c", "kill -STOP $PPID; sleep " + m}, Env: os.Environ(),
		Timeout: spec.Timeout, Grace: spec.Grace,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err == nil {
		t.Error("want an error that says the supervisor was lost")
	}
	waitNone(t, m)
}

func waitNone(t *testing.T, mark string) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); len(marked(t, mark)) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("still running: %v", marked(t, mark))
		}
	}
}

// kill -9 of the build ends what it started, and the next build's sweep takes
// its scratch folder away.
func TestKilledBuild(t *testing.T) {
	cache, m := t.TempDir(), mark(t)
	script := fmt.Sprintf("setsid sleep %[1]s & sleep %[1]s & echo started; wait; wait", m)
	build := exec.Command(os.Args[0], "test-build", cache, script)
	out, err := build.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := build.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the build said %q: %v", line, err)
	}
	if err := Sweep(cache); err != nil {
		t.Fatal(err)
	}
	if left := ownedFolders(t, cache); left != 1 {
		t.Errorf("%d folders while the build lives, want 1", left)
	}
	if err := build.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = build.Wait() // killed
	waitNone(t, m)
	if err := Sweep(cache); err != nil {
		t.Fatal(err)
	}
	if left := ownedFolders(t, cache); left != 0 {
		t.Errorf("%d folders after the sweep, want none", left)
	}
}

func ownedFolders(t *testing.T, cache string) int {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(cache, "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A program sees its three standard files and no other.
func TestFilesThatPass(t *testing.T) {
	inherited, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer inherited.Close()
	// As a file that the build itself was given by a careless parent.
	if _, err := unix.FcntlInt(inherited.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	_, out := shell(t, Spec{}, "exec ls -l /proc/self/fd")
	// ls itself holds the folder open.
	if got := strings.Count(out, " -> "); got != 4 {
		t.Errorf("%d files, want 4:\n%s", got, out)
	}
}

func TestParseStat(t *testing.T) {
	s, err := parseStat("42 (a) b (c)) Z 7 42 42 0 -1 4194560 104 0 0 0 0 0 0 0 20 0 1 0 12345 0 0")
	if err != nil || s != (stat{state: 'Z', parent: 7, start: "12345"}) {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, text := range []string{"", ")", "1 (x) S"} {
		if s, err := parseStat(text); err == nil {
			t.Errorf("%q gave %+v", text, s)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p, err := Start(b.Context(), Spec{Args: []string{"/bin/true"}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := p.Wait(); err != nil {
			b.Fatal(err)
		}
	}
}
