package site

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A saved lesson costs no more than itself, unless other pages show what
// changed in it; and what was shown before stays as it was.
func TestQuickRefresh(t *testing.T) {
	const home = "# Course\n\n- [A](a.md)\n- [B](b.md)\n"
	dir, _ := tree(t, map[string]string{"content/index.md": home, "content/a.md": "# A\n\nText.\n", "content/b.md": "# B\n\nSee [a](a.md#part).\n"})
	live, err := OpenLive(context.Background(), Config{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	first, err := live.Refresh(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		file, text string
		quick      bool
		page, has  string
		problems   int
	}{
		{"content/a.md", "# A\n\nOther.\n", true, "a.html", "<p>Other.</p>", 1},
		{"content/a.md", "# A\n\n## Part\n\nOther.\n", true, "a.html", `<h2 id="part">`, 0},
		{"content/a.md", "# New name\n\n## Part\n", true, "b.html", "New name", 0},
		{"content/a.md", "---\naliases: [old.html]\n---\n\n# A\n\n## Part\n", false, "old.html", "a.html", 0},
		{"content/index.md", strings.Replace(home, "Course", "All", 1), false, "a.html", "· All", 0},
	} {
		before := live.now.b.root
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(step.file)), []byte(step.text), 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := live.Refresh(context.Background(), []string{step.file})
		if err != nil {
			t.Fatal(err)
		}
		if quick := live.now.b.root == before; quick != step.quick {
			t.Errorf("%q: quick is %t", step.text, quick)
		}
		if data, _ := s.File(step.page); !strings.Contains(string(data), step.has) {
			t.Errorf("%q: %s holds no %q", step.text, step.page, step.has)
		}
		if problems, _ := s.Problems.Count(); problems != step.problems {
			t.Errorf("%q: %v", step.text, s.Problems)
		}
	}
	if data, _ := first.File("a.html"); !strings.Contains(string(data), "<p>Text.</p>") {
		t.Error("the first snapshot shows what was saved after it")
	}
}
