package quotecheck

import (
	"context"
	"fmt"
	"os"
	"path"
	"time"

	"verbatim/internal/cli"
	"verbatim/internal/quote"
)

// Seal writes the seal of each source of c.Args, or of all whose page is
// here and not committed.
func Seal(ctx context.Context, c Config) (*Report, error) {
	start := time.Now()
	s, err := open(c)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.known(c.Args); err != nil {
		return nil, err
	}
	seals, ps, err := quote.Seal(ctx, s.input, c.Args)
	if err != nil {
		return nil, err
	}
	r := &Report{Problems: append(s.problems, ps...)}
	written := 0
	for _, n := range seals {
		if n.Data == nil {
			r.Done = append(r.Done, fmt.Sprintf("%s: not sealed: %s", n.Source, n.Skipped))
			continue
		}
		if err := writeFiles(s.root, append(ignoredCopy(s.root, path.Dir(n.File)), file{n.File, n.Data})); err != nil {
			return nil, err
		}
		r.Done = append(r.Done, fmt.Sprintf("%s: %s sealed in %s", n.Source, cli.Count(n.Quotations, "quotation"), n.File))
		written++
	}
	r.Counts = []string{cli.Count(written, "seal")}
	r.Problems.Sort()
	r.Took = time.Since(start)
	return r, nil
}

// ignoredCopy returns the .gitignore of a source's private folder, where the
// folder was made by hand and has none.
func ignoredCopy(root *os.Root, source string) []file {
	ignore := ignoring(path.Join(source, "private"))
	if _, err := root.Stat(path.Dir(ignore.name)); err != nil {
		return nil
	}
	if _, err := root.Stat(ignore.name); err == nil {
		return nil
	}
	return []file{ignore}
}
