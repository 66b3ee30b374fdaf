// Package corpus promises a site of lessons that look like those of a large
// documentation set, for benchmarks and tests: the same seed and the same
// number of pages give the same bytes, and a build of it finds no problem.
//
// Its sizes follow a real set of 5,985 pages and 47 MB: the lengths of pages
// are log-normal, about 15 % of the bytes stand in code fences, and most of
// those bytes stand in another fence again.
package corpus

import (
	"bytes"
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
	"sync/atomic"
)

const (
	moduleSize = 20 // lessons of a module, which is a folder
	partSize   = 12 // modules of a part
	pictures   = 8  // images of the whole site
)

// Write makes a site of so many lessons below dir, which may be new.
func Write(dir string, seed uint64, pages int) error {
	return WriteExamples(dir, seed, pages, 0)
}

// WriteExamples is Write with so many examples, none without a page, spread
// over the lessons. They need a POSIX shell and nothing else. They have no
// records: the first build of the site makes them.
func WriteExamples(dir string, seed uint64, pages, examples int) error {
	s := newSite(seed, pages, examples)
	if err := s.writeFixed(dir); err != nil {
		return fmt.Errorf("write the corpus: %w", err)
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	failed := make([]error, runtime.GOMAXPROCS(0))
	for w := range failed {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < pages && failed[w] == nil; i = int(next.Add(1)) - 1 {
				failed[w] = s.writeLesson(dir, i)
			}
		})
	}
	workers.Wait()
	for _, err := range failed {
		if err != nil {
			return fmt.Errorf("write the corpus: %w", err)
		}
	}
	return nil
}

// site is what all lessons share.
type site struct {
	seed            uint64
	pages, examples int
	ids, titles     []string
	snippets        []snippet // fences that many lessons show
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

// writeFixed makes the folders and everything that is no lesson.
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

// home is the page that lists the course: parts, modules in them, lessons in
// those.
func (s *site) home() []byte {
	var b bytes.Buffer
	b.WriteString("---\ntitle: A generated course\nsummary: Lessons of no meaning, for measuring.\nlanguage: en\n---\n\nEvery sentence here was drawn by lot.\n\n## Lessons\n\n")
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

// examplesOf gives the range of examples that a lesson shows.
func (s *site) examplesOf(i int) (from, to int) {
	return i * s.examples / s.pages, (i + 1) * s.examples / s.pages
}

func exampleName(i int) string { return fmt.Sprintf("run-%04d", i) }

// writeExample makes a program that prints a few lines.
func (s *site) writeExample(dir string, i int) error {
	w := newWriter(s.seed, streamExamples, i)
	var program strings.Builder
	program.WriteString("# Prints what its lesson shows.\n")
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

// picture is a small image of stripes.
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
