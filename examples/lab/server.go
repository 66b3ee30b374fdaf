package lab

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"

	"github.com/redis/go-redis/v9"
)

// envServer names the server that a copy of the program runs.
const envServer = "VERBATIM_LAB_SERVER"

// Server is a part of an example that runs in a process of its own: an HTTP
// server which can really be killed.
type Server struct {
	Name string

	// Handler answers the requests. rdb is connected to the lab's Redis.
	// report sends one line to the example, which reads it with
	// Process.Report.
	Handler func(rdb *redis.Client, report func(line string)) http.Handler
}

// Process is a server at work, as the example sees it.
type Process struct {
	URL string // "http://127.0.0.1:PORT"

	cmd      *exec.Cmd
	lifeline io.Closer // the server's standard input; it ends when this does
	lines    *bufio.Scanner
}

// Serve starts the server called name in a process of its own, which is this
// program once more, and returns when it accepts connections. It ends with
// Process.Kill, with ctx, with Close, or when the example's process ends.
func (l *Lab) Serve(ctx context.Context, name string) (*Process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), envServer+"="+name, envURL+"="+l.url)
	cmd.Stderr = os.Stderr
	detach(cmd)
	lifeline, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start server %s: %w", name, err)
	}
	p := &Process{cmd: cmd, lifeline: lifeline, lines: bufio.NewScanner(stdout)}
	if p.URL, err = p.Report(); err != nil {
		p.Kill()
		return nil, fmt.Errorf("start server %s: %w", name, err)
	}
	l.processes = append(l.processes, p)
	return p, nil
}

// Report waits for the next line that the server reports, and returns it. It
// fails when the server has ended.
func (p *Process) Report() (string, error) {
	if p.lines.Scan() {
		return p.lines.Text(), nil
	}
	return "", errors.Join(errors.New("the server has ended"), p.lines.Err())
}

// Kill ends the server at once (SIGKILL: nothing of it runs any more, no
// deferred call either) and returns when it is gone. Killing twice is fine.
func (p *Process) Kill() {
	p.cmd.Process.Kill()
	p.lifeline.Close()
	p.cmd.Wait() // "signal: killed" is what was asked for
}

// serveUntilParentEnds is the main of a server process. Its standard output
// carries the address and the reports, its standard input the parent's life.
func serveUntilParentEnds(name string, servers []Server) int {
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	i := slices.IndexFunc(servers, func(s Server) bool { return s.Name == name })
	if i < 0 {
		say("this program has no server %q", name)
		return exitFailed
	}
	if err := serve(servers[i]); err != nil {
		say("server %s: %v", name, err)
		return exitFailed
	}
	return 0
}

func serve(s Server) error {
	rdb, err := connect(os.Getenv(envURL))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	report := func(line string) { fmt.Println(line) }
	report("http://" + listener.Addr().String())
	return http.Serve(listener, s.Handler(rdb, report))
}
