// Package quotecheck promises that the words of cmd/quotecheck come from what
// was read: it loads a site, checks its quotations or seals their sources, and
// says in one report what came of it.
package quotecheck

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"verbatim/internal/cli"
	"verbatim/internal/load"
	"verbatim/internal/markdown"
	"verbatim/internal/problem"
	"verbatim/internal/quote"
)

// Config is what the command line asks for.
type Config struct {
	Root     string      // the site's root
	Pages    string      // a folder of saved pages, or ""
	Require  quote.State // Verified or Attested: the least that will do
	SealOnly []string    // Seal: the sources to seal, none for all
	Voice    *cli.Voice  // says what goes on
}

// Report is what a run found.
type Report struct {
	Results  []quote.Result
	Problems problem.List
	Sealed   []quote.NewSeal // Seal: also those that were skipped
	Took     time.Duration
}

// Check verifies every quotation of the site. An error means that the work
// could not be done.
func Check(ctx context.Context, c Config) (*Report, error) {
	start := time.Now()
	s, err := open(c)
	if err != nil {
		return nil, err
	}
	defer s.close()
	c.Voice.Progress("checking the quotations")
	defer c.Voice.Progress("")
	results, ps, err := quote.Check(ctx, s.input)
	if err != nil {
		return nil, err
	}
	r := &Report{Results: results, Problems: append(s.problems, ps...)}
	if c.Require == quote.Verified {
		requireVerified(r)
	}
	r.Problems.Sort()
	r.Took = time.Since(start)
	return r, nil
}

// requireVerified complains about each quotation that this machine can only
// believe.
func requireVerified(r *Report) {
	for _, q := range r.Results {
		if q.State == quote.Attested {
			r.Problems.AddHint(q.Quote.Pos, "require",
				fmt.Sprintf("save the page as %s.html in a folder and name it with -pages, or be content with -require attested", q.Source),
				"is only attested: the page of source %q is not here", q.Source)
		}
	}
}

// Seal writes the seal of each source of c.SealOnly, or of all whose page is
// here and not committed.
func Seal(ctx context.Context, c Config) (*Report, error) {
	start := time.Now()
	s, err := open(c)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if err := s.known(c.SealOnly); err != nil {
		return nil, err
	}
	seals, ps, err := quote.Seal(ctx, s.input, c.SealOnly)
	if err != nil {
		return nil, err
	}
	for _, n := range seals {
		if n.Data == nil {
			continue
		}
		if err := writeChanged(s.root, n.File, n.Data); err != nil {
			return nil, err
		}
	}
	r := &Report{Problems: append(s.problems, ps...), Sealed: seals}
	r.Problems.Sort()
	r.Took = time.Since(start)
	return r, nil
}

// site is a site that is open for reading.
type site struct {
	root, pages *os.Root
	input       quote.Input
	problems    problem.List // of loading
}

func open(c Config) (*site, error) {
	root, err := os.OpenRoot(c.Root)
	if err != nil {
		return nil, fmt.Errorf("open the site: %w", err)
	}
	s := &site{root: root}
	s.input = quote.Input{Site: root.FS(), Dir: c.Root, Strip: markdown.Strip}
	if err := s.openPages(c.Pages); err != nil {
		s.close()
		return nil, err
	}
	book, ps, err := load.Site(root.FS())
	if err != nil {
		s.close()
		return nil, err
	}
	s.problems = aboutQuotations(ps)
	s.input.Sources = book.Sources
	for _, l := range book.All() {
		s.input.Citations = append(s.input.Citations, quote.Cite(&l.Lesson)...)
	}
	return s, nil
}

// hiding are the checks whose complaint about a lesson may mean that a
// quotation of it was not read.
var hiding = []string{"container", "source", "file", "nesting"}

// aboutQuotations leaves out what is the build's to say: a title that is
// missing proves nothing against a quotation.
func aboutQuotations(ps problem.List) problem.List {
	return slices.DeleteFunc(ps, func(p problem.Problem) bool {
		return !strings.HasPrefix(p.File, load.Quotes+"/") && (p.Warning || !slices.Contains(hiding, p.Check))
	})
}

func (s *site) openPages(dir string) error {
	if dir == "" {
		return nil
	}
	pages, err := os.OpenRoot(dir)
	if err != nil {
		return &cli.UsageError{Text: fmt.Sprintf("-pages %s cannot be opened: %v", dir, err)}
	}
	s.pages, s.input.Pages, s.input.PagesDir = pages, pages.FS(), dir
	return nil
}

func (s *site) close() {
	s.root.Close()
	if s.pages != nil {
		s.pages.Close()
	}
}

// known refuses ids that no source has.
func (s *site) known(ids []string) error {
	var all []string
	for _, source := range s.input.Sources {
		all = append(all, source.ID)
	}
	for _, id := range ids {
		if !slices.Contains(all, id) {
			return &cli.UsageError{Text: strings.TrimSpace(fmt.Sprintf("no source %q in quotes/; %s", id, problem.DidYouMean(id, all)))}
		}
	}
	return nil
}

// writeChanged writes a file aside and renames it into place, so that it is
// whole at any instant, and leaves one with the same bytes alone.
func writeChanged(root *os.Root, name string, data []byte) error {
	if old, err := fs.ReadFile(root.FS(), name); err == nil && string(old) == string(data) {
		return nil
	}
	aside := name + ".aside"
	if err := root.WriteFile(aside, data, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := root.Rename(aside, name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
