package quote

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"verbatim/internal/lesson"
	"verbatim/internal/pagecache"
	"verbatim/internal/problem"
)

// State is the result of checking a quotation against the copy of its source.
type State string

// The states. The last three are always problems.
const (
	Verified   State = "verified"   // the page is here and its digest agrees
	Attested   State = "attested"   // the page is not here; the seal agrees with the lesson
	Stale      State = "stale"      // the quotation or the contract changed since the seal
	Drifted    State = "drifted"    // the page is here and is not the sealed one
	Unverified State = "unverified" // neither page nor seal, or no match
)

// Citation is one place in a lesson that quotes a source.
type Citation struct {
	Source string      // its id
	Pos    problem.Pos // the container, or the link
	URL    string      // the container's link; "" for a link [words](quote:source)
	Quotes []lesson.Quote
}

// Input holds what Check reads.
type Input struct {
	Site      fs.FS  // the site's root
	Dir       string // the same as a path, where the go command runs
	Pages     fs.FS  // the folder of -pages, or nil
	PagesDir  string // its path, for the names of files in problems
	Sources   []lesson.Source
	Citations []Citation
	Strip     Stripper
	Workers   int // 0 means one for each CPU

	// Cache is a folder that caches texts of pages and findings, or "". It may be
	// deleted at any time. With a cache, files below Dir are examined by their
	// path, and only their bytes are read from Site.
	Cache string
	cache *pagecache.Cache // opened
	here  listing          // Site
	given listing          // Pages

	modules *modules

	// Publish makes a missing seal a problem: the word on the site comes from
	// committed files alone. Otherwise it is a warning.
	Publish bool
}

// Result is one quotation, checked.
type Result struct {
	Quote  lesson.Quote
	Source string
	Ours   bool // the source is the author's own page
	Finding
	State     State     // from all files of this machine
	Published Published // from committed files alone
}

// Published is what the site shows of a quotation: the result of a check that uses
// committed files alone.
type Published struct {
	State        State
	Reservations []Reservation // of Verified and Attested
	Anchor       []string      // text by which a link finds the passage; see Finding.anchor
}

// Check verifies every quotation and returns the results in the order of files and
// lines, with the author's problems. It returns an error if the check could not be
// done: the go command is missing, or ctx was cancelled.
func Check(ctx context.Context, in Input) ([]Result, problem.List, error) {
	in = in.open()
	defer in.cache.Close()
	checks, ps := in.group()
	if err := in.each(ctx, checks, (*sourceCheck).run); err != nil {
		return nil, nil, err
	}
	if err := in.findElsewhere(ctx, checks); err != nil {
		return nil, nil, err
	}
	n := 0
	for _, c := range checks {
		n += len(c.results)
	}
	results := make([]Result, 0, n)
	for _, c := range checks {
		ps = append(ps, c.problems()...)
		results = append(results, c.results...)
	}
	slices.SortStableFunc(results, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Quote.Pos.File, b.Quote.Pos.File),
			cmp.Compare(a.Quote.Pos.Line, b.Quote.Pos.Line), cmp.Compare(a.Quote.Pos.Col, b.Quote.Pos.Col))
	})
	ps.Sort()
	return results, ps, nil
}

// open reads what every source needs. The cache must be closed.
func (in Input) open() Input {
	in.cache = openCache(in.Cache)
	in.modules = &modules{}
	in.here = listing{fsys: in.Site, names: in.names(), cache: in.cache}
	if in.Pages != nil {
		in.given = listing{fsys: in.Pages, names: in.Pages, cache: in.cache}.below(".")
	}
	return in
}

// names returns the files of the site for looking at what is there. By the path of
// the site that takes one call of the system for each; a file system that never
// leaves the site looks at every folder on the way and at every file that it
// lists. So the path serves where no folder above a source is a link.
func (in Input) names() fs.FS {
	if in.cache == nil || in.Dir == "" {
		return in.Site
	}
	byPath := os.DirFS(in.Dir)
	folders := map[string]bool{".": true}
	for _, s := range in.Sources {
		for above := path.Dir(path.Dir(s.File)); !folders[above]; above = path.Dir(above) {
			if info, err := fs.Lstat(byPath, above); err != nil || !info.IsDir() {
				return in.Site
			}
			folders[above] = true
		}
	}
	return byPath
}

// group assigns the citations to their sources, and reports those that do not
// fit. A citation of no source gets a check without one.
func (in Input) group() ([]*sourceCheck, problem.List) {
	var ps problem.List
	var checks []*sourceCheck
	var ids []string
	byID := map[string]*sourceCheck{}
	for _, s := range in.Sources {
		byID[s.ID] = &sourceCheck{in: in, source: s}
		checks = append(checks, byID[s.ID])
		ids = append(ids, s.ID)
	}
	names := sync.OnceValue(func() *problem.Names { return problem.NewNames(ids) })
	nobody := &sourceCheck{in: in}
	for _, c := range in.Citations {
		check, known := byID[c.Source]
		if !known {
			ps.AddHint(c.Pos, "source", names().DidYouMean(c.Source), "no source %q in quotes/", c.Source)
			nobody.citations = append(nobody.citations, c)
			continue
		}
		check.citations = append(check.citations, c)
		if c.URL != "" && check.source.URL != "" && c.URL != check.source.URL {
			ps.AddHint(c.Pos, "source", fmt.Sprintf("the lesson links to %s\n%s says %s", c.URL, check.source.File, check.source.URL),
				"the link is not the url of source %q", c.Source)
		}
	}
	for _, c := range checks {
		if len(c.citations) == 0 {
			ps.AddHint(startOf(c.source.File), "source", "quote it in a source container, or delete its folder", "no lesson cites source %q", c.source.ID)
		}
	}
	return append(checks, nobody), ps
}

// each calls f with every check, at most in.Workers at once. After the first error,
// which it returns, it starts no other.
func (in Input) each(ctx context.Context, checks []*sourceCheck, f func(*sourceCheck, context.Context) error) error {
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(in.workers())
	for _, c := range checks {
		if running.Err() != nil {
			break
		}
		g.Go(func() error { return f(c, running) })
	}
	err := g.Wait()
	return cmp.Or(context.Cause(ctx), err)
}

func (in Input) workers() int { return cmp.Or(in.Workers, runtime.GOMAXPROCS(0)) }

// findElsewhere looks for the quotations without a match in the pages of all
// other sources, by rules (b) and (c): each page is gone through once.
func (in Input) findElsewhere(ctx context.Context, checks []*sourceCheck) error {
	var missing []*Result
	for _, c := range checks {
		for i := range c.results {
			if c.place.file != "" && c.results[i].Verdict == NoMatch {
				missing = append(missing, &c.results[i])
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	words := make([]string, len(missing))
	for i, r := range missing {
		words[i] = fold(exact(r.Quote.Text), typographyView).text
	}
	wanted := newPatterns(words)
	var mu sync.Mutex
	foundIn := map[*Result][]string{}
	err := in.each(ctx, checks, func(c *sourceCheck, _ context.Context) error {
		page := c.page()
		if page == nil {
			return nil
		}
		for _, i := range page.holds(wanted) {
			if r := missing[i]; r.Source != c.source.ID {
				mu.Lock()
				foundIn[r] = append(foundIn[r], c.source.ID)
				mu.Unlock()
			}
		}
		return nil
	})
	for r, ids := range foundIn {
		slices.Sort(ids)
		r.Notes = append([]string{"stands in source " + strings.Join(ids, ", ") + " instead"}, r.Notes...)
	}
	return err
}
