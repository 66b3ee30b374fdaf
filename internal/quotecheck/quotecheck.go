// Package quotecheck implements the command quotecheck. It loads a site, checks its
// quotations against saved pages, writes seals, saves pages, and compares saved pages
// with live ones. Each function returns one report.
package quotecheck

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"verbatim/internal/cachedir"
	"verbatim/internal/cli"
	"verbatim/internal/load"
	"verbatim/internal/markdown"
	"verbatim/internal/problem"
	"verbatim/internal/quote"
)

// Config holds the options of the command line.
type Config struct {
	Root         string       // the site's root
	Pages        string       // a folder of saved pages, or ""
	Require      quote.State  // Verified or Attested: the least that will do
	Args         []string     // Seal and Drift: ids of sources, none for all; Save: an id, and an address or a file
	AllowPrivate bool         // Save and Drift may ask servers of the own network
	Today        string       // Save: the date to note, 2026-11-29; "" is today in UTC
	Printer      *cli.Printer // prints messages and progress; nil prints nothing
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
	c.Printer.Progress("checking the quotations")
	defer c.Printer.Progress("")
	results, ps, err := quote.Check(ctx, s.input)
	if err != nil {
		return nil, err
	}
	r := &Report{Results: results, Problems: append(s.problems, ps...), Counts: counts(results)}
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
	s.input = quote.Input{
		Site: load.Files(root), Dir: c.Root, Strip: markdown.Strip,
		Cache: filepath.Join(c.Root, cachedir.Name, quote.CacheDir),
	}
	if err := s.openPages(c.Pages); err != nil {
		s.close()
		return nil, err
	}
	book, ps, err := load.Site(load.Files(root))
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
