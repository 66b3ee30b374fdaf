package service

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"verbatim/internal/proc"
)

func TestPublishedHost(t *testing.T) {
	t.Setenv("TESTCONTAINERS_HOST_OVERRIDE", "")
	tests := []struct{ at, want string }{
		{"unix:///var/run/docker.sock", "127.0.0.1"},
		{"tcp://10.0.0.7:2376", "10.0.0.7"},
		{"tcp://[::1]:2375", "::1"},
		{"tcp://engine.example:2376", "engine.example"},
		{"ssh://me@host", ""},
		{"nonsense", ""},
	}
	for _, test := range tests {
		got, err := publishedHost(test.at)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: got %q, %v", test.at, got, err)
		}
	}
}

func TestRegistry(t *testing.T) {
	for image, want := range map[string]string{
		"redis:7.0.15":                 "docker.io",
		"verbatim/redis:debian":        "docker.io",
		"ghcr.io/a/b:1":                "ghcr.io",
		"localhost/redis":              "localhost",
		"127.0.0.1:5000/redis@sha256:": "127.0.0.1:5000",
	} {
		if got := registry(image); got != want {
			t.Errorf("%s: got %q, want %q", image, got, want)
		}
	}
}

// An engine that is named and is not there is refused, though the machine may
// well have another.
func TestNoSilentFallback(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "docker.sock")
	for _, at := range []string{"unix://" + gone, "tcp://127.0.0.1:1", "ssh://nobody@127.0.0.1"} {
		t.Setenv("DOCKER_HOST", at)
		_, err := Open(t.Context(), Options{Kind: "container", Image: "redis:7.0.15", Cache: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: got %v, want an error that names it", at, err)
		}
	}
}

