package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The lines that the lesson shows. A change here is a change of the lesson.
const want = `4.2 Redis up: sign-in 200, seat map 200 · Redis down: sign-in 503 (closed), seat map 200 (open) · limiter errors caught 2
4.2 in no table: Redis up: checkout 200 · Redis down: checkout 503 (closed by default)
`

// envPlay makes the test binary play the example.
const envPlay = "TICKETSITE_TEST_PLAY"

func TestMain(m *testing.M) {
	if os.Getenv(envPlay) != "" {
		main()
	}
	os.Exit(m.Run())
}

func TestLines(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), "redis") {
			t.Fatal("VERBATIM_REQUIRE names redis, but redis-server is not on PATH")
		}
		t.Skip("needs redis-server on PATH")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envPlay+"=1", "REDIS_URL=")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	if err != nil || string(got) != want {
		t.Errorf("%v, printed\n%swant\n%sstandard error\n%s", err, got, want, &stderr)
	}
}
