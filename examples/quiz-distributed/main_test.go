package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// envPlay makes the test binary play the example: itself once, and then each
// server, which are copies of the same binary.
const envPlay = "QUIZ_TEST_PLAY"

func TestMain(m *testing.M) {
	if os.Getenv(envPlay) != "" {
		main()
	}
	os.Exit(m.Run())
}

// The answers are those of the lesson's keys. A change in testdata/answers.txt is
// a change of the lesson.
func TestAnswers(t *testing.T) {
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
	values := filepath.Join(t.TempDir(), "values")
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envPlay+"=1", "REDIS_URL=", "VERBATIM_VALUES="+values)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got, err := os.ReadFile(values)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/answers.txt")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("answered\n%swant\n%sthe story\n%s", got, want, out)
	}
}
