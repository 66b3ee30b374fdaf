package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The lines that the lesson shows. A change here is a change of the lesson.
const want = `4.1 EXH-5050 before: 1,000 sign-in keys · without an expiry 3: rl:signin:acct101, rl:signin:acct402, rl:signin:acct777
4.1 real 1 s expiry: normal key gone · leaked key count 1, TTL -1
4.1 MR !5350: sweep repaired 3 · keys without an expiry 0 · new key has an expiry: yes
4.1 a key that lost its expiry has one after the next attempt: yes
`

// envPlay makes the test binary play the example: itself once, and then each
// server, which are copies of the same binary.
const envPlay = "EXH5050_TEST_PLAY"

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

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1001: "1,001", 12034: "12,034"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}
