// Package site builds a site. Every build reads all sources, runs the stale examples,
// checks everything, and writes only if there is no problem, each file atomically.
package site

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"verbatim/internal/cachedir"
	"verbatim/internal/claim"
	"verbatim/internal/cli"
	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/page"
	"verbatim/internal/pdf"
	"verbatim/internal/problem"
	"verbatim/internal/proc"
	"verbatim/internal/publish"
	"verbatim/internal/record"
	"verbatim/internal/run"
)

// DefaultImage is the Redis image of a site that pins none. It has the version of
// Debian 12's redis-server, so that containers, processes and records use the same
// version.
const DefaultImage = "redis:7.0.15"

// CacheDir is the name of the folder below the root whose content may be deleted.
const CacheDir = cachedir.Name

// Config says what to build and how.
type Config struct {
	Root    string         // the site's root; "" is the current folder
	Out     string         // where the site goes; "" is public below the root
	PDF     string         // the folder to print the lessons to; "" prints none
	Check   bool           // write nothing, re-run everything, compare
	Rerun   bool           // run every example, not only the stale ones
	Run     *regexp.Regexp // only these examples; nil is all
	Redis   string         // "auto", "container", "process", "embedded"
	Image   string         // the container image to start; "" is the pinned one
	Workers int            // 0 is GOMAXPROCS
	Strict  bool           // warnings count as problems
	Verbose bool           // one line per example with its time
	Printer *cli.Printer   // nil prints nothing
	Today   string         // the date of new records, 2026-11-29; "" is today in UTC

	at func(stage string) // called at each stage of a build, by tests; nil elsewhere
}

// Report holds the result of a build.
type Report struct {
	Problems problem.List // sorted
	Lessons  int
	Examples int
	Ran      int
	Matched  int          // of those that ran: they showed what was recorded
	Claims   claim.Counts // of the pages
	Service  string       // "container", "process", "embedded", "" when none was needed
	Changed  []string     // "content/x.md: 2 fences", in order
	Written  int          // files of the site whose bytes changed
	Took     time.Duration
}

// Wrong reports whether the build found problems or, with strict, warnings.
func (r *Report) Wrong(strict bool) bool {
	problems, warnings := r.Problems.Count()
	return problems > 0 || strict && warnings > 0
}

// build holds the state of one build.
type build struct {
	Config
	root    *os.Root
	fsys    fs.FS
	cache   string // absolute
	scratch string // the folder outside of the site that examples run in
	out     string // absolute
	book    *load.Book
	pinned  string

	records     map[string]*record.Record       // what pages show, by example
	stale       map[string][]run.Change         // by example; nil for one without a record
	renewed     map[string]bool                 // stale examples that this build recorded; nil in a Live
	edits       map[string]edit                 // lesson files to rewrite
	quoteStates map[problem.Pos]claim.Quotation // what pages say of each quotation
	drawn       page.Input                      // what the pages were drawn from
	theme       *page.Theme

	shownFrom *load.Book // the book that shownAt is of
	maskedIn  *load.Book // the book that maskedBy is of
	maskedBy  map[string][]lesson.Mask
	shownAt   map[string]problem.Pos // the first place that shows an example

	mu            sync.Mutex
	inputsOfAll   map[string]bool                // files that any record names; nil until they are needed
	otherRuns     map[string]int                 // by what a check ran on, where the record names another version
	compiled      map[string][]string            // by example that is to run: see run.Compiled
	readings      map[string]reading             // by the lesson's file
	spool         *spool                         // texts that are drawn as soon as they are read; nil draws none early
	recordsOnDisk map[string]*record.Record      // records on disk, for the values in lessons
	inputFiles    []string                       // the files of the inputs, before any was read
	inputDigests  *hashingFS                     // what was seen of them; nil in a Live
	module        *os.Root                       // the folder of a go.mod above the site's root, or nil
	sub           string                         // where the site is in it
	tree          *run.Tree                      // what the inputs of the examples were read with
	fileStamps    *stamps                        // which files need no reading, for a build that may be remembered
	reuse         func(file string) *load.Lesson // lessons that need not be read again, or nil
	outputDigests map[string][sha256.Size]byte   // of the files of the site, as they were written
	writtenAt     time.Time                      // when the last of them got its name
	report        *Report
	running       sync.Map // example → what ends its progress line
}

