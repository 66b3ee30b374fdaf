package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/problem"
	"verbatim/internal/quote"
	"verbatim/internal/record"
)

// write renders the site and, when nothing is wrong, changes files: records,
// then lessons, then the site. A check compares instead.
func (b *build) write(ctx context.Context) error {
	b.refresh()
	files, err := b.render(ctx)
	if err != nil {
		return err
	}
	if b.Check {
		return b.comparePublic(files)
	}
	if b.report.Wrong(b.Strict) {
		b.report.Changed = nil // it would have
		return nil
	}
	if err := b.commit(files); err != nil || b.PDF == "" {
		return err
	}
	return b.print(ctx, files)
}

// refresh reads the edited lessons as they will stand on disk: pages are drawn
// from the bytes that the next build finds. Quotations move with their lines.
func (b *build) refresh() {
	for _, l := range b.book.All() {
		e, ok := b.edits[l.File]
		if !ok {
			continue
		}
		before := quote.Cite(&l.Lesson)
		b.book.Reread(l, e.new)
		for i, citation := range quote.Cite(&l.Lesson) {
			for j, q := range citation.Quotes {
				b.words[q.Pos] = b.words[before[i].Quotes[j].Pos]
			}
		}
	}
}

// commit writes everything aside before it changes anything.
func (b *build) commit(files map[string][]byte) (err error) {
	changes := &batch{}
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return fmt.Errorf("write the site: %w", err)
	}
	out, err := os.OpenRoot(b.out)
	if err != nil {
		return fmt.Errorf("write the site: %w", err)
	}
	defer out.Close()
	defer changes.abort() // before the roots of its changes close
	if err := b.putRecords(changes); err != nil {
		return err
	}
	if err := b.putLessons(changes); err != nil {
		return err
	}
	before := len(changes.changes)
	if err := publish(changes, out, files); err != nil {
		return err
	}
	b.report.Written = len(changes.changes) - before
	left, err := changes.commit()
	for _, file := range left {
		b.report.Problems.AddHint(problem.Pos{File: file}, "changed", "run build again",
			"changed while building: its fences were left alone")
	}
	return err
}

func (b *build) putRecords(changes *batch) error {
	for _, e := range b.book.Examples {
		r := b.records[e.ID]
		if r == nil {
			continue
		}
		files, err := r.Files()
		if err != nil {
			return err
		}
		before := len(changes.changes)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := changes.put(b.root, e.Record+"/"+name, files[name]); err != nil {
				return err
			}
		}
		b.dropFigures(changes, e, files)
		if len(changes.changes) > before {
			b.report.Changed = append(b.report.Changed, e.Record)
		}
	}
	return nil
}

// dropFigures plans to delete the values and tables of an earlier run that this
// one did not record again.
func (b *build) dropFigures(changes *batch, e lesson.Example, files map[string][]byte) {
	entries, err := fs.ReadDir(b.fsys, e.Record)
	if err != nil {
		return // there is no record yet
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, keep := files[name]; !keep && (name == record.ValuesFile || filepath.Ext(name) == ".csv") {
			changes.remove(b.root, e.Record+"/"+name)
		}
	}
}

// putLessons plans the new fences, but never over bytes that were not read:
// the author may have saved her file while the examples ran.
func (b *build) putLessons(changes *batch) error {
	for _, l := range b.book.All() {
		e, ok := b.edits[l.File]
		if !ok {
			continue
		}
		if err := changes.replace(b.root, l.File, e.old, e.new); err != nil {
			return err
		}
	}
	return nil
}

// comparePublic reports every file of the site that is not what the sources
// give.
func (b *build) comparePublic(files map[string][]byte) error {
	shown := b.out
	if rel, err := filepath.Rel(b.Root, b.out); err == nil && filepath.IsLocal(rel) {
		shown = filepath.ToSlash(rel)
	}
	const hint = "run build and commit what it writes"
	out, err := os.OpenRoot(b.out)
	if errors.Is(err, fs.ErrNotExist) {
		b.report.Problems.AddHint(problem.Pos{File: shown}, "public", hint, "is not there")
		return nil
	}
	if err != nil {
		return fmt.Errorf("compare the site: %w", err)
	}
	defer out.Close()
	listed, err := readManifest(out)
	if err != nil {
		return err
	}
	all := maps.Clone(files)
	all[manifest] = list(slices.Sorted(maps.Keys(files)))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		have, err := out.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			b.report.Problems.AddHint(problem.Pos{File: shown + "/" + name}, "public", hint, "is not there")
		case err != nil:
			return fmt.Errorf("compare the site: %w", err)
		case !bytes.Equal(have, all[name]):
			at := problem.At(shown+"/"+name, have, difference(have, all[name]))
			b.report.Problems.AddHint(at, "public", hint, "is not what the sources give")
		}
	}
	for _, name := range listed {
		if _, ok := files[name]; !ok {
			b.report.Problems.AddHint(problem.Pos{File: shown + "/" + name}, "public", hint, "no source gives this file any more")
		}
	}
	return nil
}

func difference(a, b []byte) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return i
}

// copies gives the files of content/ that are copied as they are.
func (b *build) copies(into map[string][]byte) error {
	for _, file := range b.book.Files {
		data, err := b.root.ReadFile(file)
		if err != nil {
			return fmt.Errorf("copy %s: %w", file, err)
		}
		into[file[len(load.Content)+1:]] = data
	}
	return nil
}
