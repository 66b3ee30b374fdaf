// Package pdf prints the lessons of a built site to PDF files with Chromium, for build
// -pdf: each lesson, its worksheet, and the whole course. Check reports before a build
// what would prevent it; Print does it.
package pdf

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

// Check returns a usage error if dir, a folder for PDF files, lies in the site's output
// folder out or in a source folder of the site at root, and another error if there is
// no browser to print with. An empty out is public below root.
func Check(root, out, dir string) error {
	var reserved []string
	for _, name := range []string{"public", "content", "examples", "quotes", "templates"} {
		reserved = append(reserved, filepath.Join(root, name))
	}
	if out != "" {
		reserved = append(reserved, out)
	}
	for _, r := range reserved {
		inside, err := publish.Contains(r, dir)
		if err != nil {
			return err
		}
		if inside {
			return &cli.UsageError{Text: fmt.Sprintf("-pdf %s lies in %s: PDF files are no part of the site, so choose a folder of their own", dir, filepath.Base(r))}
		}
	}
	_, err := FindBrowser()
	return err
}

// Options says what Print prints.
type Options struct {
	Dir     string            // the folder for the PDF files
	Cache   string            // the site's cache folder
	Papers  []page.File       // the HTML documents to print, from page.Paper
	Site    map[string][]byte // the files of the site, for their style and images
	Printer *cli.Printer      // shows progress; nil prints nothing
}

// Print prints every paper to a PDF file in the folder of o, or none if it returns a
// problem or an error. The problems name lessons whose PDF files would have the same
// name as others.
func Print(ctx context.Context, o Options) (problem.List, error) {
	if ps := uniquePaths(o.Papers); len(ps) > 0 {
		return ps, nil
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("print: %w", err)
	}
	out, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("print: %w", err)
	}
	defer out.Close()
	if err := sweep(out, o.Papers); err != nil {
		return nil, fmt.Errorf("print: %w", err)
	}
	changes := &publish.Batch{}
	defer changes.Abort()
	if err := o.stage(ctx, changes, out); err != nil {
		return nil, err
	}
	_, err = changes.Commit()
	return nil, err
}

// uniquePaths returns a problem for each lesson whose PDF file would have the name of
// another lesson's worksheet, or of the course.
func uniquePaths(papers []page.File) (ps problem.List) {
	seen := map[string]bool{}
	for _, p := range papers {
		if seen[p.Path] {
			id := strings.TrimSuffix(p.Path, ".html")
			ps.AddHint(problem.Pos{File: load.Content + "/" + id + ".md"}, "pdf", "rename the lesson",
				"two PDF files would be %s.pdf: nothing is printed", id)
		}
		seen[p.Path] = true
	}
	return ps
}

// sweep deletes what a killed build left beside its PDF files. It looks only into the
// folders of the papers, because the folder may hold many other files.
func sweep(out *os.Root, papers []page.File) error {
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

// stage prints the papers and adds their PDF files to changes.
func (o Options) stage(ctx context.Context, changes *publish.Batch, out *os.Root) error {
	browser, err := FindBrowser()
	if err != nil {
		return err
	}
	dir, remove, err := proc.Scratch(o.Cache, "pdf")
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	defer remove()
	defer o.Printer.Progress("")
	for name, data := range o.Site {
		if err := writeFile(dir, name, data); err != nil {
			return err
		}
	}
	for _, p := range o.Papers {
		if err := writeFile(dir, p.Path, p.Data); err != nil {
			return err
		}
		name := strings.TrimSuffix(p.Path, ".html") + ".pdf"
		o.Printer.Progress("printing %s", name)
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

// FindBrowser returns the path of a Chromium on PATH, or an error that says what to
// install.
func FindBrowser() (string, error) {
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", errors.New("-pdf needs Chromium on PATH: install the package chromium, or Google Chrome")
}

// writeFile writes a file below dir, and creates the folders that it needs.
func writeFile(dir, name string, data []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// printPage prints one page below dir, a scratch folder, and returns the content of the
// PDF file, which is tagged and has an outline of its headings.
func printPage(ctx context.Context, browser, dir, name string) ([]byte, error) {
	out := filepath.Join(dir, ".printed.pdf")
	args := []string{
		browser, "--headless", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
		"--disable-background-networking", "--disable-component-update",
		"--user-data-dir=" + filepath.Join(dir, ".profile"),
		"--no-pdf-header-footer", "--generate-pdf-document-outline", "--print-to-pdf=" + out,
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // because Chromium does not run as root in its sandbox
	}
	var stderr bytes.Buffer
	p, err := proc.Start(ctx, proc.Spec{
		Args: append(args, "file://"+filepath.ToSlash(filepath.Join(dir, filepath.FromSlash(name)))),
		Env:  os.Environ(), Stderr: &stderr, Timeout: printTimeout, Scratch: dir,
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
		return nil, fmt.Errorf("print %s: chromium: %s\n%s", name, result, stderr.Bytes())
	}
	return data, os.Remove(out) // so that a failure to print the next page is not taken for this page
}