// edit is a lesson whose fences changed.
type edit struct{ old, new []byte }

// maxBuilds is how often a build begins again, plus one, when its inputs change.
const maxBuilds = 3

// Build builds the site. The report lists the author's problems. Build returns an
// error if the build could not be done; then no file of the site has changed, unless
// the error is a PrintError. If inputs change while examples run, it begins again.
func Build(ctx context.Context, c Config) (*Report, error) {
	begin := time.Now()
	if c.PDF != "" {
		if err := pdf.Check(c.Root, c.Out, c.PDF); err != nil {
			return nil, err
		}
	}
	for try := 1; ; try++ {
		r, err := buildOnce(ctx, c, try == maxBuilds)
		var saved *savedError
		if errors.As(err, &saved) {
			c.Printer.Printf("%s was saved during the build, which begins again", saved.file)
			continue
		}
		if err != nil {
			return nil, err
		}
		r.Took = time.Since(begin)
		return r, nil
	}
}

// savedError is returned when a file changed while examples ran, which may have seen
// it in both states.
type savedError struct{ file string }

func (e *savedError) Error() string { return e.file + " was saved during the build" }

// buildOnce builds the site from its current files. If a file is saved meanwhile, it
// reports a problem with last, and returns a savedError otherwise.
func buildOnce(ctx context.Context, c Config, last bool) (*Report, error) {
	b, unlock, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer unlock()
	defer b.close()
	b.stage("list")
	if b.unchanged(ctx) {
		return b.report, nil
	}
	if b.spool, err = openSpool(b.cache); err != nil {
		return nil, err
	}
	defer b.spool.close()
	for _, stage := range []func(context.Context) error{b.read, b.runExamples, b.check, b.write} {
		err := stage(ctx)
		var saved *savedError
		if last && errors.As(err, &saved) {
			b.report.Problems.AddHint(problem.Pos{File: saved.file}, "saved", "run build again when no program saves the file any more",
				"the file was saved during the build, %d times in a row", maxBuilds)
			b.report.Problems.Sort()
			return b.report, nil
		}
		if err != nil {
			return nil, err
		}
	}
	b.report.Problems.Sort()
	b.stage("remember")
	b.remember(ctx)
	return b.report, nil
}

// stage calls the hook of a test with the name of the stage that begins.
func (b *build) stage(name string) {
	if b.at != nil {
		b.at(name)
	}
}

func (b *build) close() {
	b.root.Close()
	if b.module != nil {
		b.module.Close()
	}
}

