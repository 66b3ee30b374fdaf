package lab

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestContainer(t *testing.T) {
	c := onlyDocker(t)
	own, err := startOwn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := own.stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := own.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := own.close(); err != nil {
		t.Fatal(err)
	}
	if left := containers(t, c, own.port); left != "" {
		t.Errorf("a closed Redis left %s", left)
	}
}

func TestContainerIsRemovedAfterKill(t *testing.T) {
	c := onlyDocker(t)
	cmd := program(t, "wait")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(strings.Fields(line)[2])
	if err != nil {
		t.Fatal(err)
	}
	if containers(t, c, port) == "" {
		t.Fatalf("no container on port %d before the kill", port)
	}
	cmd.Process.Kill()
	cmd.Wait()
	for end := time.Now().Add(20 * time.Second); containers(t, c, port) != ""; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the container on port %d is still there", port)
		}
	}
}

// onlyDocker leaves the test a PATH without redis-server.
func onlyDocker(t *testing.T) *container {
	t.Helper()
	needs(t, "docker", "docker")
	c, err := newContainer(t.Context())
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), "docker") {
			t.Fatal(err)
		}
		t.Skipf("needs a Docker engine with the image %s: %v", image(), err)
	}
	bin := t.TempDir()
	for _, name := range []string{"docker", "sh", "cat"} {
		found, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(found, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	return c
}

// containers lists the lab's containers that publish port.
func containers(t *testing.T, c *container, port int) string {
	t.Helper()
	list, err := c.run(t.Context(), engineAnswers, "ps", "--all", "--quiet",
		"--filter", "label="+label, "--filter", fmt.Sprintf("publish=%d", port))
	if err != nil {
		t.Fatal(err)
	}
	return list
}
