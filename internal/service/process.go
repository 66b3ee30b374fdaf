package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"verbatim/internal/proc"
)

// maxLog is how much of a server's log is kept, to say why it ended.
const maxLog = 16 << 10

// openProcess looks for redis-server on PATH.
func openProcess(ctx context.Context, o Options) (launcher, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return launcher{}, fmt.Errorf("redis-server is %w on PATH: install it (apt-get install redis-server, brew install redis)", errAbsent)
	}
	return launcher{
		make: func(set config) server {
			pick := freeAddr
			if set.announce != "" {
				pick = freeNodeAddr
			}
			return &process{life: ctx, program: program, cache: o.Cache, settings: set, pick: pick}
		},
		close: func() {},
	}, nil
}

// process is a redis-server of ours, in a scratch folder.
type process struct {
	life     context.Context // its end is the server's
	program  string
	cache    string
	settings config
	pick     func() (string, error) // an address to listen on

	running *proc.Process // nil while stopped
	log     *bytes.Buffer // to be read when running has ended
	listen  string
	dir     string
	remove  func()
	nodes   []byte // what a node of a cluster remembers of it over a stop
}

// nodesFile is where a node remembers its cluster.
const nodesFile = "nodes.conf"

// start starts a server with a folder of its own, empty but for what a node
// remembers of its cluster. Its configuration goes to its standard input, so
// that no list of processes shows the password.
func (s *process) start(context.Context) error {
	s.end()
	dir, remove, err := proc.Scratch(s.cache, "redis")
	if err != nil {
		return err
	}
	s.dir, s.remove = dir, remove
	if len(s.nodes) > 0 {
		if err := os.WriteFile(filepath.Join(dir, nodesFile), s.nodes, 0o600); err != nil {
			return err
		}
	}
	if s.listen, err = s.pick(); err != nil {
		return err
	}
	config, err := s.config()
	if err != nil {
		return err
	}
	s.log = &bytes.Buffer{}
	out := proc.Limit(s.log, maxLog, nil)
	s.running, err = proc.Start(s.life, proc.Spec{
		Args:    []string{s.program, "-"},
		Dir:     dir,
		Stdin:   strings.NewReader(config),
		Stdout:  out,
		Stderr:  out,
		Grace:   time.Second,
		Scratch: dir,
	})
	return err
}

func (s *process) config() (string, error) {
	host, port, err := net.SplitHostPort(s.listen)
	if err != nil {
		return "", err
	}
	config := fmt.Sprintf("bind %s\nport %s\nrequirepass %s\nsave \"\"\nappendonly no\nloglevel warning\n", host, port, s.settings.password)
	if s.settings.announce == "" {
		return config, nil
	}
	bus, err := busPort(port)
	return config + fmt.Sprintf("cluster-enabled yes\ncluster-config-file %s\ncluster-node-timeout %d\n"+
		"cluster-announce-ip %s\ncluster-announce-port %s\ncluster-announce-bus-port %s\n",
		nodesFile, nodeTimeout.Milliseconds(), host, s.settings.announce, bus), err
}

func (s *process) peer(context.Context) (host, port string, err error) {
	return net.SplitHostPort(s.listen)
}

func (s *process) addr() string { return s.listen }

func (s *process) stop(context.Context) error {
	s.end()
	return nil
}

// end kills the server: there is nothing to save.
func (s *process) end() {
	if s.running != nil {
		s.running.Kill()
		_, _ = s.running.Wait() // how it ended does not matter
		s.running = nil
	}
	if s.remove != nil {
		s.nodes, _ = os.ReadFile(filepath.Join(s.dir, nodesFile)) // only a node has one
		s.remove()
		s.remove = nil
	}
}

func (s *process) pause(_ context.Context, halt bool) error {
	if halt {
		return s.running.Freeze()
	}
	return s.running.Thaw()
}

func (s *process) exitReason(context.Context) error {
	select {
	case <-s.running.Done():
	default:
		return nil
	}
	result, err := s.running.Wait()
	if err != nil {
		return fmt.Errorf("redis-server: %w", err)
	}
	said := strings.TrimSpace(s.log.String())
	if strings.Contains(said, "Address already in use") {
		return errPortTaken
	}
	return errors.New("redis-server ended: " + result.String() + ": " + lastLine(said))
}

func (s *process) close(ctx context.Context) error { return s.stop(ctx) }

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// freeAddr is a loopback address that was free a moment ago.
func freeAddr() (string, error) {
	l, err := listenLow()
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
