//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// sleeper is a site whose example waits on a Redis, with a detached grandchild.
const sleeper = `
-- content/a.md --
# A

~~~output {of=x}
old
~~~
-- examples/x/example.yaml --
run: sh main.sh
-- examples/x/main.sh --
setsid sleep 600 &
echo ready > "$TMPDIR/ready"
sleep 600
`

// startSleeper builds that site and returns when its example runs. Programs run
// below temporary, which is outside of the site.
func startSleeper(t *testing.T, args ...string) (cmd *exec.Cmd, site, temporary string, output *strings.Builder) {
	t.Helper()
	site, temporary, output = t.TempDir(), t.TempDir(), &strings.Builder{}
	writeTree(t, site, sleeper)
	cmd = exec.Command("build", append([]string{"-C", site}, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the example to run", func() bool { return len(readyIn(temporary)) == 1 })
	return cmd, site, temporary, output
}

// readyIn lists the files by which examples say that they run.
func readyIn(temporary string) []string {
	ready, _ := filepath.Glob(filepath.Join(temporary, "verbatim-*/tmp/*/run-*/tmp/ready")) // well formed
	return ready
}

// What a build leaves that is killed in mid-example is gone soon: programs and
// servers within two seconds, containers within five.
func TestKilledBuildIsCleanedUp(t *testing.T) {
	for _, kind := range []string{"process", "container"} {
		t.Run(kind, func(t *testing.T) {
			args := []string{"-redis", kind}
			if kind == "container" {
				_, image := engine(t)
				args = append(args, "-image", image)
			} else if !have(t, "redis", "redis-server") {
				t.Skip("there is no redis-server on PATH")
			}
			cmd, site, temporary, output := startSleeper(t, args...)
			running := func() []string { return processesIn(t, site, temporary) }
			if n := len(running()); n < 2 {
				t.Fatalf("%d processes run, want the example and its grandchild at least", n)
			}
			if kind == "container" && len(containersOf(t, cmd.Process.Pid)) != 1 {
				t.Fatal("no container of the build is there")
			}
			killed := time.Now()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			wantGone := func(what string, within time.Duration, left func() []string) {
				for len(left()) > 0 && time.Since(killed) < within {
					time.Sleep(20 * time.Millisecond)
				}
				if left := left(); len(left) > 0 {
					t.Errorf("%s after the kill there are still %s: %q; the build said:\n%s", within, what, left, output)
				}
			}
			wantGone("processes", 2*time.Second, running)
			if kind == "container" {
				wantGone("containers", 5*time.Second, func() []string { return containersOf(t, cmd.Process.Pid) })
			}
			writeTree(t, site, "-- examples/x/main.sh --\necho done\n")
			next := exec.Command("build", append([]string{"-C", site}, args...)...)
			next.Env = cmd.Env
			if out, err := next.CombinedOutput(); err != nil {
				t.Fatalf("the next build: %v\n%s", err, out)
			}
			for _, pattern := range []string{site + "/.cache/tmp/*", temporary + "/verbatim-*/tmp/*"} {
				if left, _ := filepath.Glob(pattern); len(left) > 0 {
					t.Errorf("left after the next build: %q", left)
				}
			}
		})
	}
}

// An example that kills its parent, or every process, is that example's failure:
// the build goes on.
func TestExampleThatKillsTheBuild(t *testing.T) {
	for _, kill := range []string{"kill -9 $PPID", "kill -TERM $PPID", "kill -9 -1", "kill -9 -$(ps -o pgid= -p $PPID | tr -d ' ')",
		"kill -0 $PPID && kill -KILL $PPID", `exec python3 -c "import os; os.kill(os.getppid(), 9)"`,
		`exec perl -e "kill 9, getppid"`} {
		site := t.TempDir()
		writeTree(t, site, `
-- content/a.md --
# A

~~~output {of=bad}
~~~

~~~output {of=good}
~~~
-- examples/bad/example.yaml --
run: sh main.sh
needs: none
-- examples/bad/main.sh --
`+kill+`
echo survived
-- examples/good/example.yaml --
run: sh -c 'kill -0 $PPID && sleep 0.1; echo good'
needs: none
`)
		cmd := exec.Command("build", "-C", site)
		out, _ := cmd.CombinedOutput() // its exit code says more
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(out), `example "bad"`) || strings.Contains(string(out), `example "good"`) {
			t.Errorf("%s: exit code %d, want 1 and a problem of that example alone; it said:\n%s", kill, code, out)
		}
	}
}

// An example finds nothing of the site's root above its folder.
func TestExampleRunsOutsideTheSite(t *testing.T) {
	site := t.TempDir()
	writeTree(t, site, `
-- content/a.md --
# A

~~~output {of=x}
~~~
-- node_modules/left/index.js --
-- examples/x/example.yaml --
run: sh main.sh
needs: none
-- examples/x/main.sh --
dir=$PWD
while [ "$dir" != / ]; do
	[ -e "$dir/node_modules" ] && echo "found $dir/node_modules"
	[ -e "$dir/content/a.md" ] && echo "found $dir"
	dir=$(dirname "$dir")
done
echo searched
`)
	wantClean(t, site)
	text, err := os.ReadFile(filepath.Join(site, "examples/x/recorded/output.txt"))
	if err != nil || string(text) != "searched\n" {
		t.Errorf("the example printed %q, %v", text, err)
	}
}

// A build that is interrupted leaves no process behind; what one leaves that is
// killed without a chance to clean up, the next build ends.
func TestNothingIsLeftBehind(t *testing.T) {
	if !have(t, "redis", "redis-server") {
		t.Skip("there is no redis-server on PATH")
	}
	for name, signal := range map[string]syscall.Signal{"interrupt": syscall.SIGINT, "kill": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			cmd, site, temporary, output := startSleeper(t, "-redis", "process")
			if n := len(processesIn(t, site, temporary)); n < 3 {
				t.Fatalf("%d processes run in the site; want the example, its grandchild and Redis", n)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if signal == syscall.SIGINT && cmd.ProcessState.ExitCode() != 3 {
				t.Errorf("the interrupted build ended with %v, want exit code 3; it said:\n%s", err, output)
			}
			if left := processesIn(t, site, temporary); signal == syscall.SIGINT && len(left) > 0 {
				t.Errorf("processes left: %q", left)
			}

			if err := os.WriteFile(filepath.Join(site, "examples/x/main.sh"), []byte("echo done\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("build", "-C", site, "-redis", "process").CombinedOutput(); err != nil {
				t.Fatalf("the next build: %v\n%s", err, out)
			}
			if left, _ := filepath.Glob(filepath.Join(site, ".cache/tmp/*")); len(left) > 0 {
				t.Errorf("left after the next build: %q", left)
			}
			if left := processesIn(t, site); len(left) > 0 {
				t.Errorf("processes left after the next build: %q", left)
			}
		})
	}
}

// A second build of the same tree waits for the first; both end well.
func TestTwoBuildsAtOnce(t *testing.T) {
	site := t.TempDir()
	writeTree(t, site, `
-- content/a.md --
# A

~~~output {of=x}
~~~
-- examples/x/example.yaml --
run: sh main.sh
needs: none
-- examples/x/main.sh --
sleep 0.5
echo done
`)
	const builds = 4
	outputs := make(chan string, builds)
	for range builds {
		go func() {
			out, err := exec.Command("build", "-C", site).CombinedOutput()
			if err != nil {
				out = append(out, err.Error()...)
			}
			outputs <- string(out)
		}()
	}
	ran := 0
	for range builds {
		out := <-outputs
		if !strings.Contains(out, "0 problems") {
			t.Errorf("a build failed:\n%s", out)
		}
		if strings.Contains(out, "(1 ran)") {
			ran++
		}
	}
	if ran != 1 {
		t.Errorf("%d builds ran the example, want the first alone", ran)
	}
	if out, err := exec.Command("build", "-C", site, "-check").CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, out)
	}
}

// writeTree writes the files of a txtar archive below dir.
func writeTree(t *testing.T, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		file := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// waitFor waits until something that must happen has happened.
func waitFor(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if happened() {
			return
		}
	}
	t.Fatalf("waited 2 minutes for %s", what)
}

// processesIn returns the living processes whose working directory is below one of dirs.
func processesIn(t *testing.T, dirs ...string) (found []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range links {
			// A zombie has no working directory.
			if cwd, err := os.Readlink(link); err == nil && strings.HasPrefix(cwd, real+"/") {
				found = append(found, link+" → "+cwd)
			}
		}
	}
	return found
}
