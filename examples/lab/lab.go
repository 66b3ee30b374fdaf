// Package lab starts a Redis for an example, wherever the example runs, and ends
// everything that it started when the program ends.
//
// Inside a build, the build provides the Redis and can stop it. Alone, as in
// `go run ./examples/exh5050`, the package starts one: redis-server from PATH,
// else a container. It works with no other server: a REDIS_URL alone is not
// trusted.
//
// A Clock lets minutes pass at once on that Redis, Traffic counts what a client
// sends to it. Value and Table record what lessons show. Tests of examples open
// their labs through labtest.
package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Variables that a build sets for its examples. REDIS_URL alone is not trusted:
// many shells export one that points at a server in use.
const (
	envURL     = "REDIS_URL"
	envControl = "VERBATIM_CONTROL"
)

// Exit codes of Main.
const (
	exitFailed      = 1
	exitNoRedis     = 3
	exitInterrupted = 130 // as shells report ^C
)

// Lab is what an example works with: one Redis, and server processes.
type Lab struct {
	rdb       *redis.Client
	url       string
	power     power
	processes []*Process
	recorded  map[string]bool // names of values and tables
}

// power stops, starts and slows the Redis of a lab, and ends it for good.
type power interface {
	stop(ctx context.Context) error
	start(ctx context.Context) error
	slow(ctx context.Context, delay time.Duration) error
	close() error
}

// Main runs an example and ends the process. Exit codes: 0 when example
// returns nil, 1 when it returns an error, 3 when there is no Redis to be had,
// 130 after ^C. Errors go to standard error.
//
// Servers are the parts of the program that run in processes of their own; the
// example starts them with Lab.Serve.
func Main(example func(ctx context.Context, l *Lab) error, servers ...Server) {
	if name := os.Getenv(envServer); name != "" {
		os.Exit(serveUntilParentEnds(name, servers))
	}
	os.Exit(run(Open, example))
}

// MainWithoutRedis is Main for an example with "needs: none". Its lab records
// values and tables; it has no Redis and no servers.
func MainWithoutRedis(example func(ctx context.Context, l *Lab) error) {
	os.Exit(run(func(context.Context) (*Lab, error) { return &Lab{}, nil }, example))
}

func run(open func(context.Context) (*Lab, error), example func(ctx context.Context, l *Lab) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	l, err := open(ctx)
	if err != nil {
		say("%v", err)
		return exitNoRedis
	}
	err = errors.Join(example(ctx, l), l.Close())
	switch {
	case ctx.Err() != nil:
		say("interrupted")
		return exitInterrupted
	case err != nil:
		say("%v", err)
		return exitFailed
	}
	return 0
}

// Open returns a lab for a program that has its own main, such as a test. An error means that there is no Redis and says what to install.
// The caller closes the lab.
func Open(ctx context.Context) (*Lab, error) {
	address, control := os.Getenv(envURL), os.Getenv(envControl)
	if address != "" && control != "" {
		return newLab(address, &controlURL{control})
	}
	if address != "" {
		say("%s is ignored: without %s it could be a server that somebody needs", envURL, envControl)
	}
	own, err := startOwn(ctx)
	if err != nil {
		return nil, err
	}
	say("started a Redis of its own: %s", own)
	return newLab(own.url(), own)
}

func newLab(address string, p power) (*Lab, error) {
	rdb, err := connect(address)
	if err != nil {
		return nil, errors.Join(err, p.close())
	}
	return &Lab{rdb: rdb, url: address, power: p}, nil
}

// connect returns a client that reports the result of one attempt: no retries
// that would hide a failure or count a request twice, contexts that are
// respected, and no lines of its own on standard error.
func connect(address string) (*redis.Client, error) {
	options, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", envURL, err)
	}
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.ContextTimeoutEnabled = true
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	logging.Disable()
	return redis.NewClient(options), nil
}

// Redis returns the lab's client. It never retries, and its address stays the
// same across Stop and Start.
func (l *Lab) Redis() *redis.Client { return l.rdb }

// Stop takes the Redis away: when it returns nil, connections are refused.
func (l *Lab) Stop(ctx context.Context) error {
	if err := l.power.stop(ctx); err != nil {
		return fmt.Errorf("stop redis: %w", err)
	}
	return nil
}

// Start brings the Redis back at the same address, without its data: when it
// returns nil, PING was answered.
func (l *Lab) Start(ctx context.Context) error {
	if err := l.power.start(ctx); err != nil {
		return fmt.Errorf("start redis: %w", err)
	}
	return nil
}

// Slow makes each answer of the Redis come later by delay, in whole milliseconds,
// as if it were farther away; 0 brings it back. Only a build can do that: alone,
// the error is errors.ErrUnsupported.
func (l *Lab) Slow(ctx context.Context, delay time.Duration) error {
	if err := l.power.slow(ctx, delay); err != nil {
		return fmt.Errorf("slow redis: %w", err)
	}
	return nil
}

// Close ends the lab's server processes, and its Redis if the lab started it.
func (l *Lab) Close() error {
	for _, p := range l.processes {
		p.Kill()
	}
	if l.rdb == nil {
		return nil
	}
	return errors.Join(l.rdb.Close(), l.power.close())
}

func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "lab: "+format+"\n", args...)
}
