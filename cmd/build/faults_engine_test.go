//go:build linux

package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// engineLost is a site with an example that waits until the engine is gone, and
// then does what is written in "then". It speaks HTTP and RESP through bash.
const engineLost = `
-- content/a.md --
# A

~~~output {of=x}
~~~

~~~output {of=y}
~~~
-- examples/y/example.yaml --
run: sh -c 'echo fine'
-- examples/x/example.yaml --
run: bash main.sh
env:
  GONE: %GONE%
-- examples/x/main.sh --
touch "$TMPDIR/ready"
until [ -e "$GONE" ]; do sleep 0.05; done
control() {
	address=${VERBATIM_CONTROL#http://}
	exec 3<>"/dev/tcp/${address%%:*}/$(expr "$address" : '[^:]*:\([0-9]*\)')"
	printf 'POST /%s/%s HTTP/1.0\r\nHost: localhost\r\n\r\n' "${address#*/}" "$1" >&3
	head -n 1 <&3 | tr -d '\r'
}
redis() {
	address=${REDIS_URL#*@127.0.0.1:}
	password=${REDIS_URL#*default:}
	exec 3<>"/dev/tcp/127.0.0.1/${address%/0}"
	printf 'AUTH %s\r\n%s\r\n' "${password%%@*}" "$1" >&3
	head -n 2 <&3 | tail -n 1 | tr -d '\r'
}
`

// An engine that goes away while examples run ends nothing that does not need
// it, hangs nothing, and what it still holds the next build takes away.
func TestEngineGoneMidRun(t *testing.T) {
	socket, image := engine(t)
	tests := []struct {
		name, then string
		code       int
		says       string
	}{
		{"not needed", `redis PING`, 0, "a Redis may run on until the next build"},
		{"needed by the example", `control stop | grep -v ' 204 ' >&2; exit 5`, 1, `example "x": exit code 5`},
		{"needed for the next example", `redis "SHUTDOWN NOSAVE"; echo gone`, 3, "start redis:"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			site := t.TempDir()
			gone := filepath.Join(site, "gone")
			writeTree(t, site, strings.Replace(engineLost, "%GONE%", gone, 1)+test.then+"\n")
			proxy := newCut(t, socket)
			build := exec.Command("build", "-C", site, "-j", "1", "-redis", "container", "-image", image)
			temporary := t.TempDir()
			build.Env = append(os.Environ(), "TMPDIR="+temporary, "DOCKER_HOST=unix://"+proxy.listener.Addr().String())
			said := &strings.Builder{}
			build.Stdout, build.Stderr = said, said
			if err := build.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the example to run", func() bool { return len(readyIn(temporary)) > 0 })
			proxy.now()
			writeTree(t, site, "-- gone --\n")
			_ = build.Wait() // its exit code says more
			if code := build.ProcessState.ExitCode(); code != test.code || !strings.Contains(said.String(), test.says) {
				t.Errorf("exit code %d, want %d and %q; it said:\n%s", code, test.code, test.says, said)
			}
			if left := containersOf(t, build.Process.Pid); len(left) != 1 {
				t.Errorf("%d containers of the build, want the one that it could not remove", len(left))
			}
			writeTree(t, site, "-- examples/x/example.yaml --\nrun: sh -c 'echo fine'\n")
			if out, err := exec.Command("build", "-C", site, "-redis", "container", "-image", image).CombinedOutput(); err != nil {
				t.Errorf("the next build: %v\n%s", err, out)
			}
			if left := containersOf(t, build.Process.Pid); len(left) != 0 {
				t.Errorf("left after the next build: %q", left)
			}
		})
	}
}

// An engine that lacks the image and cannot pull it is said once by auto, which
// takes the next kind.
func TestImageMissing(t *testing.T) {
	engine(t)
	if !have(t, "redis", "redis-server") {
		t.Skip("there is no redis-server on PATH")
	}
	site := t.TempDir()
	writeTree(t, site, "-- content/a.md --\n# A\n\n~~~output {of=x}\n~~~\n-- examples/x/example.yaml --\nrun: sh -c 'echo fine'\n")
	const image = "127.0.0.1:1/no/redis:1"
	out, err := exec.Command("build", "-C", site, "-image", image).CombinedOutput()
	if err != nil || strings.Count(string(out), "no Redis as container") != 1 || !strings.Contains(string(out), "registry 127.0.0.1:1") {
		t.Errorf("auto: %v\n%s", err, out)
	}
	check := exec.Command("build", "-C", site, "-check", "-redis", "container", "-image", image)
	out, _ = check.CombinedOutput() // the exit code says it
	if code := check.ProcessState.ExitCode(); code != 3 || !strings.Contains(string(out), "registry 127.0.0.1:1") {
		t.Errorf("-redis container: exit code %d, want 3\n%s", code, out)
	}
}

// containersOf lists the containers that a process of this machine owns.
func containersOf(t *testing.T, pid int) []string {
	t.Helper()
	out, err := exec.Command("docker", "ps", "-a", "--format", `{{.ID}} {{.Label "verbatim.owner"}}`).Output()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		_, owner, _ := strings.Cut(strings.TrimSpace(line), " ")
		if fields := strings.Split(owner, "."); len(fields) == 4 && fields[2] == strconv.Itoa(pid) {
			found = append(found, line)
		}
	}
	return found
}

// engine returns the socket of a Docker engine and an image that it has.
func engine(t *testing.T) (socket, image string) {
	t.Helper()
	lacking := func(why string) {
		if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), "docker") {
			t.Fatalf("VERBATIM_REQUIRE names docker, but %s", why)
		}
		t.Skipf("needs docker: %s", why)
	}
	socket = "/var/run/docker.sock"
	if named, ok := strings.CutPrefix(os.Getenv("DOCKER_HOST"), "unix://"); ok {
		socket = named
	}
	if _, err := os.Stat(socket); err != nil {
		lacking("there is no socket of an engine")
	}
	images := []string{"redis:7.0.15", "verbatim/redis:debian"}
	if named := os.Getenv("VERBATIM_REDIS_IMAGE"); named != "" {
		images = []string{named}
	}
	for _, image := range images {
		if exec.Command("docker", "image", "inspect", image).Run() == nil {
			return socket, image
		}
	}
	lacking("docker has none of the images " + strings.Join(images, ", "))
	return "", ""
}

// cut is a socket of an engine that can be taken away. No test touches the
// engine itself.
type cut struct {
	listener net.Listener
	engine   string

	mu    sync.Mutex
	gone  bool
	conns []net.Conn
}

func newCut(t *testing.T, engine string) *cut {
	t.Helper()
	dir, err := os.MkdirTemp("", "engine") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	c := &cut{listener: l, engine: engine}
	t.Cleanup(c.now)
	go c.serve()
	return c
}

func (c *cut) serve() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		engine, err := net.Dial("unix", c.engine)
		if err != nil || !c.keep(client, engine) {
			client.Close()
			continue
		}
		go func() { _, _ = io.Copy(engine, client); engine.Close() }()
		go func() { _, _ = io.Copy(client, engine); client.Close() }()
	}
}

func (c *cut) keep(conns ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns = append(c.conns, conns...)
	return !c.gone
}

// now takes the engine away.
func (c *cut) now() {
	c.listener.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for _, conn := range c.conns {
		conn.Close()
	}
}
