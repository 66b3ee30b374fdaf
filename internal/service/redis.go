package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

var (
	errClosed    = errors.New("this Redis was closed")
	errPortTaken = errors.New("another program has the port that the server wanted")
)

// Redis is one running Redis behind its proxy. Its methods may be called by
// several goroutines; those that change it wait for each other.
type Redis struct {
	source   *Source
	server   server
	proxy    *proxy
	password string

	mu      sync.Mutex
	version string
	fresh   snapshot // what Reset goes back to
	stopped bool
	frozen  bool
	cut     bool // by Partition
	closed  bool
	stopErr error // why it could not be ended
}

func newRedis(ctx context.Context, s *Source, password string, node bool) (*Redis, error) {
	p, err := newProxy()
	if err != nil {
		return nil, err
	}
	set := config{password: password}
	if node {
		_, set.announce, _ = net.SplitHostPort(p.addr) // a listener's own address
	}
	r := &Redis{source: s, proxy: p, password: password, stopped: true}
	r.server = s.launcher.make(set)
	if err := r.Start(ctx); err != nil {
		return nil, errors.Join(err, r.end())
	}
	return r, nil
}

// URL is redis://default:PASSWORD@127.0.0.1:PORT/0, the proxy's address. It
// stays the same until Close.
func (r *Redis) URL() string {
	return fmt.Sprintf("redis://default:%s@%s/0", r.password, r.proxy.addr)
}

// Version is redis_version of INFO, or "emulator".
func (r *Redis) Version() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

// Connections returns the number of clients to which the server replied through the proxy.
func (r *Redis) Connections() int64 { return r.proxy.answered.Load() }

// Image is the image of a container, "" for the other kinds.
func (r *Redis) Image() string { return r.source.Image() }

// Kind is "container", "process" or "embedded".
func (r *Redis) Kind() string { return r.source.Kind() }

// Real reports whether this is a real Redis.
func (r *Redis) Real() bool { return r.source.Real() }

// Start starts a stopped Redis, empty and at the same address, and returns once
// PING is answered through the proxy. One that runs is left as it is.
func (r *Redis) Start(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.startLocked(ctx)
}

