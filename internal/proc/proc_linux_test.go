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

var ways = []string{"cgroup", "supervisor"}

// choose makes programs start in one way until back is called.
func choose(way string) (back func(), err error) {
	was := ownCgroup
	back = func() { ownCgroup = was }
	if way == "supervisor" {
		ownCgroup = func() string { return "" }
		return back, nil
	}
	g, err := newCgroup()
	if err != nil {
		return nil, fmt.Errorf("needs a cgroup of version 2 to write in: %w", err)
	}
	return back, g.remove()
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
func TestNothingLeftAfterTheEnd(t *testing.T) { everyWay(t, testNothingLeftAfterTheEnd) }

func testNothingLeftAfterTheEnd(t *testing.T, _ string) {
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

func TestNothingLeftAfterTheTimeout(t *testing.T) { everyWay(t, testNothingLeftAfterTheTimeout) }

func testNothingLeftAfterTheTimeout(t *testing.T, _ string) {
	m := mark(t)
	spec := Spec{Timeout: 200 * time.Millisecond, Grace: 100 * time.Millisecond}
	got, _ := shell(t, spec, fmt.Sprintf("setsid sleep %[1]s & sleep %[1]s & trap '' TERM; wait; wait; sleep %[1]s", m))
	if !got.TimedOut {
		t.Errorf("got %+v, want a timeout", got)
	}
	wantNone(t, m)
}

// A program that turns on its supervisor, be it before that could even tell of
// the start, is ended all the same, and neither Start nor Wait waits for ever.
func TestSupervisorAttacked(t *testing.T) {
	back, err := choose("supervisor")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(back) // after the parallel tests below
	for name, script := range map[string]string{
		"stopped at once":         "kill -STOP $PPID; sleep %[1]s",
		"stopped again and again": "while :; do kill -STOP $PPID; done # %[1]s",
		"stopped later":           "sleep 0.3; kill -STOP $PPID; sleep %[1]s",
		"stopped by a grandchild": "s=$PPID; setsid sh -c \"while :; do kill -STOP $s; done # %[1]s\" & sleep %[1]s",
		"killed at once":          "kill -KILL $PPID; sleep %[1]s",
		"killed later":            "sleep 0.3; kill -KILL $PPID; sleep %[1]s",
		"killed, group left":      "(kill -KILL $PPID) & sleep %[1]s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mark(t)
			p, err := Start(t.Context(), Spec{
				Args: []string{"sh", "-c", fmt.Sprintf(script, m)}, Env: os.Environ(),
				Timeout: 500 * time.Millisecond, Grace: 50 * time.Millisecond,
			})
			if err == nil {
				var got Result
				got, err = p.Wait()
				if err == nil && !got.TimedOut {
					t.Errorf("got %+v and no error, want a timeout or a supervisor that was lost", got)
				}
			}
			waitNone(t, m)
		})
	}
}

func waitNone(t *testing.T, mark string) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); len(marked(t, mark)) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("still running: %v", marked(t, mark))
		}
	}
}

// What kill -9 of the build leaves, the next build's sweep ends, and it takes
// the scratch folder away; the sweep of another build touches nothing before.
func TestKilledBuild(t *testing.T) { everyWay(t, testKilledBuild) }

