//go:build unix

package corpus

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkServe measures how long a reader of a served site waits from saving
// a lesson to its new bytes: each round is one edit.
//
//	go test ./internal/corpus -run - -bench 'Serve/pages=1000$' -benchtime 20x
func BenchmarkServe(b *testing.B) {
	program := compile(b)
	for _, pages := range []int{1000, 6000, 10_000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			site := write(b, pages, 0)
			page := served(b, program, site) + firstPage(b, site)
			wait(b, page, "In short")
			var took []float64
			for b.Loop() {
				edit(b, site, len(took))
				begin := time.Now()
				wait(b, page, fmt.Sprintf("Edited %d times.", len(took)))
				took = append(took, time.Since(begin).Seconds()*1000)
			}
			reportSpread(b, "served-ms", took)
		})
	}
}

var address = regexp.MustCompile(`http://[^/\s]+/`)

// served starts a server of the site, which ends with the benchmark, and gives
// its address.
func served(b *testing.B, program, site string) string {
	b.Helper()
	cmd := exec.Command(program, "-C", site, "-serve", "127.0.0.1:0")
	said, err := cmd.StderrPipe()
	must(b, err)
	must(b, cmd.Start())
	b.Cleanup(func() {
		must(b, cmd.Process.Signal(syscall.SIGINT))
		_ = cmd.Wait() // how it ends is not what is measured
	})
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if found := address.FindString(lines.Text()); found != "" {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return found
		}
	}
	b.Fatal("the server said no address")
	return ""
}

// firstPage is the path of the lesson that edit changes.
func firstPage(b *testing.B, site string) string {
	b.Helper()
	content := filepath.Join(site, "content")
	lessons, err := filepath.Glob(filepath.Join(content, "module-000", "*.md"))
	must(b, err)
	rel, err := filepath.Rel(content, lessons[0])
	must(b, err)
	return strings.TrimSuffix(filepath.ToSlash(rel), ".md") + ".html"
}

// wait asks for a page until it holds the text, for a minute.
func wait(b *testing.B, page, text string) {
	b.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		answer, err := http.Get(page)
		if err != nil {
			continue
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err == nil && strings.Contains(string(body), text) {
			return
		}
	}
	b.Fatalf("%s does not come to hold %q", page, text)
}
