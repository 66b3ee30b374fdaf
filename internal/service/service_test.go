package service

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"verbatim/internal/proc"
)

// TestMain lets this binary be a supervisor, and a build that is killed.
func TestMain(m *testing.M) {
	proc.Supervise(nil)
	if len(os.Args) == 5 && os.Args[1] == "test-build" {
		os.Exit(testBuild(os.Args[2], os.Args[3], os.Args[4]))
	}
	os.Exit(m.Run())
}

// testBuild starts a Redis, prints its URL, and waits to be killed or for its
// standard input to end.
func testBuild(kind, image, cache string) int {
	s, err := Open(context.Background(), Options{Kind: kind, Image: image, Cache: cache})
	if err != nil {
		fmt.Println(err)
		return 3
	}
	defer s.Close()
	r, err := s.Start(context.Background())
	if err != nil {
		fmt.Println(err)
		return 3
	}
	fmt.Println(r.URL())
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	return 0
}

// lacking skips a test for want of a part of the machine, or fails it where
// VERBATIM_REQUIRE names that part.
func lacking(t *testing.T, part, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), part) {
		t.Fatalf("VERBATIM_REQUIRE names %s, but %s", part, why)
	}
	t.Skipf("needs %s: %s", part, why)
}

func needRedis(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		lacking(t, "redis", "redis-server is not on PATH")
	}
}

// needEngine returns an engine and an image that is there.
func needEngine(t *testing.T) (*engine, string) {
	t.Helper()
	e, err := openEngine(t.Context())
	if err != nil {
		lacking(t, "docker", err.Error())
	}
	t.Cleanup(func() { e.client.Close() })
	images := []string{os.Getenv("VERBATIM_REDIS_IMAGE")}
	if images[0] == "" {
		images = []string{"redis:7.0.15", "verbatim/redis:debian"}
	}
	for _, image := range images {
		if _, err := e.client.ImageInspect(t.Context(), image); err == nil {
			return e, image
		}
	}
	lacking(t, "docker", "the engine has none of the images "+strings.Join(images, ", "))
	return nil, ""
}

// options are those for a kind that this machine has.
func options(t *testing.T, kind string) Options {
	t.Helper()
	o := Options{Kind: kind, Cache: t.TempDir()}
	switch kind {
	case "container":
		_, o.Image = needEngine(t)
	case "process":
		needRedis(t)
	}
	return o
}

func open(t *testing.T, o Options) *Source {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func start(t *testing.T, s *Source) *Redis {
	t.Helper()
	r, err := s.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// dial is how an example connects: with nothing but the URL.
func dial(t *testing.T, rawURL string) (*conn, error) {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	if u.Scheme != "redis" || u.User.Username() != "default" || len(password) != 32 || u.Path != "/0" {
		t.Fatalf("unexpected URL %s", rawURL)
	}
	return dialRedis(t.Context(), u.Host, password)
}

// do sends one command on a connection of its own.
func do(t *testing.T, r *Redis, args ...string) reply {
	t.Helper()
	c, err := dial(t, r.URL())
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	defer c.Close()
	rep, err := c.do(args...)
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return rep
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestKinds holds every kind to the same promise.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := open(t, options(t, k.name))
			if s.Kind() != k.name || s.Real() != k.real {
				t.Errorf("the source says %s, real %t", s.Kind(), s.Real())
			}
			r := start(t, s)
			t.Logf("Redis %s", r.Version())
			for _, test := range promises {
				t.Run(test.name, func(t *testing.T) {
					must(t, r.Reset(t.Context()))
					test.run(t, r)
				})
			}
		})
	}
}

var promises = []struct {
	name string
	run  func(*testing.T, *Redis)
}{
	{"version", testVersion},
	{"password", testPassword},
	{"stop and start", testStopStart},
	{"stop twice", testTwice},
	{"real time", testRealTime},
	{"pause", testPause},
	{"partition", testPartition},
	{"slow", testSlow},
	{"reset", testReset},
	{"reset of a broken one", testResetBroken},
}

func testVersion(t *testing.T, r *Redis) {
	if real := strings.Count(r.Version(), ".") == 2; real != r.Real() {
		t.Errorf("version %q", r.Version())
	}
	if (r.Image() != "") != (r.Kind() == "container") {
		t.Errorf("image %q", r.Image())
	}
}

