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

// A build that is interrupted leaves no process behind; what one leaves that is
// killed without a chance to clean up, the next build ends.
func TestNothingIsLeftBehind(t *testing.T) {
	if !have(t, "redis", "redis-server") {
		t.Skip("there is no redis-server on PATH")
	}
	for name, signal := range map[string]syscall.Signal{"interrupt": syscall.SIGINT, "kill": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			site := t.TempDir()
			writeTree(t, site, sleeper)
			cmd := exec.Command("build", "-C", site, "-redis", "process")
			output := &strings.Builder{}
			cmd.Stdout, cmd.Stderr = output, output
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the example to run", func() bool {
				ready, _ := filepath.Glob(filepath.Join(site, ".cache/tmp/*/run-*/tmp/ready"))
				return len(ready) == 1
			})
			if n := len(processesIn(t, site)); n < 3 {
				t.Fatalf("%d processes run in the site; want the example, its grandchild and Redis", n)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			err := cmd.Wait()
			if signal == syscall.SIGINT && cmd.ProcessState.ExitCode() != 3 {
				t.Errorf("the interrupted build ended with %v, want exit code 3; it said:\n%s", err, output)
			}
			if signal == syscall.SIGINT && len(processesIn(t, site)) > 0 {
				t.Errorf("processes left: %q", processesIn(t, site))
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

// processesIn lists the living processes that work in a folder below dir.
func processesIn(t *testing.T, dir string) []string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, link := range links {
		// A dead process that nobody has waited for has no folder any more.
		if cwd, err := os.Readlink(link); err == nil && strings.HasPrefix(cwd, real+"/") {
			found = append(found, link+" → "+cwd)
		}
	}
	return found
}
