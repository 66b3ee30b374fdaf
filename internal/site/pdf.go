package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"verbatim/internal/cli"
	"verbatim/internal/load"
	"verbatim/internal/page"
	"verbatim/internal/problem"
	"verbatim/internal/proc"
	"verbatim/internal/publish"
)

// printTimeout is how long Chromium may take for one document.
const printTimeout = 2 * time.Minute

// browsers are the names under which a Chromium is looked up on PATH.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// checkPDF refuses a folder for PDF files that a build publishes or an author
// writes in, and complains when there is no browser to print with.
func checkPDF(c Config) error {
	if c.PDF == "" {
		return nil
	}
	var theirs []string
	for _, name := range []string{"public", "content", "examples", "quotes", "templates"} {
		theirs = append(theirs, filepath.Join(c.Root, name))
	}
	if c.Out != "" {
		theirs = append(theirs, c.Out)
	}
	for _, dir := range theirs {
		inside, err := publish.Contains(dir, c.PDF)
		if err != nil {
			return err
		}
		if inside {
			return &cli.UsageError{Text: fmt.Sprintf("-pdf %s lies in %s: PDF files are no part of the site, so choose a folder of their own", c.PDF, filepath.Base(dir))}
		}
	}
	_, err := findBrowser()
	return err
}

// A PrintError is a failure to print after the site itself was written.
type PrintError struct{ Err error }

func (e *PrintError) Error() string {
	return "the site is built, its PDF files are not: " + e.Err.Error()
}

func (e *PrintError) Unwrap() error { return e.Err }

// print prints each lesson, its worksheet and the whole course to PDF files in
// the folder that -pdf names: all of them, or when one fails none. files is the
// site, of which they use the style and the images.
func (b *build) print(ctx context.Context, files map[string][]byte) error {
	papers, err := page.Paper(b.drawn)
	if err != nil {
		return fmt.Errorf("draw for print: %w", err)
	}
	if !b.apart(papers) {
		return nil
	}
	if err := os.MkdirAll(b.PDF, 0o755); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	out, err := os.OpenRoot(b.PDF)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	defer out.Close()
	if err := sweepPDF(out, papers); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	changes := &publish.Batch{}
	defer changes.Abort()
	if err := b.printAside(ctx, files, papers, changes, out); err != nil {
		return err
	}
	if _, err := changes.Commit(); err != nil {
		return err
	}
	b.report.Changed = append(b.report.Changed, fmt.Sprintf("%s: %d PDF files", b.PDF, len(papers)))
	return nil
}

// apart complains about each lesson whose PDF file would be in the place of
// another's worksheet, or of the course.
func (b *build) apart(papers []page.File) bool {
	seen, apart := map[string]bool{}, true
	for _, p := range papers {
		if seen[p.Path] {
			apart = false
			id := strings.TrimSuffix(p.Path, ".html")
			b.report.Problems.AddHint(problem.Pos{File: load.Content + "/" + id + ".md"}, "pdf", "rename the lesson",
				"two PDF files would be %s.pdf: nothing is printed", id)
		}
		seen[p.Path] = true
	}
	return apart
}

// sweepPDF removes what a killed build left beside its PDF files. The folder may
// hold much that is not ours, so only where they lie is looked.
func sweepPDF(out *os.Root, papers []page.File) error {
	swept := map[string]bool{}
	for _, p := range papers {
		dir := path.Dir(p.Path)
		if swept[dir] {
			continue
		}
		swept[dir] = true
		entries, err := fs.ReadDir(out.FS(), dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if publish.IsStaged(e.Name()) {
				out.Remove(path.Join(dir, e.Name()))
			}
		}
	}
	return nil
}

// printAside prints the papers and plans to put them in their places.
func (b *build) printAside(ctx context.Context, files map[string][]byte, papers []page.File, changes *publish.Batch, out *os.Root) error {
	browser, err := findBrowser()
	if err != nil {
		return err
	}
	dir, remove, err := proc.Scratch(b.cache, "pdf")
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	defer remove()
	defer b.Printer.Progress("")
	for name, data := range files {
		if err := writeBelow(dir, name, data); err != nil {
			return err
		}
	}
	for _, p := range papers {
		if err := writeBelow(dir, p.Path, p.Data); err != nil {
			return err
		}
		name := strings.TrimSuffix(p.Path, ".html") + ".pdf"
		b.Printer.Progress("printing %s", name)
		data, err := printPage(ctx, browser, dir, p.Path)
		if err != nil {
			return err
		}
		if err := changes.Put(out, name, data); err != nil {
			return err
		}
	}
	return nil
}

func findBrowser() (string, error) {
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", errors.New("-pdf needs Chromium on PATH: install the package chromium, or Google Chrome")
}

func writeBelow(dir, name string, data []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// printPage prints one page below dir, a scratch folder, and gives the PDF file:
// tagged and with an outline of its headings.
func printPage(ctx context.Context, browser, dir, name string) ([]byte, error) {
	out := filepath.Join(dir, ".printed.pdf")
	args := []string{
		browser, "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
		"--disable-background-networking", "--disable-component-update",
		"--user-data-dir=" + filepath.Join(dir, ".profile"),
		"--no-pdf-header-footer", "--generate-pdf-document-outline", "--print-to-pdf=" + out,
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium refuses to run as root with it
	}
	var said bytes.Buffer
	p, err := proc.Start(ctx, proc.Spec{
		Args: append(args, "file://"+filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(name)))),
		Env:  os.Environ(), Stderr: &said, Timeout: printTimeout, Scratch: dir,
	})
	if err != nil {
		return nil, fmt.Errorf("print %s: %w", name, err)
	}
	result, err := p.Wait()
	if err != nil {
		return nil, fmt.Errorf("print %s: %w", name, err)
	}
	data, err := os.ReadFile(out)
	if result.Code != 0 || err != nil || len(data) == 0 {
		return nil, fmt.Errorf("print %s: chromium: %s\n%s", name, result, said.Bytes())
	}
	return data, os.Remove(out) // or the next page's could be this one
}