func testPassword(t *testing.T, r *Redis) {
	_, err := dialRedis(t.Context(), r.proxy.addr, "wrong")
	var refused replyError
	if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), "WRONGPASS") {
		t.Errorf("a wrong password gave %v", err)
	}
	c, err := net.Dial("tcp", r.proxy.addr)
	must(t, err)
	defer c.Close()
	must(t, c.SetDeadline(time.Now().Add(5*time.Second)))
	fmt.Fprint(c, "*2\r\n$3\r\nGET\r\n$1\r\nx\r\n")
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.HasPrefix(line, "-NOAUTH") {
		t.Errorf("no password gave %q, %v", line, err)
	}
}

func testStopStart(t *testing.T, r *Redis) {
	before := r.URL()
	do(t, r, "SET", "k", "v")
	c, err := dial(t, r.URL())
	must(t, err)
	defer c.Close()
	must(t, r.Stop(t.Context()))
	if _, err := c.do("PING"); err == nil {
		t.Error("an old connection still works after the stop")
	}
	for range 3 {
		if _, err := dial(t, r.URL()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("while stopped: %v, want connection refused", err)
		}
	}
	must(t, r.Start(t.Context()))
	if r.URL() != before {
		t.Errorf("the URL changed from %s to %s", before, r.URL())
	}
	if got := do(t, r, "EXISTS", "k"); got.text != "0" {
		t.Errorf("the key outlived the stop: EXISTS gave %q", got.text)
	}
}

func testTwice(t *testing.T, r *Redis) {
	must(t, r.Start(t.Context()))
	must(t, r.Stop(t.Context()))
	must(t, r.Stop(t.Context()))
	must(t, r.Start(t.Context()))
	must(t, r.Start(t.Context()))
	do(t, r, "PING")
}

func testRealTime(t *testing.T, r *Redis) {
	do(t, r, "SET", "k", "v", "PX", "60000")
	do(t, r, "SET", "short", "v", "PX", "1")
	for do(t, r, "EXISTS", "short").text != "0" {
		time.Sleep(time.Millisecond) // go test's own limit ends a test that waits in vain
	}
	if got := do(t, r, "PTTL", "k").text; got == "60000" || got == "-1" {
		t.Errorf("PTTL %s: no time has passed", got)
	}
}

func testPause(t *testing.T, r *Redis) {
	must(t, r.Pause(t.Context()))
	must(t, r.Pause(t.Context()))
	if _, err := dial(t, r.URL()); err == nil {
		t.Error("a paused Redis answered")
	}
	if err := r.Start(t.Context()); err == nil {
		t.Error("start of a paused Redis is said to have worked")
	}
	must(t, r.Resume(t.Context()))
	must(t, r.Resume(t.Context()))
	do(t, r, "PING")
	must(t, r.Pause(t.Context()))
	must(t, r.Stop(t.Context()))
	if err := r.Pause(t.Context()); err == nil {
		t.Error("pause of a stopped Redis is said to have worked")
	}
	must(t, r.Start(t.Context()))
	do(t, r, "PING")
}

func testPartition(t *testing.T, r *Redis) {
	do(t, r, "SET", "k", "v")
	must(t, r.Partition("refuse"))
	if _, err := dial(t, r.URL()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("partition refuse: %v, want connection refused", err)
	}
	must(t, r.Heal(t.Context()))
	must(t, r.Partition("drop"))
	var timeout net.Error
	if _, err := dial(t, r.URL()); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("partition drop: %v, want a timeout", err)
	}
	must(t, r.Heal(t.Context()))
	if got := do(t, r, "GET", "k").text; got != "v" {
		t.Errorf("after the partition GET gave %q", got)
	}
	if err := r.Partition("sideways"); err == nil {
		t.Error("an unknown mode is said to have worked")
	}
}

func testSlow(t *testing.T, r *Redis) {
	c, err := dial(t, r.URL())
	must(t, err)
	defer c.Close()
	must(t, r.Slow(40*time.Millisecond))
	began := time.Now()
	if _, err := c.do("PING"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 40*time.Millisecond {
		t.Errorf("PING took %s, want 40 ms or more", took)
	}
}
