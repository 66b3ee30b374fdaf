package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"verbatim/internal/proc"
)

const redisPort = "6379"

// openContainer finds an engine, provides the image and removes what killed
// builds left on the engine.
func openContainer(ctx context.Context, o Options) (launcher, error) {
	e, err := openEngine(ctx)
	if err != nil {
		return launcher{}, err
	}
	if err := e.ensureImage(ctx, o); err != nil {
		e.client.Close()
		return launcher{}, err
	}
	if err := e.sweep(ctx); err != nil {
		o.Say("containers that an earlier build left are still there: %v", err)
	}
	unregister := proc.RegisterContainers(e.at)
	return launcher{
		image: o.Image,
		make: func(set config) server {
			return &containerServer{engine: e, image: o.Image, args: redisArgs(set), keepsData: set.announce != ""}
		},
		close: func() {
			unregister()
			e.client.Close()
		},
	}, nil
}

// containerServer is a Redis in a container of ours.
type containerServer struct {
	engine *engine
	image  string
	args   []string
	// keepsData: what is in its folder outlives a stop, so that a node of a
	// cluster finds the others again.
	keepsData bool

	ctr  *testcontainers.DockerContainer // nil before the first start
	port uint16                          // the engine's, another after each start
}

// start makes the container, or starts it again. The folder of one that is
// alone is in memory and new each time, so a restart finds no saved data.
func (s *containerServer) start(ctx context.Context) error {
	err := s.run(ctx)
	if err != nil {
		return fmt.Errorf("a container of %s: %w", s.image, err)
	}
	published, err := s.ctr.MappedPort(ctx, redisPort+"/tcp")
	if err != nil {
		if ended := s.exitReason(ctx); ended != nil {
			return ended // that is why no port is published
		}
		return fmt.Errorf("the port of a container of %s: %w", s.image, err)
	}
	s.port = published.Num()
	return nil
}

func (s *containerServer) run(ctx context.Context) error {
	if s.ctr != nil {
		return s.ctr.Start(ctx)
	}
	type started struct {
		ctr *testcontainers.DockerContainer
		err error
	}
	done := make(chan started, 1)
	// testcontainers ignores its context while it looks for its engine.
	go func() {
		ctr, err := testcontainers.Run(ctx, s.image, s.options()...)
		done <- started{ctr, err}
	}()
	select {
	case got := <-done:
		s.ctr = got.ctr // to be removed even if it did not start
		return got.err
	case <-ctx.Done():
	}
	select {
	case got := <-done:
		s.ctr = got.ctr
	case <-time.After(endWithin):
	}
	return context.Cause(ctx)
}

func (s *containerServer) options() []testcontainers.ContainerCustomizer {
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithLogger(log.NewNoopLogger()),
		testcontainers.WithLabels(map[string]string{ownerLabel: proc.Owner()}),
		testcontainers.WithExposedPorts(redisPort + "/tcp"),
		testcontainers.WithCmd(s.args...),
		testcontainers.WithHostConfigModifier(s.publish),
	}
	if s.keepsData {
		return options
	}
	return append(options, testcontainers.WithTmpfs(map[string]string{"/data": "rw"}))
}

// redisArgs begin with -- and so go to redis-server whatever the image's entry
// point is. The nodes of a cluster reach each other at their containers'
// addresses, and name the proxies to clients.
func redisArgs(set config) []string {
	args := []string{"--requirepass", set.password, "--save", "", "--appendonly", "no"}
	if set.announce == "" {
		return args
	}
	bus, _ := busPort(redisPort) // a constant
	return append(args, "--cluster-enabled", "yes", "--cluster-config-file", nodesFile,
		"--cluster-node-timeout", strconv.FormatInt(nodeTimeout.Milliseconds(), 10),
		"--cluster-announce-hostname", "127.0.0.1", "--cluster-preferred-endpoint-type", "hostname",
		"--cluster-announce-port", set.announce, "--cluster-announce-bus-port", bus)
}

// publish lets the engine take a free port of its own, on loopback where that
// can be reached.
func (s *containerServer) publish(h *container.HostConfig) {
	binding := network.PortBinding{HostIP: netip.IPv4Unspecified()}
	if s.engine.loopback() {
		binding.HostIP = netip.MustParseAddr("127.0.0.1")
	}
	h.PortBindings = network.PortMap{network.MustParsePort(redisPort + "/tcp"): {binding}}
}

func (s *containerServer) addr() string { return s.engine.address(s.port) }

func (s *containerServer) peer(ctx context.Context) (host, port string, err error) {
	host, err = s.ctr.ContainerIP(ctx)
	if err == nil && host == "" {
		err = errors.New("the engine gave the container no address")
	}
	return host, redisPort, err
}

func (s *containerServer) stop(ctx context.Context) error {
	if s.ctr == nil {
		return nil
	}
	at := time.Duration(0) // there is nothing to save
	if err := s.ctr.Stop(ctx, &at); err != nil {
		return fmt.Errorf("stop the container: %w", err)
	}
	return nil
}

func (s *containerServer) pause(ctx context.Context, halt bool) (err error) {
	if halt {
		_, err = s.engine.client.ContainerPause(ctx, s.ctr.ID, client.ContainerPauseOptions{})
	} else {
		_, err = s.engine.client.ContainerUnpause(ctx, s.ctr.ID, client.ContainerUnpauseOptions{})
	}
	return err
}

func (s *containerServer) exitReason(ctx context.Context) error {
	state, err := s.ctr.State(ctx)
	if err != nil {
		return fmt.Errorf("the engine: %w", err)
	}
	if state.Running {
		return nil
	}
	return errors.New("the container ended with code " + fmt.Sprint(state.ExitCode) + ": " + s.lastWords(ctx))
}

func (s *containerServer) lastWords(ctx context.Context) string {
	logs, err := s.ctr.Logs(ctx)
	if err != nil {
		return "it has no log"
	}
	defer logs.Close()
	text, _ := io.ReadAll(io.LimitReader(logs, maxLog)) // what was read is enough
	return lastLine(string(text))
}

func (s *containerServer) close(ctx context.Context) error {
	if s.ctr == nil {
		return nil
	}
	return s.engine.remove(ctx, s.ctr.ID)
}
