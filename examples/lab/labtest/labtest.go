// Package labtest opens a Redis for the tests of an example, or skips them with
// one line that says what is missing, and runs the whole program as a reader does.
package labtest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"verbatim/examples/lab"
)

// envPlay makes the test binary play the example. A server that the example
// starts inherits it, and so plays its part too.
const envPlay = "VERBATIM_LAB_PLAY"

// Open returns a lab on a redis-server of its own, which ends with the test. Where
// there is no redis-server the test is skipped, or fails if the variable
// VERBATIM_REQUIRE, a list with commas, names redis.
func Open(t *testing.T) *lab.Lab {
	t.Helper()
	needRedis(t)
	t.Setenv("REDIS_URL", "") // a server that a build or a shell names is not the test's
	l, err := lab.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// Main is the TestMain of an example whose tests call Output. program is the
// example's main: the test binary runs it where Output or Lab.Serve started it,
// and the tests everywhere else.
func Main(m *testing.M, program func()) {
	if os.Getenv(envPlay) != "" {
		program()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Output runs the example alone, as `go run` would, with settings of the form
// NAME=value beside the environment, and returns what it printed on standard
// output. Without a redis-server it skips as Open does. An exit code other than 0
// fails the test with all that the example said.
func Output(t *testing.T, settings ...string) string {
	t.Helper()
	needRedis(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), append(settings, envPlay+"=1", "REDIS_URL=")...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &stderr)
	}
	return string(out)
}

func needRedis(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), "redis") {
		t.Fatal("VERBATIM_REQUIRE names redis, but redis-server is not on PATH")
	}
	t.Skip("needs redis-server on PATH")
}

// Recorded runs the example alone and compares what it prints with the record
// of the build, recorded/output.txt.
func Recorded(t *testing.T) {
	t.Helper()
	want, err := os.ReadFile("recorded/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := Output(t); got != string(want) {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
}
