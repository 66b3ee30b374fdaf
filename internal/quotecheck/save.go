package quotecheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"verbatim/internal/cli"
	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/problem"
	"verbatim/internal/quote"
)

// idWord is what the id of a source may look like.
var idWord = regexp.MustCompile(`^[\pL\pN][\pL\pN_.-]*$`)

// Save stores a page as the copy of a source, with where it came from and
// when. c.Args are the source's id and an address or a file. A page that
// cannot be the right one is a problem, and then nothing is written. An error
// means that there is no page, or that it could not be written.
func Save(ctx context.Context, c Config) (*Report, error) {
	start := time.Now()
	id, from := c.Args[0], c.Args[1]
	if !idWord.MatchString(id) {
		return nil, &cli.UsageError{Text: fmt.Sprintf("%q cannot be the id of a source: use letters, digits, - _ and .", id)}
	}
	remote, err := isAddress(from)
	if err != nil {
		return nil, err
	}
	s, err := open(c)
	if err != nil {
		return nil, err
	}
	defer s.close()
	source, known := s.source(id)
	if source.Module != "" {
		return nil, &cli.UsageError{Text: fmt.Sprintf("source %q is a file of module %s: go.sum pins it, and there is nothing to save", id, source.Module)}
	}
	g, err := c.obtain(ctx, from, remote)
	r := &Report{Counts: []string{"0 pages saved"}}
	var refused *notPage
	if errors.As(err, &refused) {
		r.Problems.Add(problem.Pos{File: from}, "save", "%s", refused)
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	page, err := g.read()
	if err != nil {
		r.Problems.Add(problem.Pos{File: from}, "save", "%v", err)
		return r, nil
	}
	source = c.describe(source, known, g, page, remote)
	s.refuse(source, g, page, &r.Problems)
	if len(r.Problems) == 0 {
		err = s.store(source, known, g, page, r)
	}
	r.Problems.Sort()
	r.Took = time.Since(start)
	return r, err
}

// source returns a source; a new one has only its id.
func (s *site) source(id string) (lesson.Source, bool) {
	i := slices.IndexFunc(s.input.Sources, func(source lesson.Source) bool { return source.ID == id })
	if i < 0 {
		return lesson.Source{ID: id, File: path.Join(load.Quotes, id, "source.yaml")}, false
	}
	return s.input.Sources[i], true
}

func (c Config) obtain(ctx context.Context, from string, remote bool) (got, error) {
	if !remote {
		return readFile(from)
	}
	c.Printer.Progress("fetching %s", from)
	defer c.Printer.Progress("")
	g, err := c.download(ctx, from)
	var refused *notPage
	if err != nil && !errors.As(err, &refused) {
		return got{}, fmt.Errorf("fetch %s: %w", from, err)
	}
	return g, err
}

// describe notes where the page came from. An address that source.yaml has
// stays: it is the one that lessons link to.
func (c Config) describe(source lesson.Source, known bool, g got, page *quote.Page, remote bool) lesson.Source {
	by := page.Provenance
	source.Saved = cmp.Or(c.Today, time.Now().UTC().Format(time.DateOnly))
	switch {
	case remote:
		source.URL = cmp.Or(source.URL, g.from)
		source.Copy = "fetched from " + g.from + " with quotecheck save"
	case by.URL != "":
		source.URL = cmp.Or(source.URL, by.URL)
		source.Copy = "saved from " + by.URL + " by " + by.By
		source.Saved = cmp.Or(by.Saved, source.Saved)
	default:
		source.Copy = "given as the file " + filepath.Base(g.from) + ", which does not say where it comes from"
	}
	if !known {
		source.Title = cmp.Or(page.Title(), source.ID)
	}
	return source
}

// refuse lists why a page may not become the copy of a source.
func (s *site) refuse(source lesson.Source, g got, page *quote.Page, ps *problem.List) {
	at := problem.Pos{File: g.from}
	for _, p := range s.problems {
		if p.File == source.File && p.Check == "yaml" {
			*ps = append(*ps, p)
		}
	}
	if source.URL == "" {
		ps.AddHint(at, "save", "write url: https://… into "+source.File+", or save the page by its address",
			"does not say where it comes from")
	}
	if text := suspect(page); text != "" {
		ps.AddHint(at, "save", "open it in a browser, save it there (SingleFile, or as MHTML) and give the file", "%s", text)
		return
	}
	for _, q := range s.quotations(source.ID) {
		if f := page.Find(q.Text); f.Verdict == quote.NoMatch {
			ps.AddHint(q.Pos, "save", nearest(f), "does not stand in %s%s, so that is not saved", g.from, because(f))
		}
	}
}

// quotations lists what the lessons quote of a source.
func (s *site) quotations(id string) []lesson.Quote {
	var all []lesson.Quote
	for _, c := range s.input.Citations {
		if c.Source == id {
			all = append(all, c.Quotes...)
		}
	}
	return all
}

// store writes the page and source.yaml, and then takes away pages of other
// kinds that the new one replaces.
func (s *site) store(source lesson.Source, known bool, g got, page *quote.Page, r *Report) error {
	folder := path.Dir(source.File)
	var files []file
	if !source.Publish {
		folder = path.Join(folder, "private")
		files = append(files, ignoring(folder))
	}
	name := path.Join(folder, "page"+g.ext)
	about, err := sourceFile(s.root.FS(), source, known)
	if err != nil {
		return err
	}
	if err := writeFiles(s.root, append(files, file{name, g.body}, file{source.File, about})); err != nil {
		return err
	}
	for _, ext := range quote.Extensions {
		for _, old := range []string{path.Join(folder, "page"+ext), path.Join(folder, "page"+ext+".gz")} {
			if old == name {
				continue
			}
			if err := s.root.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove %s, which %s replaces: %w", old, name, err)
			}
		}
	}
	r.Counts = []string{"1 page saved"}
	r.Done = append(r.Done, fmt.Sprintf("%s: %s from %s saved in %s, described in %s",
		source.ID, cli.Count(page.Words(), "word"), g.from, name, source.File))
	if !source.Publish {
		r.Done = append(r.Done, fmt.Sprintf("%s: git ignores that copy; quote it, then run: quotecheck seal %s", source.ID, source.ID))
	}
	return nil
}