// open opens the folders of the site, waits until no other build of it runs, and
// removes what killed builds left.
func open(ctx context.Context, c Config) (*build, func(), error) {
	if c.Root == "" {
		c.Root = "."
	}
	if c.Today == "" {
		c.Today = time.Now().UTC().Format(time.DateOnly)
	}
	absolute, err := filepath.Abs(c.Root)
	if err != nil {
		return nil, nil, fmt.Errorf("open the site: %w", err)
	}
	out := c.Out
	if out == "" {
		out = filepath.Join(absolute, "public")
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, nil, fmt.Errorf("open the site: %w", err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, nil, fmt.Errorf("open the site: %w", err)
	}
	if info, err := root.Stat(load.Content); err != nil || !info.IsDir() {
		root.Close()
		return nil, nil, &noSiteError{c.Root}
	}
	if err := publish.CheckOut(absolute, out); err != nil {
		root.Close()
		return nil, nil, err
	}
	notes := newNotedFS(load.Files(root))
	b := &build{
		Config: c, root: root, fsys: notes, inputDigests: notes, out: out,
		cache: filepath.Join(absolute, CacheDir), report: &Report{},
		records: map[string]*record.Record{}, stale: map[string][]run.Change{}, edits: map[string]edit{},
		quoteStates: map[problem.Pos]claim.Quotation{},
	}
	b.Root = absolute
	if err := b.openModule(); err != nil {
		root.Close()
		return nil, nil, err
	}
	unlock, err := cachedir.Lock(ctx, b.cache, func() { c.Printer.Printf("waiting for another build of this site to end") })
	if err != nil {
		b.close()
		return nil, nil, err
	}
	if err := b.sweep(); err != nil {
		unlock()
		b.close()
		return nil, nil, err
	}
	return b, unlock, nil
}

// sweep removes what killed builds left. A check writes nothing outside the
// cache, so it leaves files aside to the next build.
func (b *build) sweep() error {
	var err error
	if b.scratch, err = proc.ScratchRoot(b.Root); err != nil {
		return err
	}
	if err := proc.Sweep(b.cache, b.scratch); err != nil {
		return err
	}
	if b.Check {
		return nil
	}
	if err := publish.Sweep(b.root, load.Content, load.Examples); err != nil {
		return err
	}
	out, err := os.OpenRoot(b.out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	defer out.Close()
	return publish.Sweep(out, ".")
}

// read loads what the author wrote and what earlier builds recorded.
func (b *build) read(context.Context) error {
	b.stage("read")
	if err := b.readBook(); err != nil {
		return err
	}
	b.report.Problems = append(b.report.Problems, b.lessonProblems()...)
	return nil
}

// lessonProblems lists what is wrong in lessons, as they were read last.
func (b *build) lessonProblems() (all problem.List) {
	for _, l := range b.book.All() {
		all = append(all, l.Problems...)
	}
	return all
}

// readBook reads without listing the problems of lessons.
func (b *build) readBook() error {
	var err error
	if b.theme == nil {
		if b.theme, err = page.ReadTheme(b.templates()); err != nil {
			return fmt.Errorf("render: %w", err)
		}
	}
	ps, err := b.load()
	if err != nil {
		return err
	}
	b.report.Problems = ps
	b.report.Lessons, b.report.Examples = len(b.book.All()), len(b.book.Examples)
	b.pinned = DefaultImage
	if home := b.book.Home; home != nil && home.Meta.Redis != "" {
		b.pinned = home.Meta.Redis
	}
	for _, e := range b.book.Examples {
		r, ps := record.Read(b.fsys, e.RecordDir)
		b.report.Problems = append(b.report.Problems, ps...)
		if r != nil {
			b.records[e.ID] = r
		}
	}
	return nil
}

// load reads the book with the values that the records hold: those of this
// build's runs, or else those on disk. It lists the problems that are no
// lesson's.
func (b *build) load() (problem.List, error) {
	options := load.Options{Workers: b.Workers, Parsed: b.keepReading, Known: b.reuse}
	if _, err := fs.Stat(b.fsys, load.Examples); err == nil {
		options.Markdown.Values = b.value
	}
	book, ps, err := load.Read(b.fsys, options)
	if err == nil {
		b.book = book
	}
	return ps, err
}

// value returns a recorded value, and whether there is one. It is safe for concurrent
// use.
func (b *build) value(example, name string) (string, bool) {
	r := b.records[example]
	if r == nil {
		r = b.recordOnDisk(example)
	}
	if r == nil {
		return "", false
	}
	value, ok := r.Values[name]
	return value, ok
}

// recordOnDisk reads the record of an example once.
func (b *build) recordOnDisk(example string) *record.Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, known := b.recordsOnDisk[example]
	if !known {
		r, _ = record.Read(b.fsys, path.Join(load.Examples, example, "recorded"))
		if b.recordsOnDisk == nil {
			b.recordsOnDisk = map[string]*record.Record{}
		}
		b.recordsOnDisk[example] = r
	}
	return r
}