// An engine that accepts and never answers is given up after a second.
func TestSilentEngine(t *testing.T) {
	// Not t.TempDir: a socket's path is short.
	dir, err := os.MkdirTemp("", "engine")
	must(t, err)
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", dir+"/s")
	must(t, err)
	defer l.Close()
	go func() {
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}()
	t.Setenv("DOCKER_HOST", "unix://"+dir+"/s")
	_, err = Open(t.Context(), Options{Kind: "container", Image: "redis:7.0.15", Cache: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "no answer within a second") {
		t.Errorf("got %v", err)
	}
}

// What auto does where parts are missing: PATH and DOCKER_HOST decide.
func TestAuto(t *testing.T) {
	gone := "unix://" + filepath.Join(t.TempDir(), "docker.sock")
	tests := []struct {
		name, engine, path string
		want               string
		said               string
	}{
		{"engine refuses", gone, os.Getenv("PATH"), "process", gone},
		{"neither", gone, "", "embedded", "redis-server is not there on PATH"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.want == "process" {
				needRedis(t)
			}
			t.Setenv("DOCKER_HOST", test.engine)
			t.Setenv("PATH", test.path)
			var said []string
			s := open(t, Options{Cache: t.TempDir(), Image: "redis:7.0.15", Say: func(format string, args ...any) {
				said = append(said, fmt.Sprintf(format, args...))
			}})
			if s.Kind() != test.want {
				t.Errorf("got %s, want %s", s.Kind(), test.want)
			}
			if all := strings.Join(said, "\n"); !strings.Contains(all, test.said) {
				t.Errorf("said %q, want a line with %q", all, test.said)
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	t.Setenv("PATH", "")
	for kind, want := range map[string]string{
		"process": "install it",
		"redis":   "auto, container, process or embedded",
	} {
		_, err := Open(t.Context(), Options{Kind: kind, Cache: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", kind, err, want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("^C")
	cancel(why)
	if _, err := Open(ctx, Options{Cache: t.TempDir()}); !errors.Is(err, why) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// An image that no registry gives is asked for again, then the error names the
// registry and what to do; auto asks once and moves on.
func TestImageMissing(t *testing.T) {
	needEngine(t)
	needRedis(t)
	var pulls int
	var said []string
	o := Options{
		Kind: "container", Image: "127.0.0.1:1/redis:none", Cache: t.TempDir(),
		Say: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) },
		Progress: func(format string, _ ...any) {
			if strings.HasPrefix(format, "pulling") {
				pulls++
			}
		},
	}
	_, err := Open(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") || !strings.Contains(err.Error(), "-redis process") {
		t.Errorf("got %v", err)
	}
	if pulls != pullTries {
		t.Errorf("pulled %d times, want %d", pulls, pullTries)
	}
	o.Kind, pulls = "auto", 0
	s := open(t, o)
	if s.Kind() != "process" || pulls != 1 || len(said) != 1 {
		t.Errorf("auto took %s after %d pulls and said %q", s.Kind(), pulls, said)
	}
}

// An image whose program ends at once is an error that says how it ended.
func TestContainerThatEnds(t *testing.T) {
	e, image := needEngine(t)
	s := &containerServer{engine: e, image: image, args: []string{"--no-such-option", "1"}}
	r := &Redis{server: s}
	defer func() { must(t, s.close(t.Context())) }()
	_, err := r.startServer(t.Context())
	if err == nil || !strings.Contains(err.Error(), "ended with code 1") {
		t.Errorf("got %v", err)
	}
}

// containers counts those with our label.
func containers(t *testing.T, e *engine) int {
	t.Helper()
	found, err := e.client.ContainerList(t.Context(), client.ContainerListOptions{
		All: true, Filters: make(client.Filters).Add("label", ownerLabel+"="+proc.Owner()),
	})
	must(t, err)
	return len(found.Items)
}

// TestKilledBuild: what kill -9 of a build leaves, the next build takes away,
// and before that it touches nothing.
func TestKilledBuild(t *testing.T) {
	for _, kind := range []string{"container", "process"} {
		t.Run(kind, func(t *testing.T) {
			o := options(t, kind)
			build, address := startBuild(t, o, os.Environ())
			sweepFor(t, o)
			if c, err := dial(t, address); err != nil {
				t.Errorf("the sweep touched a living build: %v", err)
			} else {
				c.Close()
			}
			must(t, build.Process.Kill())
			_ = build.Wait() // killed
			sweepFor(t, o)
			wantRefused(t, o, address)
		})
	}
}

// startBuild runs testBuild and reads the URL that it prints.
func startBuild(t *testing.T, o Options, env []string) (*exec.Cmd, string) {
	t.Helper()
	build := exec.Command(os.Args[0], "test-build", o.Kind, o.Image, o.Cache)
	build.Env = env
	out, err := build.StdoutPipe()
	must(t, err)
	in, err := build.StdinPipe()
	must(t, err)
	must(t, build.Start())
	t.Cleanup(func() {
		in.Close()       // a build that still lives ends by itself and leaves nothing
		_ = build.Wait() // it may have been killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "redis://") {
		t.Fatalf("the build said %q, %v", line, err)
	}
	return build, strings.TrimSpace(line)
}

// TestEngineElsewhere reaches the engine through an address of its own, as
// DOCKER_HOST=tcp://… does: its ports are there too, not on loopback.
func TestEngineElsewhere(t *testing.T) {
	o := options(t, "container")
	socket, err := url.Parse(engineSocket())
	must(t, err)
	if socket.Path == "" {
		lacking(t, "docker", "the engine has no socket here")
	}
	hosts := []string{"127.0.0.1"}
	if own := ownAddress(t); own != "" {
		hosts = append(hosts, own)
	}
	for _, host := range hosts {
		l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
		must(t, err)
		t.Cleanup(func() { l.Close() }) // after the build has ended
		go forward(l, socket.Path)
		_, address := startBuild(t, o, append(os.Environ(), "DOCKER_HOST=tcp://"+l.Addr().String()))
		c, err := dial(t, address)
		must(t, err)
		c.Close()
	}
}

// ownAddress is an address of this machine that is not loopback, or "".
func ownAddress(t *testing.T) string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	must(t, err)
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && ip.IP.IsGlobalUnicast() {
			return ip.IP.String()
		}
	}
	return ""
}

func forward(l net.Listener, socket string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s, err := net.Dial("unix", socket)
		if err != nil {
			c.Close()
			continue
		}
		go func() { _, _ = io.Copy(s, c); s.Close() }()
		go func() { _, _ = io.Copy(c, s); c.Close() }()
	}
}

// sweepFor does what the next build does first.
func sweepFor(t *testing.T, o Options) {
	t.Helper()
	if o.Kind == "container" {
		e, _ := needEngine(t)
		must(t, e.sweep(t.Context()))
		return
	}
	must(t, proc.Sweep(o.Cache))
}

// wantRefused waits until nothing of a killed build is left.
func wantRefused(t *testing.T, o Options, address string) {
	t.Helper()
	if o.Kind == "container" {
		e, _ := needEngine(t)
		found, err := e.client.ContainerList(t.Context(), client.ContainerListOptions{
			All: true, Filters: make(client.Filters).Add("label", ownerLabel),
		})
		must(t, err)
		for _, c := range found.Items {
			if proc.OwnerGone(c.Labels[ownerLabel]) {
				t.Errorf("container %s is still there", c.ID[:12])
			}
		}
	} else if entries, err := os.ReadDir(filepath.Join(o.Cache, "tmp")); err != nil || len(entries) != 0 {
		t.Errorf("scratch folders left: %v, %v", entries, err)
	}
	if _, err := dial(t, address); err == nil {
		t.Error("something still answers at the address of the killed build")
	}
}
