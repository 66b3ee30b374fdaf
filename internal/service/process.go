package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"time"

	"verbatim/internal/proc"
)

// maxLog is how much of a server's log is kept, to say why it ended.
const maxLog = 16 << 10

// openProcess looks for redis-server on PATH.
func openProcess(ctx context.Context, o Options) (maker, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return maker{}, fmt.Errorf("redis-server is %w on PATH: install it (apt-get install redis-server, brew install redis)", errAbsent)
	}
	return maker{
		make: func(password string) server {
			return &process{life: ctx, program: program, cache: o.Cache, password: password, pick: freeAddr}
		},
		close: func() {},
	}, nil
}

// process is a redis-server of ours, in a scratch folder.
type process struct {
	life     context.Context // its end is the server's
	program  string
	cache    string
	password string
	pick     func() (string, error) // an address to listen on

	running *proc.Process // nil while stopped
	log     *bytes.Buffer // to be read when running has ended
	listen  string
	remove  func()
}

// start starts a server with an empty folder of its own. Its configuration goes
// to its standard input, so that the password stands in no list of processes.
func (s *process) start(context.Context) error {
	s.end()
	dir, remove, err := proc.Scratch(s.cache, "redis")
	if err != nil {
		return err
	}
	s.remove = remove
	if s.listen, err = s.pick(); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(s.listen)
	if err != nil {
		return err
	}
	config := fmt.Sprintf("bind %s\nport %s\nrequirepass %s\nsave \"\"\nappendonly no\nloglevel warning\n", host, port, s.password)
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
		s.remove()
		s.remove = nil
	}
}

func (s *process) freeze(_ context.Context, halt bool) error {
	if halt {
		return s.running.Freeze()
	}
	return s.running.Thaw()
}

func (s *process) ended(context.Context) error {
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
