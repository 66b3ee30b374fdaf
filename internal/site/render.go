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
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/markdown"
	"verbatim/internal/page"
	"verbatim/internal/quote"
	"verbatim/internal/record"
	"verbatim/templates"
)

// quotations checks that every quotation stands in the saved copy of its
// source, as quotecheck -require attested does.
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
	b.report.Quotations = len(results)
	for _, r := range results {
		b.words[r.Quote.Pos] = string(r.Word)
	}
	return nil
}

// render draws every page and collects the copied files.
func (b *build) render(context.Context) (_ map[string][]byte, err error) {
	in := page.Input{
		Templates: b.templates(), Course: b.book.Course, States: b.words,
		Examples: map[string]page.Example{}, Sources: map[string]lesson.Source{},
		Workers: b.Workers, ImageSize: b.imageSize,
	}
	if in.Workers == 0 {
		in.Workers = runtime.NumCPU()
	}
	if home := b.book.Home; home != nil {
		in.Home = &page.Lesson{Lesson: &home.Lesson, Doc: home.Doc}
	}
	for _, l := range b.book.Lessons {
		if !l.Meta.Draft {
			in.Lessons = append(in.Lessons, page.Lesson{Lesson: &l.Lesson, Doc: l.Doc})
		}
	}
	for _, e := range b.book.Examples {
		shown := b.shown(e)
		if shown.Files, err = b.sources(e); err != nil {
			return nil, err
		}
		in.Examples[e.ID] = shown
	}
	for _, s := range b.book.Sources {
		in.Sources[s.ID] = s
	}
	files := map[string][]byte{}
	if err := b.copies(files); err != nil {
		return nil, err
	}
	in.Files = slices.Sorted(maps.Keys(files))
	b.drawn = in
	drawn, ps, err := page.Render(in)
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	b.report.Problems = append(b.report.Problems, ps...)
	for _, f := range drawn {
		files[f.Path] = f.Data
	}
	return files, nil
}

// shown is what readers are told about an example. It comes from the record
// alone, never from what happened to answer today.
func (b *build) shown(e lesson.Example) page.Example {
	shown := page.Example{Example: e, Command: commandOf(e)}
	r := b.records[e.ID]
	if r == nil {
		return shown
	}
	shown.Ran, shown.Lines, shown.Date = true, record.Lines(r.Output), r.Recorded.Date
	shown.Values, shown.Tables = r.Values, map[string][][]string{}
	for name, table := range r.Tables {
		if rows, err := record.ParseTable(name, table); err == nil { // else it could not be read as a record
			shown.Tables[name] = rows
		}
	}
	shown.Go = strings.TrimPrefix(r.Recorded.Go, "go")
	if r.Recorded.Redis != "" {
		shown.Service = "Redis " + r.Recorded.Redis
	}
	return shown
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
	if plain, err := url.PathUnescape(dest); err == nil {
		dest = plain
	}
	name := path.Join(path.Dir(file), dest)
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
