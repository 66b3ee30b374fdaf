package site

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"verbatim/internal/lesson"
	"verbatim/internal/load"
	"verbatim/internal/page"
	"verbatim/internal/pdf"
	"verbatim/internal/problem"
	"verbatim/internal/publish"
	"verbatim/internal/quote"
	"verbatim/internal/record"
)

// write renders the site and, when nothing is wrong, changes files: records,
// then lessons, then the site. A check compares instead.
func (b *build) write(ctx context.Context) error {
	b.stage("write")
	if err := b.refresh(); err != nil {
		return err
	}
	s, err := b.plan()
	if err != nil {
		return err
	}
	for _, file := range s.Replaced() {
		b.Printer.Printf("%s replaces the file that the build would make", file)
	}
	if b.Check {
		return b.comparePublic(ctx, s)
	}
	if b.report.Wrong(b.Strict) {
		b.report.Changed = nil // it would have
		return nil
	}
	files := &kept{}
	if b.PDF != "" {
		files.all = map[string][]byte{}
	}
	if err := b.commit(ctx, s, files); err != nil || b.PDF == "" || b.report.Wrong(b.Strict) {
		return err
	}
	if err := b.print(ctx, files.all); err != nil {
		return &PrintError{err}
	}
	return nil
}

// A PrintError is returned for a failure to print after the site itself was written.
type PrintError struct{ Err error }

func (e *PrintError) Error() string {
	return "the site is built, its PDF files are not: " + e.Err.Error()
}

func (e *PrintError) Unwrap() error { return e.Err }

// print prints the lessons to the folder of -pdf. files is the built site.
func (b *build) print(ctx context.Context, files map[string][]byte) error {
	papers, err := page.Paper(b.drawn)
	if err != nil {
		return fmt.Errorf("draw for print: %w", err)
	}
	ps, err := pdf.Print(ctx, pdf.Options{Dir: b.PDF, Cache: b.cache, Papers: papers, Site: files, Printer: b.Printer})
	b.report.Problems = append(b.report.Problems, ps...)
	if err == nil && len(ps) == 0 {
		b.report.Changed = append(b.report.Changed, fmt.Sprintf("%s: %d PDF files", b.PDF, len(papers)))
	}
	return err
}

// kept holds the files of the site for those who need them all at once.
type kept struct {
	mu  sync.Mutex
	all map[string][]byte // nil keeps nothing
}

func (k *kept) add(f page.File) {
	if k.all == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all[f.Path] = f.Data
}

// refresh reads the edited lessons as they will stand on disk: pages are drawn
// from the bytes that the next build finds. Quotations move with their lines.
// The lessons that were read stay as they are.
func (b *build) refresh() error {
	fresh := *b.book
	fresh.Lessons = slices.Clone(b.book.Lessons)
	for i, l := range fresh.Lessons {
		now, err := b.edited(l)
		if err != nil {
			return err
		}
		fresh.Lessons[i] = now
	}
	if fresh.Home != nil {
		now, err := b.edited(fresh.Home)
		if err != nil {
			return err
		}
		fresh.Home = now
	}
	b.book = &fresh
	return nil
}

// edited returns a lesson with its fences in step.
func (b *build) edited(l *load.Lesson) (*load.Lesson, error) {
	e, ok := b.edits[l.File]
	if !ok {
		return l, nil
	}
	now := *l
	b.book.Reread(&now, e.new)
	before := quote.Cite(&l.Lesson)
	for i, citation := range quote.Cite(&now.Lesson) {
		for j, q := range citation.Quotes {
			b.quoteStates[q.Pos] = b.quoteStates[before[i].Quotes[j].Pos]
		}
	}
	return &now, b.keepReading(&now)
}

// commit writes everything aside before it changes anything.
func (b *build) commit(ctx context.Context, s *page.Site, files *kept) (err error) {
	changes := &publish.Batch{}
	if err := os.MkdirAll(b.out, 0o755); err != nil {
		return fmt.Errorf("write the site: %w", err)
	}
	out, err := os.OpenRoot(b.out)
	if err != nil {
		return fmt.Errorf("write the site: %w", err)
	}
	defer out.Close()
	defer changes.Abort() // before the roots of its changes close
	if err := b.putRecords(changes); err != nil {
		return err
	}
	if err := b.putLessons(changes); err != nil {
		return err
	}
	before := changes.Len()
	b.outputDigests = map[string][sha256.Size]byte{}
	names, err := b.renderAll(ctx, s, func(f page.File) error {
		files.add(f)
		b.wrote(f)
		return changes.Add(out, f.Path, f.Data)
	})
	if err != nil {
		return err
	}
	if err := changes.Complete(out, names); err != nil {
		return err
	}
	slices.Sort(names)
	b.wrote(page.File{Path: publish.Manifest, Data: publish.FormatManifest(names)})
	b.report.Written = changes.Len() - before
	if b.obstructed(changes, out) {
		return nil
	}
	b.stage("rename")
	left, err := changes.Commit()
	b.writtenAt = time.Now()
	b.stage("renamed")
	for _, file := range left {
		b.report.Problems.AddHint(problem.Pos{File: file}, "changed", "run build again",
			"changed while building: its fences were left alone")
	}
	return err
}