func testKilledBuild(t *testing.T, way string) {
	cache, m := t.TempDir(), mark(t)
	script := fmt.Sprintf("setsid sleep %[1]s & sleep %[1]s & echo started; wait; wait", m)
	build := exec.Command(os.Args[0], "test-build", way, cache, script)
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
	if way == "supervisor" {
		waitNone(t, m) // it needs no sweep
	}
	if err := Sweep(cache); err != nil {
		t.Fatal(err)
	}
	wantNone(t, m)
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
func TestFilesThatPass(t *testing.T) { everyWay(t, testFilesThatPass) }

func testFilesThatPass(t *testing.T, _ string) {
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
	if err != nil || s != (stat{state: 'Z', parent: 7, session: 42, start: "12345"}) {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, text := range []string{"", ")", "1 (x) S"} {
		if s, err := parseStat(text); err == nil {
			t.Errorf("%q gave %+v", text, s)
		}
	}
}

// A cgroup is a program's while it runs, and is removed with it.
func TestCgroup(t *testing.T) {
	everyWay(t, func(t *testing.T, way string) {
		want := map[string]int{"cgroup": 1}[way]
		p, err := Start(t.Context(), Spec{Args: []string{"sleep", "600"}})
		if err != nil {
			t.Fatal(err)
		}
		if n := ownCgroups(t); n != want {
			t.Errorf("%d cgroups while a program runs, want %d", n, want)
		}
		p.Kill()
		if _, err := p.Wait(); err != nil {
			t.Fatal(err)
		}
		if n := ownCgroups(t); n != 0 {
			t.Errorf("%d cgroups after its end", n)
		}
	})
}

func ownCgroups(t *testing.T) (count int) {
	t.Helper()
	mount, _ := cgroupMount()
	if mount == "" {
		return 0
	}
	err := filepath.WalkDir(mount, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), cgroupPrefix+Owner()+"-") {
			count++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// A cgroup in which a program made others, and hid in one, goes all the same.
func TestCgroupsBelow(t *testing.T) {
	back, err := choose("cgroup")
	if err != nil {
		t.Skip(err)
	}
	defer back()
	m := mark(t)
	mount, _ := cgroupMount()
	script := fmt.Sprintf("own=%s$(sed -n s/^0:://p /proc/self/cgroup); mkdir -p $own/a/b || exit 1;"+
		" (echo 0 >$own/a/b/cgroup.procs; exec setsid sleep %s) & sleep 0.1; echo done", mount, m)
	got, out := shell(t, Spec{}, script)
	if got != (Result{}) || out != "done\n" {
		t.Errorf("got %v and %q", got, out)
	}
	wantNone(t, m)
	if n := ownCgroups(t); n != 0 {
		t.Errorf("%d cgroups left", n)
	}
}

func TestParseMount(t *testing.T) {
	tests := []struct {
		line, mount, root string
		ok                bool
	}{
		{"40 30 0:37 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw", "/sys/fs/cgroup/unified", "/", true},
		{"29 22 0:26 /docker/abc /sys/fs/cgroup ro,nosuid shared:4 master:5 - cgroup2 cgroup rw,nsdelegate", "/sys/fs/cgroup", "/docker/abc", true},
		{"31 30 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu", "", "", false},
		{"22 1 8:1 / / rw - ext4 /dev/sda1 rw", "", "", false},
		{"", "", "", false},
		{" - cgroup2 x", "", "", false},
	}
	for _, test := range tests {
		mount, root, ok := parseMount(test.line)
		if mount != test.mount || root != test.root || ok != test.ok {
			t.Errorf("%q: got %q, %q, %t", test.line, mount, root, ok)
		}
	}
}

func TestCgroupOwner(t *testing.T) {
	for name, want := range map[string]string{
		cgroupPrefix + Owner() + "-12": Owner(),
		"verbatim-a.b.c.d-e-1":         "a.b.c.d-e",
		"verbatim-":                    "",
		"verbatim-1":                   "",
		"docker":                       "",
	} {
		if owner, ours := cgroupOwner(name); owner != want || ours != (want != "") {
			t.Errorf("%s: got %q, %t", name, owner, ours)
		}
	}
}

// BenchmarkStart is what a program costs beyond its own run.
func BenchmarkStart(b *testing.B) {
	for _, way := range ways {
		b.Run(way, func(b *testing.B) {
			back, err := choose(way)
			if err != nil {
				b.Skip(err)
			}
			defer back()
			for b.Loop() {
				p, err := Start(b.Context(), Spec{Args: []string{"/bin/true"}})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Wait(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("os exec", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
