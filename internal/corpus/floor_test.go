package corpus

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

// roleVariable is the environment variable that makes the test binary run as another
// program.
const roleVariable = "VERBATIM_CORPUS_ROLE"

// TestMain lets the benchmarks run the test binary as two other programs, because
// time and memory are measured per process: "floor SITE OUT" renders the lessons of
// a site with goldmark alone, "write SITE PAGES EXAMPLES" generates a site.
func TestMain(m *testing.M) {
	var err error
	switch args := strings.Fields(os.Getenv(roleVariable)); {
	case len(args) == 3 && args[0] == "floor":
		err = floor(args[1], args[2])
	case len(args) == 4 && args[0] == "write":
		err = WriteExamples(args[1], 1, number(args[2]), number(args[3]))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		panic(err)
	}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// floor does the least work that any builder of the site must do, as the baseline
// of the benchmarks: it reads each lesson, renders it with goldmark and the
// extensions of lessons, without highlighting, and writes a page. It uses one
// goroutine for each processor.
func floor(site, out string) error {
	content := filepath.Join(site, "content")
	files := make(chan string)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			md := goldmark.New(
				goldmark.WithExtensions(extension.GFM, extension.Footnote),
				goldmark.WithParserOptions(parser.WithAutoHeadingID()))
			for file := range files {
				errs[w] = errors.Join(errs[w], renderPage(md, content, file, out))
			}
		})
	}
	err := filepath.WalkDir(content, func(file string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(file) == ".md" {
			files <- file
		}
		return err
	})
	close(files)
	wg.Wait()
	return errors.Join(append(errs, err)...)
}

// renderPage renders one lesson with md and writes its page below out.
func renderPage(md goldmark.Markdown, content, file, out string) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if _, body, ok := bytes.Cut(src, []byte("\n---\n")); ok {
		src = body
	}
	page := bytes.NewBufferString("<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"></head><body>\n")
	if err := md.Convert(src, page); err != nil {
		return err
	}
	page.WriteString("</body></html>\n")
	rel, err := filepath.Rel(content, strings.TrimSuffix(file, ".md"))
	if err != nil {
		return err
	}
	folder := filepath.Join(out, rel)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "index.html"), page.Bytes(), 0o644)
}
