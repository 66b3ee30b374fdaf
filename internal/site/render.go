package site

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/gif"  // sizes of pictures
	_ "image/jpeg" // sizes of pictures
	_ "image/png"  // sizes of pictures
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"verbatim/internal/claim"
	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/markdown"
	"verbatim/internal/page"
	"verbatim/internal/quote"
	"verbatim/internal/record"
	"verbatim/templates"
)

// quotations checks that the saved copy of its source contains every quotation, as
// quotecheck -require attested does.
func (b *build) quotations(ctx context.Context) error {
	in := quote.Input{
		Site: b.fsys, Dir: b.Root, Sources: b.book.Sources,
		Strip: markdown.Strip, Workers: b.Workers, Publish: true,
	}
	if !b.Check { // a proof trusts nothing that an earlier run left
		in.Cache = filepath.Join(b.cache, quote.CacheDir)
	}
	for _, l := range b.book.All() {
		in.Citations = append(in.Citations, quote.Cite(&l.Lesson)...)
	}
	results, ps, err := quote.Check(ctx, in)
	if err != nil {
		return err
	}
	b.report.Problems = append(b.report.Problems, ps...)
	for _, r := range results {
		b.quoteStates[r.Quote.Pos] = claim.Quotation{
			State: string(r.Published.State), Notes: quote.ReaderNotes(r.Published.Reservations), Own: r.Ours, Anchor: r.Published.Anchor,
		}
	}
	return nil
}

// plan makes the site to be drawn.
func (b *build) plan() (*page.Site, error) {
	in := page.Input{
		Theme: b.theme, Course: b.book.Course, Quotes: b.quoteStates,
		Examples: map[string]page.Example{}, Sources: map[string]lesson.Source{},
		ImageSize: b.imageSize,
	}
	if home := b.book.Home; home != nil {
		in.Home = &page.Lesson{Lesson: &home.Lesson, Open: home.Open}
	}
	for _, l := range b.book.Lessons {
		if !l.Meta.Draft {
			in.Lessons = append(in.Lessons, b.pageOf(l))
		}
	}
	for _, e := range b.book.Examples {
		shown := b.shown(e)
		var err error
		if shown.Files, err = b.sources(e); err != nil {
			return nil, err
		}
		in.Examples[e.ID] = shown
	}
	for _, s := range b.book.Sources {
		in.Sources[s.ID] = s
	}
	for _, file := range b.book.Files {
		in.Files = append(in.Files, published(file))
	}
	b.drawn = in
	s, err := page.New(in)
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	b.report.Problems = append(b.report.Problems, s.Problems...)
	b.report.Claims = s.Counts()
	return s, nil
}

// pageOf is a lesson as package page wants it.
func (b *build) pageOf(l *load.Lesson) page.Lesson {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.readings[l.File]
	return page.Lesson{Lesson: &l.Lesson, Open: l.Open, Gist: r.gist, Text: r.text}
}

// published is where a file of content/ lies in the site.
func published(file string) string { return strings.TrimPrefix(file, load.Content+"/") }

// renderAll calls take with every file of the site, several at a time, and returns their
// names. Only the files that are being rendered and taken are in memory.
func (b *build) renderAll(ctx context.Context, s *page.Site, take func(page.File) error) (names []string, err error) {
	var mu sync.Mutex
	emit := func(f page.File) error {
		mu.Lock()
		names = append(names, f.Path)
		mu.Unlock()
		return take(f)
	}
	jobs := []func() error{func() error { return s.Search(emit) }} // the longest begins first
	for _, f := range s.Static() {
		jobs = append(jobs, func() error { return emit(f) })
	}
	for _, file := range b.book.Files {
		jobs = append(jobs, func() error {
			data, err := fs.ReadFile(b.fsys, file)
			if err != nil {
				return fmt.Errorf("copy %s: %w", file, err)
			}
			return emit(page.File{Path: published(file), Data: data})
		})
	}
	for i := range s.Len() {
		jobs = append(jobs, func() error {
			f, err := s.Draw(i)
			if err != nil {
				return fmt.Errorf("render: %w", err)
			}
			return emit(f)
		})
	}
	err = runAll(ctx, b.workers(), jobs)
	return names, err
}

// runAll runs jobs, at most limit at once, and returns the error of the first that
// fails, in the order of jobs, whatever the order in time. After an error or the end of
// ctx it starts no other job.
func runAll(ctx context.Context, limit int, jobs []func() error) error {
	errs := make([]error, len(jobs))
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(limit)
	for i, job := range jobs {
		if running.Err() != nil {
			break
		}
		g.Go(func() error {
			errs[i] = job()
			return errs[i]
		})
	}
	if g.Wait() != nil {
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// shown is what readers are told about an example. It comes from the record
// alone, never from what happened to answer today.
func (b *build) shown(e lesson.Example) page.Example {
	shown := page.Example{Example: e, Command: commandOf(e)}
	r := b.records[e.ID]
	if r == nil {
		return shown
	}
	shown.Ran = !b.outdated(e.ID)
	shown.Lines, shown.Date = record.Lines(r.Output), r.Recorded.Date
	shown.Values, shown.Tables = r.Values, map[string][][]string{}
	for name, table := range r.Tables {
		if rows, err := record.ParseTable(name, table); err == nil { // else it could not be read as a record
			shown.Tables[name] = rows
		}
	}
	shown.Uses, shown.Connected = usesOf(e, r), r.Recorded.Connected
	shown.Go = strings.TrimPrefix(r.Recorded.Go, "go")
	if r.Recorded.Redis != "" {
		shown.Service = "Redis " + r.Recorded.Redis
	}
	return shown
}

// usesOf returns what the run behind a record did with each file below examples/.
// A command has all of its folder at hand; of a Go program only what it was
// compiled from is part of the run.
func usesOf(e lesson.Example, r *record.Record) map[string]claim.UsedAs {
	uses := map[string]claim.UsedAs{}
	set := func(name string, as claim.UsedAs) {
		if file, ok := strings.CutPrefix(name, load.Examples+"/"); ok {
			uses[file] = as
		}
	}
	for name := range r.Inputs {
		as := claim.Present
		if !e.Go && name != e.Dir+"/example.yaml" {
			as = claim.Given
		}
		set(name, as)
	}
	for _, name := range r.Compiled {
		set(name, claim.Run)
	}
	return uses
}

// templates is the site's own theme, or ours.
func (b *build) templates() fs.FS {
	if _, err := fs.Stat(b.fsys, "templates/base.html"); err == nil {
		if own, err := fs.Sub(b.fsys, "templates"); err == nil {
			return own
		}
	}
	return templates.FS
}

// imageSize reads the size of a picture of content/, so that pages do not jump
// while it loads.
func (b *build) imageSize(file, dest string) (width, height int) {
	dest, _, _ = strings.Cut(dest, "?")
	name := path.Join(path.Dir(file), lesson.Unescape(dest))
	if !strings.HasPrefix(name, load.Content+"/") {
		return 0, 0
	}
	data, err := fs.ReadFile(b.fsys, name)
	if err != nil {
		return 0, 0
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return 0, 0
	}
	return config.Width, config.Height
}
