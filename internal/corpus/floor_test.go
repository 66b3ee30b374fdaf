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

// roleVariable tells the test binary to be another program.
const roleVariable = "VERBATIM_CORPUS_ROLE"

// TestMain makes the test binary a program of its own, so that it is measured
// as the build is: "floor site out" draws the lessons of a site with goldmark
// alone, and "write site" makes one, with our seed.
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

// floor is the least that a site's pages cost: it reads each lesson and writes
// a folder with a page for it, by one goldmark for each processor, with the
// extensions of a lesson and no highlighting.
func floor(site, out string) error {
	content := filepath.Join(site, "content")
	files := make(chan string)
	failed := make([]error, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for w := range failed {
		workers.Go(func() {
			md := goldmark.New(
				goldmark.WithExtensions(extension.GFM, extension.Footnote),
				goldmark.WithParserOptions(parser.WithAutoHeadingID()))
			for file := range files {
				failed[w] = errors.Join(failed[w], draw(md, content, file, out))
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
	workers.Wait()
	return errors.Join(append(failed, err)...)
}

func draw(md goldmark.Markdown, content, file, out string) error {
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
