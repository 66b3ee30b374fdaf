package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"verbatim/internal/proc"
)

const (
	engineWithin = time.Second      // an engine that answers does so at once
	pullStalls   = 30 * time.Second // without a word from the registry
	pullTries    = 3
	ownerLabel   = "verbatim.owner"
)

// engine is a Docker engine that answered.
type engine struct {
	client *client.Client
	at     string // as DOCKER_HOST names it
	host   string // where the ports that it publishes are reached
}

// openEngine asks exactly the engine that DOCKER_HOST names, or else the one
// whose socket is found first. testcontainers would search on when that one
// refuses, so it is told what was found, and checked.
func openEngine(ctx context.Context) (*engine, error) {
	named := os.Getenv("DOCKER_HOST")
	at := named
	if at == "" {
		at = engineSocket()
	}
	if at == "" {
		return nil, fmt.Errorf("a Docker engine is %w: DOCKER_HOST is not set and no socket is in the usual places", errAbsent)
	}
	host, err := publishedHost(at)
	if err != nil {
		return nil, err
	}
	c, err := client.New(client.FromEnv, client.WithHost(at))
	if err != nil {
		return nil, fmt.Errorf("the Docker engine at %s: %w", at, err)
	}
	e := &engine{client: c, at: at, host: host}
	if err := e.verifyEngine(ctx, at); err != nil {
		c.Close()
		return nil, err
	}
	return e, nil
}

// verifyEngine makes sure that the engine answers, and that testcontainers means the
// same one.
func (e *engine) verifyEngine(ctx context.Context, at string) error {
	if err := e.ping(ctx); err != nil {
		return fmt.Errorf("the Docker engine at %s: %w", at, err)
	}
	log.SetDefault(log.NewNoopLogger())
	for name, value := range map[string]string{
		"DOCKER_HOST": at,
		// Its reaper is an image more to pull, and could not tell our builds
		// apart; labels and the sweep do that work.
		"TESTCONTAINERS_RYUK_DISABLED": "true",
	} {
		if os.Getenv(name) == "" {
			os.Setenv(name, value) // read once, at the first call below
		}
	}
	ctx, cancel := context.WithTimeout(ctx, endWithin)
	defer cancel()
	theirs, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return fmt.Errorf("the Docker engine at %s: %w", at, err)
	}
	if theirs.DaemonHost() != e.client.DaemonHost() {
		return fmt.Errorf("the Docker engine is at %s, but testcontainers is set up for %s: see ~/.testcontainers.properties",
			at, theirs.DaemonHost())
	}
	return nil
}

func (e *engine) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, engineWithin, errors.New("no answer within a second"))
	defer cancel()
	if _, err := e.client.Ping(ctx, client.PingOptions{}); err != nil {
		return causeOf(ctx, err)
	}
	return nil
}

// causeOf prefers the reason why ctx ended to the word that it did.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// engineSocket is the first socket of an engine in the usual places, or "".
func engineSocket() string {
	home, _ := os.UserHomeDir()
	places := []string{
		"/var/run/docker.sock",
		filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "docker.sock"), // rootless
		filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "docker.sock"),
		filepath.Join(home, ".docker/run/docker.sock"), // Docker Desktop
		filepath.Join(home, ".docker/desktop/docker.sock"),
		filepath.Join(home, ".colima/default/docker.sock"),
	}
	for _, place := range places {
		if info, err := os.Stat(place); err == nil && info.Mode()&os.ModeSocket != 0 && filepath.IsAbs(place) {
			return "unix://" + place
		}
	}
	return ""
}

// publishedHost says where an engine's published ports are reached: here for a
// socket, else on the engine's host.
func publishedHost(at string) (string, error) {
	if host := os.Getenv("TESTCONTAINERS_HOST_OVERRIDE"); host != "" {
		return host, nil
	}
	u, err := url.Parse(at)
	if err != nil {
		return "", fmt.Errorf("DOCKER_HOST is no address of an engine: %w", err)
	}
	switch u.Scheme {
	case "unix", "npipe":
		return "127.0.0.1", nil
	case "tcp", "http", "https":
		return u.Hostname(), nil
	}
	return "", fmt.Errorf("DOCKER_HOST=%s: unix:// and tcp:// work; forward other ways to a socket (ssh -L)", at)
}

