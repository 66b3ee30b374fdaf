//go:build linux

package main

import (
	"bytes"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// served is a site with an example that was never run and a fence that is out
// of date: a build would write both.
const served = `
-- content/index.md --
# Home

- [A](a.md)
-- content/a.md --
# A

~~~output {of=x}
old lines
~~~
-- examples/x/example.yaml --
run: sh -c 'echo new lines'
needs: none
`

// screen is a terminal that can be read while it is written.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) shows(pattern string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return regexp.MustCompile(pattern).Match(s.text.Bytes())
}

// While a site is served nothing of it is written, a build of it is not held
// up, and its records are taken over; ^C leaves nothing and is no failure.
func TestServe(t *testing.T) {
	site := t.TempDir()
	writeTree(t, site, served)
	before := files(t, site)
	server, said := exec.Command("build", "-C", site, "-serve", "localhost:0"), &screen{}
	server.Stderr = said
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer server.Process.Kill()
	waitFor(t, "an address", func() bool { return said.shows(`http://127\.0\.0\.1:\d+/`) })
	waitFor(t, "the example", func() bool { return said.shows(`example x: not recorded yet`) })
	writeTree(t, site, "-- content/a.md --\n# A\n\nMore.\n\n~~~output {of=x}\nold lines\n~~~\n")
	waitFor(t, "the edit", func() bool { return said.shows(`content/a\.md.*: \d+ files? changed`) })
	after := files(t, site)
	name := filepath.Join(site, "content", "a.md")
	before[name] = after[name]
	if !maps.EqualFunc(before, after, bytes.Equal) {
		t.Error("serving wrote to the site")
	}
	if out, err := exec.Command("build", "-C", site).CombinedOutput(); err != nil || !strings.Contains(string(out), "1 ran") {
		t.Errorf("a build meanwhile: %v\n%s", err, out)
	}
	waitFor(t, "what the build wrote", func() bool {
		// The lesson and the record may come in one batch, or one after the other.
		return said.shows(`(recorded|content/a\.md and \d+ more).*: \d+ files? changed`)
	})
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("^C: %v\n%s", err, said.text.String())
	}
	if left, _ := filepath.Glob(filepath.Join(site, ".cache/tmp/*/*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// The second server of a port says so.
func TestServePortTaken(t *testing.T) {
	site := t.TempDir()
	writeTree(t, site, served)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	command := exec.Command("build", "-C", site, "-serve", listener.Addr().String())
	out, _ := command.CombinedOutput() // the exit code says it
	if code := command.ProcessState.ExitCode(); code != 3 || !strings.Contains(string(out), "the port is taken") {
		t.Errorf("exit code %d, want 3\n%s", code, out)
	}
}