func (r *Redis) startLocked(ctx context.Context) error {
	switch {
	case r.closed:
		return errClosed
	case r.frozen:
		return errors.New("this Redis is paused: resume it")
	case r.cut:
		return errors.New("this Redis is partitioned: heal it")
	case !r.stopped:
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	conn, err := r.startServer(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := r.readVersion(conn); err != nil {
		return err
	}
	if err := r.proxy.open(ctx, r.server.addr()); err != nil {
		return err
	}
	r.stopped = false
	return nil
}

// startServer starts the server and connects once it answers. One whose port
// was taken by another program starts again, on another.
func (r *Redis) startServer(ctx context.Context) (*conn, error) {
	for try := 1; ; try++ {
		if err := r.server.start(ctx); err != nil {
			return nil, err
		}
		conn, err := r.answers(ctx, r.server.addr())
		if try == 10 || !errors.Is(err, errPortTaken) {
			return conn, err
		}
	}
}

// answers waits until PING is answered at addr.
func (r *Redis) answers(ctx context.Context, addr string) (*conn, error) {
	slow := time.Now().Add(slowAfter)
	for tries := 0; ; tries++ {
		conn, err := dialRedis(ctx, addr, r.password)
		if err == nil {
			return conn, nil
		}
		if time.Now().After(slow) {
			r.source.say("Redis (%s) started and has not answered PING for %s; it has %s", r.Kind(), slowAfter, readyWithin)
			slow = time.Now().Add(readyWithin)
		}
		if tries%20 == 0 { // for a container it is a question to the engine
			if ended := r.server.exitReason(ctx); ended != nil {
				return nil, ended
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("PING was not answered in time: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// readVersion asks a server that has just started for its version and for what Reset
// has to go back to: its folder is another each time.
func (r *Redis) readVersion(c *conn) (err error) {
	if !r.source.Real() {
		r.version = "emulator"
		return nil
	}
	if r.version, err = c.version(); err != nil {
		return err
	}
	r.fresh = takeSnapshot(c)
	return nil
}

// dial connects through the proxy, with the password given and PING answered.
func (r *Redis) dial(ctx context.Context) (*conn, error) {
	return dialRedis(ctx, r.proxy.addr, r.password)
}

func (r *Redis) nodes() []*Redis { return []*Redis{r} }

func (r *Redis) waitReady(context.Context) error { return nil }

// Stop ends the server, without saving anything, and closes the proxy: clients
// lose their connections and new ones are refused, until Start.
func (r *Redis) Stop(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopLocked(ctx)
}

func (r *Redis) stopLocked(ctx context.Context) error {
	if r.closed {
		return errClosed
	}
	r.proxy.refuse()
	r.proxy.hold(false)
	r.cut = false
	if r.stopped {
		return nil
	}
	if err := r.freezeLocked(ctx, false); err != nil {
		return err
	}
	if err := r.server.stop(ctx); err != nil {
		return err
	}
	r.stopped = true
	return nil
}

// Pause halts the server: connections stay open, nothing is answered.
func (r *Redis) Pause(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.freezeLocked(ctx, true)
}

// Resume lets a paused server go on.
func (r *Redis) Resume(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.freezeLocked(ctx, false)
}

func (r *Redis) freezeLocked(ctx context.Context, halt bool) error {
	switch {
	case r.closed:
		return errClosed
	case r.frozen == halt:
		return nil
	case r.stopped:
		return errors.New("a stopped Redis cannot be paused: start it first")
	}
	if err := r.server.pause(ctx, halt); err != nil {
		return err
	}
	r.frozen = halt
	return nil
}

// Partition cuts clients off while the server runs on: with "refuse" they lose
// their connections and new ones are refused, with "drop" connections stay open
// and nothing arrives. Heal ends it.
func (r *Redis) Partition(mode string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return errClosed
	case r.stopped:
		return errors.New("a stopped Redis is cut off already: start it first")
	case mode == "refuse":
		r.proxy.refuse()
	case mode == "drop":
		r.proxy.hold(true)
	default:
		return &requestError{fmt.Sprintf("no partition mode is called %q: refuse or drop", mode)}
	}
	r.cut = true
	return nil
}

// Heal ends a partition and a delay.
func (r *Redis) Heal(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.healLocked(ctx)
}

func (r *Redis) healLocked(ctx context.Context) error {
	if r.closed {
		return errClosed
	}
	r.proxy.slow(0)
	r.proxy.hold(false)
	r.cut = false
	if r.stopped {
		return nil
	}
	return r.proxy.open(ctx, r.server.addr())
}

// Slow holds back every reply by d; 0 ends that.
func (r *Redis) Slow(d time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	r.proxy.slow(d)
	return nil
}

// Reset makes the Redis as new, whatever was done to it, at the same address.
// Call it when the programs that used it are gone: those that live reconnect at
// once. One that was stopped, paused, broken or taken down is replaced.
func (r *Redis) Reset(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	broken := r.stopped || r.frozen
	if err := r.healLocked(ctx); err != nil {
		return err
	}
	r.proxy.drop()
	if !broken && r.source.Real() && r.wash(ctx) == nil {
		return nil
	}
	if err := r.stopLocked(ctx); err != nil {
		return fmt.Errorf("reset redis: %w", err)
	}
	if err := r.startLocked(ctx); err != nil {
		return fmt.Errorf("reset redis: %w", err)
	}
	return nil
}

// wash undoes what commands did, on the running server.
func (r *Redis) wash(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return r.fresh.restore(conn)
}

// Close ends the Redis and leaves nothing of it. It may be called more than
// once. An error is given again by the Close of its source.
func (r *Redis) Close() error {
	err := r.end()
	if err == nil {
		r.source.drop(r)
	}
	return err
}

func (r *Redis) end() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return r.stopErr
	}
	r.closed = true
	r.proxy.close()
	r.proxy.hold(false) // so that no goroutine waits for ever
	// The source's context may have ended: that is often why this runs.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.source.life), endWithin)
	defer cancel()
	if r.frozen {
		_ = r.server.pause(ctx, false) // close says what is wrong
	}
	if err := r.server.close(ctx); err != nil {
		r.stopErr = fmt.Errorf("end redis: %w", err)
	}
	return r.stopErr
}