// obstructed reports files that no build wrote in the place of files of the batch. Then
// nothing is written.
func (b *build) obstructed(changes *publish.Batch, out *os.Root) bool {
	all := changes.Obstacles()
	for _, at := range all {
		place := at.Name
		if at.Root == out {
			place = b.shownOut() + "/" + place
		}
		what := "a file that no build wrote stands where a folder goes"
		if at.IsDir {
			what = "a folder that no build made stands where a file goes"
		}
		b.report.Problems.AddHint(problem.Pos{File: place}, "file", "move it away, then run build again", "%s", what)
	}
	if len(all) > 0 {
		b.report.Changed, b.report.Written = nil, 0
	}
	return len(all) > 0
}

// shownOut is what the folder of the site is called.
func (b *build) shownOut() string {
	if rel, err := filepath.Rel(b.Root, b.out); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return b.out
}

// wrote notes a file of the site for the next build.
func (b *build) wrote(f page.File) {
	sum := sha256.Sum256(f.Data)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.outputDigests[f.Path] = sum
}

func (b *build) putRecords(changes *publish.Batch) error {
	for _, e := range b.book.Examples {
		r := b.records[e.ID]
		if r == nil || r.Torn { // a record that was edited must not become one that was written
			continue
		}
		files, err := r.Files()
		if err != nil {
			return err
		}
		before := changes.Len()
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if err := changes.Put(b.root, e.RecordDir+"/"+name, files[name]); err != nil {
				return err
			}
		}
		b.dropFigures(changes, e, files)
		if changes.Len() > before {
			b.report.Changed = append(b.report.Changed, e.RecordDir)
		}
	}
	return nil
}

// dropFigures plans to delete the values and tables of an earlier run that this
// one did not record again.
func (b *build) dropFigures(changes *publish.Batch, e lesson.Example, files map[string][]byte) {
	entries, err := fs.ReadDir(b.fsys, e.RecordDir)
	if err != nil {
		return // there is no record yet
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, keep := files[name]; !keep && (name == record.ValuesFile || filepath.Ext(name) == ".csv") {
			changes.Remove(b.root, e.RecordDir+"/"+name)
		}
	}
}

// putLessons plans the new fences, but never over bytes that were not read:
// the author may have saved her file while the examples ran.
func (b *build) putLessons(changes *publish.Batch) error {
	for _, l := range b.book.All() {
		e, ok := b.edits[l.File]
		if !ok {
			continue
		}
		if err := changes.Replace(b.root, l.File, e.old, e.new); err != nil {
			return err
		}
	}
	return nil
}

// comparePublic reports every file of the site that is not what the sources
// give.
func (b *build) comparePublic(ctx context.Context, s *page.Site) error {
	c := comparison{shown: b.shownOut()}
	var err error
	c.out, err = os.OpenRoot(b.out)
	if errors.Is(err, fs.ErrNotExist) {
		c.complain(problem.Pos{File: c.shown}, "is not there")
		b.report.Problems = append(b.report.Problems, c.problems...)
		return nil
	}
	if err != nil {
		return fmt.Errorf("compare the site: %w", err)
	}
	defer c.out.Close()
	names, err := b.renderAll(ctx, s, c.file)
	if err != nil {
		return err
	}
	slices.Sort(names)
	if err := c.file(page.File{Path: publish.Manifest, Data: publish.FormatManifest(names)}); err != nil {
		return err
	}
	listed, err := publish.ReadManifest(c.out)
	if err != nil {
		return err
	}
	for _, name := range listed {
		if _, ok := slices.BinarySearch(names, name); !ok {
			c.complain(problem.Pos{File: c.shown + "/" + name}, "no source gives this file any more")
		}
	}
	b.report.Problems = append(b.report.Problems, c.problems...)
	return nil
}

// comparison is of a site with what lies in a folder.
type comparison struct {
	out      *os.Root
	shown    string // what the folder is called
	mu       sync.Mutex
	problems problem.List
}

func (c *comparison) complain(at problem.Pos, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problems.AddHint(at, "public", "run build and commit what it writes", "%s", text)
}

// file compares one file. Several goroutines may do so.
func (c *comparison) file(f page.File) error {
	have, err := fs.ReadFile(load.Files(c.out), f.Path)
	at := problem.Pos{File: c.shown + "/" + f.Path}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.complain(at, "is not there")
	case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR), errors.Is(err, load.ErrIrregular):
		c.complain(at, "is no file")
	case err != nil:
		return fmt.Errorf("compare the site: %w", err)
	case !bytes.Equal(have, f.Data):
		c.complain(problem.At(at.File, have, difference(have, f.Data)), "is not what the sources give")
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
