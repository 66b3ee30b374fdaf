//go:build linux

package main

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// flipping is a site in one of two states, "one" and "two", that differ in what
// both examples print, and in a lesson that only the second has.
const flipping = `
-- content/a.md --
# A

~~~output {of=x}
~~~

~~~output {of=y}
~~~
-- examples/x/example.yaml --
run: sh main.sh
needs: none
-- examples/y/example.yaml --
run: sh main.sh
needs: none
`

// flip makes the author's files those of a state; fences stay as they are.
func flip(t *testing.T, site, state string) {
	t.Helper()
	writeTree(t, site, `
-- examples/x/main.sh --
seq -s, 1 2000 | sed 's/^/`+state+` /'
echo "n=`+state+`" >"$VERBATIM_VALUES"
-- examples/y/main.sh --
echo "`+state+`"
printf 'state\n`+state+`\n' >"$VERBATIM_RECORD/t.csv"
`)
	lesson := filepath.Join(site, "content/b.md")
	if state == "two" {
		writeTree(t, site, "-- content/b.md --\n# B\n")
	} else if err := os.Remove(lesson); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// A build that is killed at any instant leaves each file whole, old or new, and
// the next build completes it.
func TestKilledAtAnyInstant(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 20
	}
	site := t.TempDir()
	writeTree(t, site, flipping)
	states := []string{"one", "two"}
	var files []map[string]string
	var took time.Duration
	for _, state := range states {
		flip(t, site, state)
		began := time.Now()
		wantClean(t, site)
		took = time.Since(began)
		files = append(files, written(t, site))
	}
	if maps.Equal(files[0], files[1]) {
		t.Fatal("the two states of the site are the same")
	}
	random := rand.New(rand.NewPCG(4, 2))
	old, mixed := 0, 0
	for i := range kills {
		now := i / 2 % 2
		flip(t, site, states[now])
		if i%2 == 0 {
			killBuild(t, site, func() { time.Sleep(time.Duration(random.Float64() * 1.2 * float64(took))) })
		} else {
			killBuild(t, site, func() {
				waitForWrite(site)
				time.Sleep(time.Duration(random.IntN(8000)) * time.Microsecond)
			})
		}
		got := written(t, site)
		wantWhole(t, got, files[now], files[1-now])
		switch {
		case sameButSources(got, files[1-now]):
			old++
		case !sameButSources(got, files[now]):
			mixed++
		}
		if i%4 == 3 {
			wantClean(t, site)
			if got := written(t, site); !maps.Equal(got, files[now]) {
				t.Errorf("the next build did not complete the site")
			}
		}
		if i%20 == 19 {
			wantClean(t, site, "-check")
		}
		if t.Failed() {
			t.Fatalf("at kill %d", i)
		}
	}
	t.Logf("%d kills: %d left the old site, %d old and new files, %d the new site", kills, old, mixed, kills-old-mixed)
}

// killBuild starts a build and kills it when wait returns.
func killBuild(t *testing.T, site string, wait func()) {
	t.Helper()
	cmd := exec.Command("build", "-C", site)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait()
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// waitForWrite waits until the build begins to write, or for a moment: one that
// finds nothing to do never does.
func waitForWrite(site string) {
	for until := time.Now().Add(2 * time.Second); time.Now().Before(until); time.Sleep(200 * time.Microsecond) {
		if aside, _ := filepath.Glob(filepath.Join(site, "examples/*/recorded/.verbatim-aside-*")); len(aside) > 0 {
			return
		}
	}
}

func wantClean(t *testing.T, site string, flags ...string) {
	t.Helper()
	if out, err := exec.Command("build", append([]string{"-C", site}, flags...)...).CombinedOutput(); err != nil {
		t.Fatalf("build %v: %v\n%s", flags, err, out)
	}
}

var date = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)

// written reads every file that a build writes or reads; dates count as equal,
// for a night may come while the test runs.
func written(t *testing.T, site string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, dir := range []string{"content", "examples", "public"} {
		err := filepath.WalkDir(filepath.Join(site, dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			files[strings.TrimPrefix(name, site+"/")] = string(date.ReplaceAll(text, []byte("DATE")))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// wantWhole wants each file to be as it is in one of two states, absence
// included, but for those on the way to their place.
func wantWhole(t *testing.T, got, a, b map[string]string) {
	t.Helper()
	names := slices.Collect(maps.Keys(got))
	names = slices.AppendSeq(names, maps.Keys(a))
	names = slices.AppendSeq(names, maps.Keys(b))
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), ".verbatim-aside-") || name == "public/.verbatim" {
			continue // the list may name files of both states; the next build settles it
		}
		have, there := got[name]
		inA, isA := a[name]
		inB, isB := b[name]
		if have == inA && there == isA || have == inB && there == isB {
			continue
		}
		t.Errorf("%s is neither the old file nor the new one (%d bytes)", name, len(have))
	}
}

// sameButSources compares what builds write.
func sameButSources(a, b map[string]string) bool {
	builds := func(files map[string]string) map[string]string {
		kept := map[string]string{}
		for name, text := range files {
			if strings.Contains(name, "/recorded/") || strings.HasPrefix(name, "public/") || name == "content/a.md" {
				kept[name] = text
			}
		}
		return kept
	}
	return maps.Equal(builds(a), builds(b))
}

// A disk that fills up while a run is recorded is exit 3; the record, the
// lesson and the site stay as they were, and there is room again.
func TestDiskFullWhileRecording(t *testing.T) {
	site := t.TempDir()
	limit := smallDisk(t, site)
	writeTree(t, site, flipping)
	flip(t, site, "one")
	wantClean(t, site)
	before := written(t, site)
	writeTree(t, site, "-- examples/y/main.sh --\nseq 1 120000\n") // 0.7 MB, under the limit for output
	large := written(t, site)
	cmd := exec.Command("sh", "-c", limit+`exec build -C "$1"`, "sh", site)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("the build ended with %v, want exit code 3; it said:\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("no space left on device")) && !bytes.Contains(out, []byte("file too large")) {
		t.Errorf("the build does not say why:\n%s", out)
	}
	after := written(t, site)
	if !maps.Equal(after, large) || !sameButSources(after, before) {
		t.Error("files changed, or were left on the way to their place")
	}
	flip(t, site, "two")
	wantClean(t, site)
	wantClean(t, site, "-check")
}

// A disk that fills up while a program is compiled is exit 3: it is no mistake of
// the program's author.
func TestDiskFullWhileCompiling(t *testing.T) {
	site := t.TempDir()
	if limit := smallDisk(t, site); limit != "" {
		t.Skip("there is no small disk")
	}
	writeTree(t, site, `
-- go.mod --
module site.example

go 1.24
-- content/a.md --
# A

~~~output {of=x}
~~~
-- examples/x/example.yaml --
needs: none
-- examples/x/main.go --
package main

import "fmt"

func main() { fmt.Println("hello") }
`)
	cmd := exec.Command("build", "-C", site)
	out, _ := cmd.CombinedOutput() // its exit code says more
	if code := cmd.ProcessState.ExitCode(); code != 3 || !bytes.Contains(out, []byte("no space left on device")) {
		t.Errorf("exit code %d, want 3 and the reason; it said:\n%s", code, out)
	}
}

// smallDisk puts a disk of a megabyte at dir, or where that is not allowed gives
// a shell command that limits the size of files.
func smallDisk(t *testing.T, dir string) (limit string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m,mode=755"); err != nil {
		t.Logf("no small disk (%v): limiting the size of files instead", err)
		return "ulimit -f 1000; "
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("take the small disk away: %v", err)
		}
	})
	return ""
}
