package site

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"verbatim/internal/filetree"
)

// rebuild builds the site below dir and returns how many files it wrote, and the results
// in the cache.
func rebuild(t *testing.T, dir string) (written int, results []string) {
	t.Helper()
	r, err := Build(context.Background(), Config{Root: dir, Workers: 2})
	if err != nil || len(r.Problems) > 0 || r.Lessons != 2 {
		t.Fatalf("%d lessons, error %v", r.Lessons, err)
	}
	results, err = filepath.Glob(filepath.Join(dir, CacheDir, resultsDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return r.Written, results
}

// A stored result is used only if inputs and output are unchanged.
func TestRemembered(t *testing.T) {
	dir, _ := filetree.New(t, map[string]string{"content/index.md": "# Course\n\n- [A](a.md)\n", "content/a.md": "# A\n\nText.\n"})
	written, results := rebuild(t, dir)
	if written == 0 || len(results) != 1 {
		t.Fatalf("the first build wrote %d files and remembers %d results", written, len(results))
	}
	result, page := results[0], filepath.Join(dir, "public", "a.html")
	for _, step := range []struct {
		what  string
		do    func() error
		wrote bool
		known int // results remembered afterwards
	}{
		{"nothing", func() error { return nil }, false, 1},
		{"a page is edited by hand", func() error { return os.WriteFile(page, []byte("theirs"), 0o644) }, true, 1},
		{"a page is deleted", func() error { return os.Remove(page) }, true, 1},
		{"the list of files is gone", func() error { return os.RemoveAll(filepath.Join(dir, "public")) }, true, 1},
		{"the result is damaged", func() error {
			return os.WriteFile(result, []byte("nothing that was ever a result, but long enough"), 0o644)
		}, false, 1},
		{"the result is cut", func() error { return os.Truncate(result, 10) }, false, 1},
		{"the cache is deleted", func() error { return os.RemoveAll(filepath.Join(dir, CacheDir)) }, false, 1},
		{"a lesson is edited", func() error {
			return os.WriteFile(filepath.Join(dir, "content", "a.md"), []byte("# A\n\nOther.\n"), 0o644)
		}, true, 2},
		{"a file comes", func() error { return os.WriteFile(filepath.Join(dir, "content", "b.txt"), nil, 0o644) }, true, 3},
		{"an empty folder comes", func() error { return os.Mkdir(filepath.Join(dir, "templates"), 0o755) }, false, 4},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		written, results := rebuild(t, dir)
		if (written > 0) != step.wrote || len(results) != step.known {
			t.Errorf("%s: wrote %d files, remembers %d results", step.what, written, len(results))
		}
	}
}

// What is kept of old builds does not grow without end.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	for i := range maxResults + 5 {
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	forget(dir)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != maxResults {
		t.Errorf("%d results are left, error %v", len(entries), err)
	}
}
