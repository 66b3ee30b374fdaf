package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"verbatim/internal/cli"
	"verbatim/internal/page"
	"verbatim/internal/proc"
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
	pdf, err := filepath.Abs(c.PDF)
	if err != nil {
		return fmt.Errorf("find the folder for PDF files: %w", err)
	}
	root, err := filepath.Abs(c.Root)
	if err != nil {
		return fmt.Errorf("find the site's root: %w", err)
	}
	theirs := []string{filepath.Join(root, "public")}
	for _, name := range []string{"content", "examples", "quotes", "templates"} {
		theirs = append(theirs, filepath.Join(root, name))
	}
	if c.Out != "" {
		theirs = append(theirs, c.Out)
	}
	for _, dir := range theirs {
		if dir, err = filepath.Abs(dir); err != nil {
			return fmt.Errorf("find the output folder: %w", err)
		}
		if inside(followed(dir), followed(pdf)) {
			return &cli.UsageError{Text: fmt.Sprintf("-pdf %s lies in %s: PDF files are no part of the site, so choose a folder of their own", c.PDF, filepath.Base(dir))}
		}
	}
	_, err = findBrowser()
	return err
}

// print prints each lesson, its worksheet and the whole course to PDF files in
// the folder that -pdf names. files is the site, of which they use the style
// and the images.
func (b *build) print(ctx context.Context, files map[string][]byte) error {
	browser, err := findBrowser()
	if err != nil {
		return err
	}
	papers, err := page.Paper(b.drawn)
	if err != nil {
		return fmt.Errorf("draw for print: %w", err)
	}
	dir, remove, err := proc.Scratch(b.cache, "pdf")
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	defer remove()
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
		b.Voice.Progress("printing %s", name)
		if err := printPage(ctx, browser, dir, p.Path, filepath.Join(b.PDF, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	b.Voice.Progress("")
	b.report.Changed = append(b.report.Changed, fmt.Sprintf("%s: %d PDF files", b.PDF, len(papers)))
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

// printPage prints one page below dir to the file out, tagged and with an
// outline of its headings.
func printPage(ctx context.Context, browser, dir, name, out string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("print %s: %w", name, err)
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return fmt.Errorf("print %s: %w", name, err)
	}
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
		return fmt.Errorf("print %s: %w", name, err)
	}
	result, err := p.Wait()
	if err != nil {
		return fmt.Errorf("print %s: %w", name, err)
	}
	if info, err := os.Stat(out); result.Code != 0 || err != nil || info.Size() == 0 {
		return fmt.Errorf("print %s: chromium: %s\n%s", name, result, said.Bytes())
	}
	return nil
}