// loopback reports whether published ports need to be reached from here only.
func (e *engine) loopback() bool {
	ip, err := netip.ParseAddr(e.host)
	return e.host == "localhost" || err == nil && ip.IsLoopback()
}

func (e *engine) address(port uint16) string {
	return net.JoinHostPort(e.host, strconv.Itoa(int(port)))
}

// RemoveContainers removes the containers of an owner from the engine at the
// address at, in the form of DOCKER_HOST. The watchdog of a killed build calls it.
// It ignores errors, because the next build sweeps what is left.
func RemoveContainers(at, owner string) {
	c, err := client.New(client.FromEnv, client.WithHost(at))
	if err != nil {
		return
	}
	e := &engine{client: c, at: at}
	defer c.Close()
	_ = e.removeOf(context.Background(), func(other string) bool { return other == owner })
}

// sweep removes the containers of builds of this machine that are gone.
func (e *engine) sweep(ctx context.Context) error { return e.removeOf(ctx, proc.OwnerGone) }

// removeOf removes the containers whose owner is one of those, all at once.
func (e *engine) removeOf(ctx context.Context, isOne func(owner string) bool) error {
	ctx, cancel := context.WithTimeout(ctx, endWithin)
	defer cancel()
	found, err := e.client.ContainerList(ctx, client.ContainerListOptions{
		All:     true,
		Filters: make(client.Filters).Add("label", ownerLabel),
	})
	if err != nil {
		return err
	}
	var removing sync.WaitGroup
	all := make([]error, len(found.Items))
	for i, c := range found.Items {
		if isOne(c.Labels[ownerLabel]) {
			removing.Go(func() { all[i] = e.remove(ctx, c.ID) })
		}
	}
	removing.Wait()
	return errors.Join(all...)
}

// remove kills and removes a container. One that is gone, or that another build
// is removing, is no error.
func (e *engine) remove(ctx context.Context, id string) error {
	_, err := e.client.ContainerRemove(ctx, id, client.ContainerRemoveOptions{RemoveVolumes: true, Force: true})
	if err == nil || errdefs.IsNotFound(err) || strings.Contains(err.Error(), "already in progress") {
		return nil
	}
	return err
}

// ensureImage makes sure that the engine has the image, pulling it if it must.
func (e *engine) ensureImage(ctx context.Context, o Options) error {
	_, err := e.client.ImageInspect(ctx, o.Image)
	if err == nil {
		return nil
	}
	if !errdefs.IsNotFound(err) {
		return fmt.Errorf("look for the image %s: %w", o.Image, err)
	}
	tries := pullTries
	if o.Kind != "container" {
		tries = 1 // another kind will do
	}
	for try := 1; ; try++ {
		o.Progress("pulling %s from %s", o.Image, registry(o.Image))
		err = e.pull(ctx, o.Image)
		if err == nil {
			return nil
		}
		if try == tries || errdefs.IsNotFound(err) || ctx.Err() != nil {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(try) * time.Second):
		}
	}
	return fmt.Errorf("the image %s is not here and could not be pulled from the registry %s: %w; "+
		"name a mirror's in VERBATIM_REDIS_IMAGE, or use -redis process", o.Image, registry(o.Image), err)
}

// pull pulls an image, for as long as the registry has something to say.
func (e *engine) pull(ctx context.Context, image string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(pullStalls, func() {
		cancel(fmt.Errorf("nothing arrived for %s", pullStalls))
	})
	defer stalled.Stop()

	options := client.ImagePullOptions{}
	if _, auth, err := testcontainers.DockerImageAuth(ctx, image); err == nil {
		if options.RegistryAuth, err = authconfig.Encode(auth); err != nil {
			return err
		}
	}
	response, err := e.client.ImagePull(ctx, image, options)
	if err != nil {
		return causeOf(ctx, err)
	}
	defer response.Close()
	for message, err := range response.JSONMessages(ctx) {
		if err != nil {
			return causeOf(ctx, err)
		}
		if message.Error != nil {
			return message.Error
		}
		stalled.Reset(pullStalls)
	}
	return nil
}

// registry is the host that an image reference names, Docker's own without one.
func registry(image string) string {
	first, _, below := strings.Cut(image, "/")
	if below && (strings.ContainsAny(first, ".:") || first == "localhost") {
		return first
	}
	return "docker.io"
}
