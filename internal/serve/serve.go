// Package serve promises an author a browser that shows what she saves: the
// site is drawn in memory, served to this machine alone, drawn again when a
// file changes, and the open page follows without losing its place. What is
// wrong stands on the page and in the terminal, while the last good page stays
// readable. Nothing outside .cache/ is written: records, fences and public/
// belong to the next build.
package serve

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"verbatim/internal/cli"
	"verbatim/internal/problem"
	"verbatim/internal/site"
)

// server is one site that is served.
type server struct {
	live    *site.Live
	stage   *stage
	runner  *runner
	beyond  imports // what else there is to watch
	printer *cli.Printer
	said    problem.List // the problems that the terminal shows last
	failed  bool         // the newest sources could not be drawn at all
}

// Run serves the site of c at one of the addresses, as Address gave them, until
// ctx ends, which is no error. An error means that it cannot be served: it is
// no site, or the port is taken.
func Run(ctx context.Context, addresses []string, c site.Config) error {
	listener, err := listen(ctx, addresses)
	if err != nil {
		return err
	}
	defer listener.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	live, err := site.OpenLive(ctx, c)
	if err != nil {
		return err
	}
	s := newServer(live, c)
	err = s.run(ctx, c.Root, listener)
	cancel()
	s.runner.wait()
	if closeErr := live.Close(); err == nil {
		err = closeErr
	}
	return err
}

func newServer(live *site.Live, c site.Config) *server {
	stage, beyond := newStage(c.Strict), newImports(live.Beyond)
	return &server{live: live, stage: stage, printer: c.Printer, beyond: beyond, runner: newRunner(live, stage, beyond, c)}
}

// run draws and serves until ctx ends.
func (s *server) run(ctx context.Context, root string, listener net.Listener) error {
	changes, batches := make(chan string), make(chan []string)
	go gather(ctx, changes, batches)
	if err := watch(ctx, root, s.beyond, s.printer.Printf, changes); err != nil {
		return err
	}
	s.refresh(ctx, nil)
	web := &http.Server{
		Handler: s.stage, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	defer web.Close()
	s.printer.Printf("http://%s/ shows this site as it is saved; ^C ends it", listener.Addr())
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		case changed := <-batches:
			s.refresh(ctx, changed)
		}
	}
}

// refresh draws the site as it is now, and says what came of it.
func (s *server) refresh(ctx context.Context, changed []string) {
	if s.failed {
		changed = nil // what the failed drawing was told counts too
	}
	begin := time.Now()
	end := s.printer.Begin("drawing the site")
	snapshot, err := s.live.Refresh(ctx, changed)
	end()
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		s.failed = true
		s.stage.fail(err.Error())
		s.printer.Printf("%v", err)
		return
	}
	s.failed = false
	s.beyond.changed()
	s.stage.show(snapshot)
	s.runner.update(ctx, snapshot)
	if !slices.Equal(s.said, snapshot.Problems) {
		s.said = snapshot.Problems
		s.printer.Problems(s.said)
	}
	problems, _ := snapshot.Problems.Count()
	s.printer.Printf("%s: %s changed, %s in %.2fs", subject(changed), cli.Count(len(snapshot.Changed), "file"),
		cli.Count(problems, "problem"), time.Since(begin).Seconds())
}

// subject names what was saved.
func subject(changed []string) string {
	switch len(changed) {
	case 0:
		return "the whole site"
	case 1:
		return changed[0]
	}
	return fmt.Sprintf("%s and %d more", changed[0], len(changed)-1)
}
