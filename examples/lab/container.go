package lab

import (
	"context"
	"crypto/rand"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// label marks the containers of this package, for whoever lists them.
const label = "verbatim.lab"

// engineAnswers bounds the wait for a Docker engine that accepts a connection
// and then says nothing.
const engineAnswers = 10 * time.Second

// container knows how to run the image with a docker client.
type container struct{ docker, image string }

// newContainer makes sure that the engine answers and has the image. The
// image is pulled here, where ^C can end it, and never by the start.
func newContainer(ctx context.Context) (*container, error) {
	docker, err := exec.LookPath("docker")
	if err != nil {
		return nil, fmt.Errorf("neither is docker")
	}
	c := &container{docker: docker, image: image()}
	if _, err := c.run(ctx, engineAnswers, "version"); err != nil {
		return nil, fmt.Errorf("docker answers: %w", err)
	}
	if _, err := c.run(ctx, engineAnswers, "image", "inspect", c.image); err == nil {
		return c, nil
	}
	say("pulling %s", c.image)
	if _, err := c.run(ctx, 5*time.Minute, "pull", "--quiet", c.image); err != nil {
		return nil, fmt.Errorf("docker answers: %w", err)
	}
	return c, nil
}

// run returns what one docker command printed; an error holds its last line.
func (c *container) run(ctx context.Context, limit time.Duration, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := exec.CommandContext(ctx, c.docker, args...).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("nothing for %v", limit)
	case err != nil:
		return "", fmt.Errorf("%s", lastLine(string(out)))
	}
	return string(out), nil
}

// job runs the image with 127.0.0.1:port mapped to it. Creating and starting
// are two commands because only the first must never be cut short: a container
// that comes to life after its removal would stay.
func (c *container) job(port int) job {
	name := "verbatim-lab-" + strings.ToLower(rand.Text())
	docker := quoted(c.docker)
	return job{
		begin: fmt.Sprintf("%s create --rm --interactive --name %s --label %s --publish 127.0.0.1:%d:6379 %s -",
			docker, name, label, port, quoted(c.image)),
		command: []string{c.docker, "start", "--attach", "--interactive", name},
		end:     fmt.Sprintf("%s rm --force %s", docker, name),
	}
}

// quoted is s as one word of a shell.
func quoted(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
