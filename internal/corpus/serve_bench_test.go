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

// BenchmarkServe measures the time from saving a lesson until build -serve sends the
// new page. Each round is one edit.
//
//	go test ./internal/corpus -run - -bench 'Serve/pages=1000$' -benchtime 20x
func BenchmarkServe(b *testing.B) {
	program := compile(b)
	for _, pages := range []int{1000, 6000, 10_000} {
		b.Run(fmt.Sprintf("pages=%d", pages), func(b *testing.B) {
			site := generate(b, pages, 0)
			page := startServer(b, program, site) + firstPage(b, site)
			waitForText(b, page, "In short")
			var took []float64
			for b.Loop() {
				edit(b, site, len(took))
				begin := time.Now()
				waitForText(b, page, fmt.Sprintf("Edited %d times.", len(took)))
				took = append(took, time.Since(begin).Seconds()*1000)
			}
			reportSpread(b, "served-ms", took)
		})
	}
}

var address = regexp.MustCompile(`http://[^/\s]+/`)

// startServer runs build -serve until the benchmark ends and returns the URL of the
// site.
func startServer(b *testing.B, program, site string) string {
	b.Helper()
	cmd := exec.Command(program, "-C", site, "-serve", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	must(b, err)
	must(b, cmd.Start())
	b.Cleanup(func() {
		must(b, cmd.Process.Signal(syscall.SIGINT))
		_ = cmd.Wait() // the exit code does not matter
	})
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if found := address.FindString(lines.Text()); found != "" {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return found
		}
	}
	b.Fatal("the server printed no address")
	return ""
}

// firstPage returns the path of the page that edit changes.
func firstPage(b *testing.B, site string) string {
	b.Helper()
	content := filepath.Join(site, "content")
	lessons, err := filepath.Glob(filepath.Join(content, "module-000", "*.md"))
	must(b, err)
	rel, err := filepath.Rel(content, lessons[0])
	must(b, err)
	return strings.TrimSuffix(filepath.ToSlash(rel), ".md") + ".html"
}

// waitForText requests a page until it contains the text, for at most a minute.
func waitForText(b *testing.B, page, text string) {
	b.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		response, err := http.Get(page)
		if err != nil {
			continue
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err == nil && strings.Contains(string(body), text) {
			return
		}
	}
	b.Fatalf("%s does not contain %q after a minute", page, text)
}
