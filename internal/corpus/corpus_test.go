package corpus

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"testing"
)

// digest returns a hash of the names and contents of all files below dir.
func digest(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	fsys := os.DirFS(dir)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(fsys, name)
		fmt.Fprintf(h, "%s %d %s", name, len(data), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// writeSite generates a site in a temporary directory.
func writeSite(t *testing.T, seed uint64, pages, examples int) string {
	t.Helper()
	dir := t.TempDir()
	if err := WriteExamples(dir, seed, pages, examples); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSameSeedSameBytes(t *testing.T) {
	first := digest(t, writeSite(t, 1, 100, 10))
	again := digest(t, writeSite(t, 1, 100, 10))
	other := digest(t, writeSite(t, 2, 100, 10))
	if first != again {
		t.Error("two sites of the same seed differ")
	}
	if first == other {
		t.Error("two sites of different seeds are equal")
	}
}

// TestLooksLikeTheRealSet checks that the statistics are within a third of those of
// the real set.
func TestLooksLikeTheRealSet(t *testing.T) {
	s := newSite(1, 600, 0)
	total, inFences, repeated := 0, 0, 0
	seen := map[string]bool{}
	fence := regexp.MustCompile("(?ms)^```.*?^```\n")
	for i := range s.pages {
		text := s.lesson(i)
		total += len(text)
		for _, f := range fence.FindAll(text, -1) {
			inFences += len(f)
			if seen[string(f)] {
				repeated += len(f)
			}
			seen[string(f)] = true
		}
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"bytes of a page", float64(total) / 600, 7850},
		{"share in fences", float64(inFences) / float64(total), 0.15},
		{"share of those that repeat", float64(repeated) / float64(inFences), 0.7},
	} {
		if c.got < c.want*2/3 || c.got > c.want*4/3 {
			t.Errorf("%s: %.2f, want about %.2f", c.what, c.got, c.want)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		if err := Write(b.TempDir(), 1, 6000); err != nil {
			b.Fatal(err)
		}
	}
}
