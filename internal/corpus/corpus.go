// Package corpus generates sites of random lessons for tests and benchmarks. The
// same seed and number of pages always produce the same bytes, and a build of the
// site finds no problems.
//
// Sizes are modelled on a real documentation set of 5,985 pages and 47 MB: page
// lengths are log-normal, about 15 % of the bytes are in code fences, and most
// fences are repeated on other pages.
package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

const (
	moduleSize = 20 // lessons in a module, which is a directory
	partSize   = 12 // modules in a part of the course
	pictures   = 8  // images in the whole site
)

// Write generates a site with the given number of lessons in dir and creates dir if
// it does not exist.
func Write(dir string, seed uint64, pages int) error {
	return WriteExamples(dir, seed, pages, 0)
}

// WriteExamples is Write with the given number of examples, spread evenly over the
// lessons; a site without lessons has none. They need a POSIX shell and no Redis.
// They have no records until the first build of the site.
func WriteExamples(dir string, seed uint64, pages, examples int) error {
	s := newSite(seed, pages, examples)
	if err := s.writeFixed(dir); err != nil {
		return fmt.Errorf("write the corpus: %w", err)
	}
	var wg sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for w := range errs {
		wg.Go(func() {
			for i := w; i < pages && errs[w] == nil; i += len(errs) {
				errs[w] = s.writeLesson(dir, i)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("write the corpus: %w", err)
	}
	return nil
}

// site holds what all lessons share.
type site struct {
	seed            uint64
	pages, examples int
	ids, titles     []string
	snippets        []snippet // code that many lessons repeat
}

func newSite(seed uint64, pages, examples int) *site {
	s := &site{seed: seed, pages: pages, examples: examples}
	if pages == 0 {
		s.examples = 0
	}
	for i := range pages {
		w := newWriter(seed, streamTitles, i)
		words := w.title()
		s.titles = append(s.titles, fmt.Sprintf("%s, part %d", words, i+1))
		s.ids = append(s.ids, fmt.Sprintf("module-%03d/%s-%d", i/moduleSize, strings.ReplaceAll(strings.ToLower(words), " ", "-"), i+1))
	}
	for i := range pages/20 + 20 {
		w := newWriter(seed, streamSnippets, i)
		s.snippets = append(s.snippets, w.snippet())
	}
	return s
}

// writeFixed creates the directories and all files except the lessons.
func (s *site) writeFixed(dir string) error {
	for _, folder := range []string{"content/images", "quotes"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o755); err != nil {
			return err
		}
	}
	for i := 0; i < s.pages; i += moduleSize {
		if err := os.MkdirAll(filepath.Join(dir, "content", path.Dir(s.ids[i])), 0o755); err != nil {
			return err
		}
	}
	for i := range pictures {
		if err := os.WriteFile(filepath.Join(dir, "content", "images", pictureName(i)), picture(i), 0o644); err != nil {
			return err
		}
	}
	for i := range s.examples {
		if err := s.writeExample(dir, i); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "content", "index.md"), s.home(), 0o644)
}

func (s *site) writeLesson(dir string, i int) error {
	return os.WriteFile(filepath.Join(dir, "content", filepath.FromSlash(s.ids[i])+".md"), s.lesson(i), 0o644)
}

// home returns the Markdown of the home page, which lists the lessons by part and
// module.
func (s *site) home() []byte {
	var b bytes.Buffer
	b.WriteString("---\ntitle: A generated course\nsummary: Random lessons for benchmarks.\nlanguage: en\n---\n\nAll text is random.\n\n## Lessons\n\n")
	for i, id := range s.ids {
		module := i / moduleSize
		if i%(moduleSize*partSize) == 0 {
			fmt.Fprintf(&b, "- Part %d\n", module/partSize+1)
		}
		if i%moduleSize == 0 {
			fmt.Fprintf(&b, "  - Module %d\n", module+1)
		}
		fmt.Fprintf(&b, "    - [%s](%s.md)\n", s.titles[i], id)
	}
	return b.Bytes()
}

// examplesOf returns the half-open range of the examples that lesson i shows.
func (s *site) examplesOf(i int) (from, to int) {
	return i * s.examples / s.pages, (i + 1) * s.examples / s.pages
}

func exampleName(i int) string { return fmt.Sprintf("run-%04d", i) }

// writeExample writes an example, a program that prints a few lines.
func (s *site) writeExample(dir string, i int) error {
	w := newWriter(s.seed, streamExamples, i)
	var program strings.Builder
	program.WriteString("# Prints the lines that its lesson shows.\n")
	for range 2 + w.IntN(8) {
		fmt.Fprintf(&program, "echo '%s'\n", w.plainSentence())
	}
	folder := filepath.Join(dir, "examples", exampleName(i))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "example.yaml"), []byte("run: sh main.sh\nneeds: none\n"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "main.sh"), []byte(program.String()), 0o644)
}

func pictureName(i int) string { return fmt.Sprintf("figure-%d.png", i) }

// picture returns a small PNG image of stripes.
func picture(i int) []byte {
	img := image.NewPaletted(image.Rect(0, 0, 160, 90), color.Palette{color.White, color.Gray{Y: uint8(40 + 20*i)}})
	for n := range img.Pix {
		img.Pix[n] = uint8(n / (i + 2) % 2)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(fmt.Sprintf("encode a picture to memory: %v", err))
	}
	return b.Bytes()
}
