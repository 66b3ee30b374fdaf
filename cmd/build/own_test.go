package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The site that this repository ships, copied as a clone would have it.
func ownSite(t *testing.T) string {
	t.Helper()
	site := t.TempDir()
	for _, name := range []string{"content", "examples", "quotes", "public"} {
		if err := os.CopyFS(filepath.Join(site, name), committed{os.DirFS(filepath.Join("..", "..", name))}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(site, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return site
}

// committed hides what git ignores: private copies of pages.
type committed struct{ fs.FS }

func (c committed) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(c.FS, name)
	var kept []fs.DirEntry
	for _, e := range entries {
		if e.Name() != "private" {
			kept = append(kept, e)
		}
	}
	return kept, err
}

// files returns every file of a site but those of .cache.
func files(t *testing.T, site string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(site, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".cache" {
				return fs.SkipDir
			}
			return err
		}
		all[name], err = os.ReadFile(name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A fresh clone builds without Docker, redis-server and even Go, and not one
// byte of it changes: nothing in it is stale.
func TestOwnSiteIsFresh(t *testing.T) {
	site := ownSite(t)
	before := files(t, site)
	command, err := exec.LookPath("build")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command, "-C", site)
	cmd.Env = []string{"PATH=" + filepath.Dir(command), "DOCKER_HOST=unix:///nowhere.sock", "HOME=" + t.TempDir()}
	// The sources that are files of modules are read through the go command.
	if golang, err := exec.LookPath("go"); err == nil {
		cmd.Env = append(os.Environ(), "DOCKER_HOST=unix:///nowhere.sock",
			"PATH="+filepath.Dir(command)+string(filepath.ListSeparator)+filepath.Dir(golang))
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "(0 ran)") {
		t.Fatalf("%v\n%s", err, out)
	}
	after := files(t, site)
	for name, data := range after {
		if !bytes.Equal(before[name], data) {
			t.Errorf("the build changed %s", name)
		}
	}
	if len(before) != len(after) {
		t.Errorf("%d files before, %d after", len(before), len(after))
	}
}

// One digit changed in a fence, in the site or in a quotation: the right
// command fails and names the place.
func TestOwnSiteShowsTampering(t *testing.T) {
	if !have(t, "redis", "redis-server") {
		t.Skip("there is no redis-server on PATH")
	}
	site := ownSite(t)
	lesson := filepath.Join(site, "content", "distributed-rate-limiter.md")
	for _, row := range []struct{ file, old, new, want string }{
		{lesson, "1,000 sign-in keys", "1,001 sign-in keys", "content/distributed-rate-limiter.md:"},
		{lesson, "(closed), seat map 200 (open)", "(closed), seat map 201 (open)", "content/distributed-rate-limiter.md:"},
		{lesson, "> Set the expiry only when", "> Set an expiry only when", "content/distributed-rate-limiter.md:"},
		{filepath.Join(site, "public", "distributed-rate-limiter.html"), "1,000 sign-in keys", "1,002 sign-in keys", "public/distributed-rate-limiter.html:"},
		{filepath.Join(site, "examples", "ticketsite", "recorded", "output.txt"), "503", "500", "examples/ticketsite/recorded"},
	} {
		data, err := os.ReadFile(row.file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(data, []byte(row.old)) {
			t.Fatalf("%s does not hold %q", row.file, row.old)
		}
		changed := bytes.Replace(data, []byte(row.old), []byte(row.new), 1)
		if err := os.WriteFile(row.file, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("build", "-C", site, "-check", "-redis", "process", "-run", "ticketsite")
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), row.want) {
			t.Errorf("%s: %q for %q: exit code %d\n%s", row.file, row.new, row.old, cmd.ProcessState.ExitCode(), out)
		}
		if err := os.WriteFile(row.file, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("build", "-C", site, "-check", "-redis", "process").CombinedOutput()
	if err != nil {
		t.Errorf("the site as it is shipped: %v\n%s", err, out)
	}
}
