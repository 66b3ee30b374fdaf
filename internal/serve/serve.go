// Package serve is the live preview behind build -serve. It renders the site in
// memory, serves it over HTTP to this machine only, watches the sources, renders
// again what a saved file changes, and reloads the open page without moving the
// reader's place. Stale examples run in the background and their current output
// is shown below the recorded one.
//
// A page with problems is shown as it was before it had any, with the problems on
// it and in the terminal. The package writes only below .cache/: records, fences
// and public/ are left to the next build.
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

// server serves one site.
type server struct {
	live      *site.Live
	published *published
	runner    *runner
	imports   imports // further directories to watch
	printer   *cli.Printer
	printed   problem.List // the problems that were printed last
	failed    bool         // the last refresh returned no snapshot
}

// Run serves the site of c at the first of the addresses that this machine has,
// until ctx is cancelled; then it returns nil. The addresses come from
// ParseAddress. Run returns an error when c.Root holds no site, when the port is
// in use, or when the HTTP server fails.
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
	pub, i := newPublished(c.Strict), newImports(live.ImportDirs)
	return &server{live: live, published: pub, runner: newRunner(live, pub, i, c), imports: i, printer: c.Printer}
}

// run watches, renders and serves the site until ctx is cancelled.
func (s *server) run(ctx context.Context, root string, listener net.Listener) error {
	changes, batches := make(chan string), make(chan []string)
	go debounce(ctx, changes, batches)
	if err := watch(ctx, root, s.imports, s.printer.Printf, changes); err != nil {
		return err
	}
	s.refresh(ctx, nil)
	web := &http.Server{
		Handler: s.published, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	defer web.Close()
	s.printer.Printf("serving the site at http://%s/ (press ^C to stop)", listener.Addr())
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

// refresh renders the site after a change of the given paths, publishes it and
// prints the problems and one line of summary. No paths means that any file may
// have changed.
func (s *server) refresh(ctx context.Context, changed []string) {
	if s.failed {
		changed = nil // the changes of the failed refresh are not rendered yet: check all files
	}
	begin := time.Now()
	end := s.printer.Begin("rendering the site")
	snapshot, err := s.live.Refresh(ctx, changed)
	end()
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		s.failed = true
		s.published.setFailure(err.Error())
		s.printer.Printf("%v", err)
		return
	}
	s.failed = false
	s.imports.notify()
	s.published.setSnapshot(snapshot)
	s.runner.update(ctx, snapshot)
	if !slices.Equal(s.printed, snapshot.Problems) {
		s.printed = snapshot.Problems
		s.printer.Problems(s.printed)
	}
	problems, _ := snapshot.Problems.Count()
	s.printer.Printf("%s: %s changed, %s in %.2fs", describe(changed), cli.Count(len(snapshot.Changed), "file"),
		cli.Count(problems, "problem"), time.Since(begin).Seconds())
}

// describe names the changed paths for a message: the first and the number of the
// others.
func describe(changed []string) string {
	switch len(changed) {
	case 0:
		return "the whole site"
	case 1:
		return changed[0]
	}
	return fmt.Sprintf("%s and %d more", changed[0], len(changed)-1)
}
