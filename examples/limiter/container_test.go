package limiter

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"sync"
)

// The tests start Redis as a process. With LIMITER_REDIS=container they start it
// as a container of VERBATIM_REDIS_IMAGE, by a Docker engine on this machine: on
// the host's network, so that the nodes of a cluster find each other and nothing
// else differs.

// image is what containers are made of, "" for processes.
func image() string {
	if os.Getenv("LIMITER_REDIS") != "container" {
		return ""
	}
	return cmp.Or(os.Getenv("VERBATIM_REDIS_IMAGE"), "redis:7.0.15")
}

// engine is nil where there is a Docker engine that has the image, or can get it.
var engine = sync.OnceValue(func() error {
	if exec.Command("docker", "image", "inspect", image()).Run() == nil {
		return nil
	}
	out, err := exec.Command("docker", "pull", "--quiet", image()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("no container of %s: %w %s", image(), err, bytes.TrimSpace(out))
	}
	return nil
})
