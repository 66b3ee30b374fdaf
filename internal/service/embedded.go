package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/alicebob/miniredis/v2"
)

// openEmbedded always finds its emulator: it is part of this program.
func openEmbedded(context.Context, Options) (launcher, error) {
	return launcher{
		make:  func(set config) server { return &emulator{password: set.password} },
		close: func() {},
	}, nil
}

// emulator is miniredis with real time: keys expire by the clock. It speaks for
// authors who have no Redis, never for a record.
type emulator struct {
	password string
	running  *miniredis.Miniredis // nil while stopped
	listen   string               // Addr would wait for the lock that freeze holds
}

func (e *emulator) start(ctx context.Context) error {
	if err := e.stop(ctx); err != nil {
		return err
	}
	m := miniredis.NewMiniRedis()
	m.RequireAuth(e.password)
	m.ClockTTL(true)
	if err := m.StartAddr("127.0.0.1:0"); err != nil {
		return fmt.Errorf("start the emulator: %w", err)
	}
	e.running, e.listen = m, m.Addr()
	return nil
}

func (e *emulator) addr() string { return e.listen }

func (e *emulator) peer(context.Context) (host, port string, err error) {
	return "", "", errors.New("the emulator is no node of a cluster")
}

func (e *emulator) stop(context.Context) error {
	if e.running != nil {
		e.running.Close()
		e.running = nil
	}
	return nil
}

// pause takes the lock that every command takes.
func (e *emulator) pause(_ context.Context, halt bool) error {
	if halt {
		e.running.Lock()
	} else {
		e.running.Unlock()
	}
	return nil
}

func (e *emulator) exitReason(context.Context) error { return nil }

func (e *emulator) close(ctx context.Context) error { return e.stop(ctx) }
