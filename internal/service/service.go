// Package service starts a Redis for examples. A started Redis has answered PING, has
// a random password, keeps its address over a stop and a start, can be reset to the
// state of a new one, and ends with the build.
//
// There are three kinds behind one type: a container, a redis-server process, and an
// embedded emulator. Clients connect to a loopback proxy in front of it, which
// simulates faults.
package service

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	slowAfter   = 5 * time.Second  // without an answer, the author learns what is waited for
	readyWithin = 30 * time.Second // how long a Redis may take until PING is answered
	endWithin   = 15 * time.Second // how long ending one may take
)

// Options say where Redis comes from.
type Options struct {
	Kind  string // "auto", "container", "process" or "embedded"; "" is "auto"
	Image string // the container image, "redis:7.0.15"
	Cache string // the folder for scratch folders, ".cache" of the site
	Real  bool   // "auto" is not to fall back on the emulator

	// Say prints a line for the author; Progress what is going on
	// now, "" when it is over. Both may be nil.
	Say      func(format string, args ...any)
	Progress func(format string, args ...any)
}

// kind is one way to have a Redis.
type kind struct {
	name string
	real bool // a real Redis, which may write records
	// open finds out whether the kind is to be had, and starts nothing. An error
	// that wraps errAbsent means that the machine simply lacks it.
	open func(context.Context, Options) (launcher, error)
}

// kinds are tried by "auto" from the top.
var kinds = []kind{
	{"container", true, openContainer},
	{"process", true, openProcess},
	{"embedded", false, openEmbedded},
}

var errAbsent = errors.New("not there")

// launcher makes servers of one kind.
type launcher struct {
	image string // the image, "" where there is none
	make  func(config) server
	close func()
}

// config are how a server is to run.
type config struct {
	password string
	// announce is the proxy's port, which a node of a cluster names to clients
	// and to the other nodes; "" for a single server.
	announce string
}

// server is one Redis of some kind, without its proxy. Its methods are not
// called at the same time, except for close.
type server interface {
	start(context.Context) error                         // empty, as new; it need not answer yet
	addr() string                                        // host:port, which start may change
	peer(context.Context) (host, port string, err error) // where the other nodes of a cluster reach it
	stop(context.Context) error                          // without saving anything
	pause(context.Context, bool) error                   // halts it, or lets it go on
	exitReason(context.Context) error                    // why it ended by itself, nil while it runs
	close(context.Context) error                         // stop, and leave nothing
}

// Source starts Redis instances of one kind.
type Source struct {
	kind     kind
	launcher launcher
	life     context.Context
	say      func(format string, args ...any)

	mu     sync.Mutex
	spare  *Redis // the one that showed that the kind works
	open   map[*Redis]bool
	closed bool

	ending sync.Once
	endErr error
}

// Open finds a kind of Redis that works and shows it by starting one, which the
// first Start hands out: call it when something needs Redis, not before. Kind
// "auto" takes the first that works and says once why others do not. When ctx
// ends, everything that the source started ends, as with Close. Every error
// means that the work cannot be done here and says what to do.
func Open(ctx context.Context, o Options) (*Source, error) {
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	if o.Progress == nil {
		o.Progress = func(string, ...any) {}
	}
	defer o.Progress("")
	if o.Kind != "" && o.Kind != "auto" {
		return openNamed(ctx, o)
	}
	var reasons []string
	for _, k := range kinds {
		if o.Real && !k.real {
			continue
		}
		s, err := openKind(ctx, k, o)
		if err == nil {
			if !k.real {
				o.Say("using the emulator, which proves nothing: %s", strings.Join(reasons, "; "))
			}
			return s, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		reasons = append(reasons, err.Error())
		if !errors.Is(err, errAbsent) {
			o.Say("no Redis as %s, trying the next kind: %v", k.name, err)
		}
	}
	return nil, fmt.Errorf("no Redis to be had: %s", strings.Join(reasons, "; "))
}

func openNamed(ctx context.Context, o Options) (*Source, error) {
	for _, k := range kinds {
		if k.name != o.Kind {
			continue
		}
		s, err := openKind(ctx, k, o)
		if err != nil {
			return nil, fmt.Errorf("no Redis as %s: %w", k.name, err)
		}
		return s, nil
	}
	return nil, fmt.Errorf("no kind of Redis is called %q: auto, container, process or embedded", o.Kind)
}

func openKind(ctx context.Context, k kind, o Options) (*Source, error) {
	m, err := k.open(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Source{kind: k, launcher: m, life: ctx, say: o.Say, open: map[*Redis]bool{}}
	o.Progress("starting Redis (%s)", k.name)
	first, err := s.Start(ctx)
	if err != nil {
		m.close()
		return nil, err
	}
	s.spare = first
	context.AfterFunc(ctx, func() { _ = s.Close() }) // whoever waits for Close gets the error
	return s, nil
}

// Kind is "container", "process" or "embedded".
func (s *Source) Kind() string { return s.kind.name }

// Real reports whether this is a real Redis, which may write records.
func (s *Source) Real() bool { return s.kind.real }

// Image is the image of a container, "" for the other kinds.
func (s *Source) Image() string { return s.launcher.image }

// Instance is what an example gets for its own: a Redis, or a cluster of them.
type Instance interface {
	URL() string                 // for REDIS_URL; of a cluster, the first node's
	Version() string             // redis_version of INFO, or "emulator"
	Connections() int64          // to how many clients it replied since it was started
	Reset(context.Context) error // as new, at the same address; an error means: close it, start another
	Close() error

	nodes() []*Redis                 // what the control URL acts on
	waitReady(context.Context) error // waits until they work together
}

// Start returns a Redis that is as new and answers. ctx bounds the starting only.
// The caller closes it; Close of the source closes what is left.
func (s *Source) Start(ctx context.Context) (*Redis, error) {
	s.mu.Lock()
	spare := s.spare
	s.spare = nil
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return nil, errors.New("start redis: its source was closed")
	}
	if spare != nil {
		return spare, nil
	}
	r, err := s.startNew(ctx, newPassword(), false)
	if err != nil {
		return nil, fmt.Errorf("start redis: %w", err)
	}
	return r, nil
}

// startNew starts a Redis, as a node of a cluster or alone, that Close ends.
func (s *Source) startNew(ctx context.Context, password string, node bool) (*Redis, error) {
	r, err := newRedis(ctx, s, password, node)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed { // meanwhile: Close did not see this one
		return nil, errors.Join(errors.New("its source was closed"), r.end())
	}
	s.open[r] = true
	return r, nil
}

// Close ends every Redis that the source started and waits for that. It may be
// called more than once and while others use the source; each call returns when
// all is over.
func (s *Source) Close() error {
	s.ending.Do(func() { s.endErr = s.end() })
	return s.endErr
}

func (s *Source) end() error {
	s.mu.Lock()
	s.closed = true
	open := s.open
	s.open = nil
	s.mu.Unlock()

	var wg sync.WaitGroup
	errs := make([]error, len(open))
	i := 0
	for r := range open {
		n := i
		wg.Go(func() { errs[n] = r.end() })
		i++
	}
	wg.Wait()
	s.launcher.close()
	return errors.Join(errs...)
}

func (s *Source) drop(r *Redis) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, r)
}

// newPassword is 128 random bits as hexadecimal digits, so that it needs no
// escaping anywhere.
func newPassword() string {
	var bits [16]byte
	_, _ = rand.Read(bits[:]) // never fails
	return hex.EncodeToString(bits[:])
}
