package lab

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	envImage     = "VERBATIM_REDIS_IMAGE"
	defaultImage = "redis:7.0.15"
)

// readyWithin bounds the time from a start to the answer to PING.
const readyWithin = 20 * time.Second

// ownRedis is a Redis that this program started and ends.
//
// Between the two is a shell that waits on a pipe that only this program
// holds open. However the program ends, kill -9 included, the system closes
// the pipe and the shell ends the server.
type ownRedis struct {
	port      int
	password  string
	container *container // nil: redis-server from PATH
	program   string

	lifeline *os.File      // closing it ends the server
	exited   chan struct{} // closed once the server is gone
	output   bytes.Buffer  // what the server said; read it after exited
}

// startOwn finds a way to run Redis and starts one on a free port.
func startOwn(ctx context.Context) (*ownRedis, error) {
	r := &ownRedis{password: rand.Text()}
	program, err := exec.LookPath("redis-server")
	if err != nil {
		if r.container, err = newContainer(ctx); err != nil {
			return nil, noRedis(err)
		}
	}
	r.program = program

	// Another program may take the port between the look and the start.
	for range 5 {
		if r.port, err = freePort(); err != nil {
			return nil, err
		}
		if err = r.launch(ctx); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("start redis: %w", err)
	}
	return r, nil
}

// noRedis names both remedies, and why the second one is not there already.
func noRedis(why error) error {
	return fmt.Errorf(`no Redis to be had: redis-server is not on PATH, and %w
    install redis-server (debian, ubuntu: apt-get install redis-server; macOS: brew install redis)
    or start a Docker engine that has, or can pull, the image %s (%s names another)`,
		why, image(), envImage)
}

func image() string {
	if name := os.Getenv(envImage); name != "" {
		return name
	}
	return defaultImage
}

func (r *ownRedis) String() string {
	where := r.program
	if r.container != nil {
		where = "container of " + r.container.image
	}
	return fmt.Sprintf("%s, 127.0.0.1:%d", where, r.port)
}

func (r *ownRedis) url() string {
	return fmt.Sprintf("redis://default:%s@127.0.0.1:%d/0", r.password, r.port)
}

// config is the server's whole configuration. It goes through standard input,
// so that no list of processes shows the password. A container needs its
// own address and port; there 127.0.0.1 is guarded by the engine's mapping.
func (r *ownRedis) config() string {
	bind, port := "127.0.0.1", r.port
	if r.container != nil {
		bind, port = "*", 6379
	}
	return fmt.Sprintf("bind %s\nport %d\nrequirepass %s\nsave \"\"\nappendonly no\n", bind, port, r.password)
}

// guard runs the command in its arguments, with the shell's own standard input
// as input, until that ends by itself or file 3 does. $begin runs before it and
// cannot be cut short, $end after it: a container outlives its docker client.
//
// File 4 is there because a shell gives its background commands /dev/null to
// read. The shell itself falls silent because, once this program is dead, a
// single word of it would end it with SIGPIPE, before $end.
const guard = `
eval "$begin" >/dev/null || exit
exec 4<&0
"$@" <&4 3<&- 4<&- &
server=$!
exec 4<&- >/dev/null 2>&1
(cat <&3; kill -9 $server) &
watcher=$!
wait $server
kill $watcher
eval "$end"
`

// job is what guard runs: words of a command, and shell lines around it.
type job struct {
	begin   string
	command []string
	end     string
}

// launch starts the server on r.port and returns once it answered PING.
func (r *ownRedis) launch(ctx context.Context) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()

	job := job{command: []string{r.program, "-"}}
	if r.container != nil {
		job = r.container.job(r.port)
	}
	r.output.Reset()
	cmd := exec.Command("sh", append([]string{"-c", guard, "guard"}, job.command...)...)
	cmd.Env = append(os.Environ(), "begin="+job.begin, "end="+job.end)
	cmd.Stdin = strings.NewReader(r.config())
	cmd.Stdout, cmd.Stderr = &r.output, &r.output
	cmd.ExtraFiles = []*os.File{read}
	detach(cmd)
	if err := cmd.Start(); err != nil {
		write.Close()
		return err
	}
	exited := make(chan struct{})
	go func() {
		cmd.Wait() // output holds what it said; how it ended does not matter
		close(exited)
	}()
	r.lifeline, r.exited = write, exited
	if err := r.ready(ctx); err != nil {
		return errors.Join(err, r.close())
	}
	return nil
}

// ready waits until the server answers PING.
func (r *ownRedis) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		if r.ping() {
			return nil
		}
		select {
		case <-r.exited:
			return fmt.Errorf("it ended: %s", lastLine(r.output.String()))
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// ping asks over a bare connection: the client's own backoff would cost more
// than the whole start. Our password proves that the server is ours.
func (r *ownRedis) ping() bool {
	conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", r.port), time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	fmt.Fprintf(conn, "AUTH %s\r\nPING\r\n", r.password)
	const want = "+OK\r\n+PONG\r\n"
	answer := make([]byte, len(want))
	_, err = io.ReadFull(conn, answer)
	return err == nil && string(answer) == want
}

func (r *ownRedis) stop(context.Context) error { return r.close() }

// start brings the server back on its port, which the system or another
// program may hold for a moment.
func (r *ownRedis) start(ctx context.Context) error {
	if r.lifeline != nil {
		return errors.New("it is running")
	}
	var err error
	for range 20 {
		if err = r.launch(ctx); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return err
}

// slow would need a proxy between the program and its Redis.
func (r *ownRedis) slow(context.Context, time.Duration) error { return errors.ErrUnsupported }

// close ends the server and returns once it is gone. Closing twice is fine.
func (r *ownRedis) close() error {
	if r.lifeline == nil {
		return nil
	}
	err := r.lifeline.Close()
	r.lifeline = nil
	<-r.exited
	return err
}

// freePort returns a port that no program listens on, below the ranges from which
// systems serve outgoing connections and a build its servers: one of those could
// take it while the server is stopped.
func freePort() (int, error) {
	for range 100 {
		n, err := rand.Int(rand.Reader, big.NewInt(10_000))
		if err != nil {
			return 0, err
		}
		port := 10_000 + int(n.Int64())
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		return port, l.Close()
	}
	return 0, errors.New("no free port on 127.0.0.1 between 10000 and 19999")
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
