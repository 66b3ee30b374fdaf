package serve

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"verbatim/internal/corpus"
	"verbatim/internal/site"
)

// BenchmarkSave measures the time from saving a lesson of a large site until the
// new page is served. It reports the median as ms/save and, as of-first, its ratio
// to the time of the first rendering of the whole site in the same run.
func BenchmarkSave(b *testing.B) {
	for _, pages := range []int{1000, 6000, 10000} {
		b.Run(fmt.Sprint(pages), func(b *testing.B) {
			root := b.TempDir()
			if err := corpus.Write(root, 1, pages); err != nil {
				b.Fatal(err)
			}
			file, page := lessonOf(b, root)
			src, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			pub, first, stop := startServer(b, root)
			defer stop()
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				text := fmt.Sprintf("save %d of %d", i, b.N)
				begin := time.Now()
				if err := os.WriteFile(file, fmt.Appendf(src[:len(src):len(src)], "\n\n%s\n", text), 0o644); err != nil {
					b.Fatal(err)
				}
				waitForText(b, pub, page, text)
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			median := took[len(took)/2]
			b.ReportMetric(float64(median.Microseconds())/1000, "ms/save")
			b.ReportMetric(median.Seconds()/first.Seconds(), "of-first")
		})
	}
}

// lessonOf returns the file of a lesson in the middle of a site, and its page.
func lessonOf(b *testing.B, root string) (file, page string) {
	files, err := filepath.Glob(filepath.Join(root, "content", "*", "*.md"))
	if deep, deepErr := filepath.Glob(filepath.Join(root, "content", "*", "*", "*.md")); deepErr == nil {
		files = append(files, deep...)
	}
	if err != nil || len(files) == 0 {
		b.Fatalf("no lessons: %v", err)
	}
	file = files[len(files)/2]
	rel, err := filepath.Rel(filepath.Join(root, "content"), file)
	if err != nil {
		b.Fatal(err)
	}
	return file, filepath.ToSlash(rel[:len(rel)-len(".md")]) + ".html"
}

// startServer watches and renders a site as Run does, but without HTTP. It returns
// what is published and the time of the first rendering.
func startServer(b *testing.B, root string) (pub *published, first time.Duration, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	c := site.Config{Root: root, Redis: "embedded"}
	live, err := site.OpenLive(ctx, c)
	if err != nil {
		b.Fatal(err)
	}
	server := newServer(live, c)
	changes, batches := make(chan string), make(chan []string)
	go debounce(ctx, changes, batches)
	if err := watch(ctx, root, server.imports, server.printer.Printf, changes); err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	server.refresh(ctx, nil)
	first = time.Since(begin)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case changed := <-batches:
				server.refresh(ctx, changed)
			case <-ctx.Done():
				return
			}
		}
	}()
	return server.published, first, func() { cancel(); <-ended; server.runner.wait(); live.Close() }
}

// waitForText returns when a page with the text is published.
func waitForText(b *testing.B, pub *published, page, text string) {
	for begin := time.Now(); time.Since(begin) < timeout; {
		r, changed := pub.find(page)
		if r.status == http.StatusOK && bytes.Contains(r.data, []byte(text)) {
			return
		}
		select {
		case <-changed:
		case <-time.After(time.Second):
		}
	}
	b.Fatalf("%s never showed %q: %v", page, text, pub.problems)
}
