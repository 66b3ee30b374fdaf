package site

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verbatim/internal/filetree"
)

// A saved lesson costs no more than itself, unless other pages show what
// changed in it; and what was shown before stays as it was.
func TestQuickRefresh(t *testing.T) {
	const home = "# Course\n\n- [A](a.md)\n- [B](b.md)\n"
	dir, _ := filetree.New(t, map[string]string{"content/index.md": home, "content/a.md": "# A\n\nText.\n", "content/b.md": "# B\n\nSee [a](a.md#part).\n"})
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

// beyondSite is a site whose example imports from a folder of its module, and
// from another module that lies beside the site.
var beyondSite = map[string]string{
	"content/a.md":            "# A\n\n~~~output {of=x}\n~~~\n",
	"go.mod":                  "module site.example\n\ngo 1.26\n\nrequire other.example v0.0.0\n\nreplace other.example => ../other\n",
	"internal/greet/g.go":     "package greet\n\nconst Text = \"hello\"\n",
	"internal/greet/t.txt":    "x\n",
	"examples/x/main.go":      "package main\n\nimport (\n\t\"other.example\"\n\t\"site.example/internal/greet\"\n)\n\nfunc main() { println(greet.Text, other.Text) }\n",
	"examples/x/example.yaml": "needs: none\n",
}

// What a run depends on is the same for the next drawing, or it would run again
// with each; and the folder that it imports from is known.
func TestWhatARunDependsOn(t *testing.T) {
	dir, _ := filetree.New(t, map[string]string{"other/go.mod": "module other.example\n", "other/o.go": "package other\n\nconst Text = \"o\"\n"})
	for name, text := range beyondSite {
		filetree.Write(t, filepath.Join(dir, "site"), name, text)
	}
	live, err := OpenLive(t.Context(), Config{Root: filepath.Join(dir, "site")})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	if _, err := live.Refresh(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	shown, err := live.Run(t.Context(), "x")
	if err != nil || shown.Inputs == "" {
		t.Fatalf("%+v, %v", shown, err)
	}
	if got := strings.Join(live.ImportDirs(), " "); got != "internal/greet" {
		t.Errorf("it imports from %q", got)
	}
	for _, step := range []struct {
		file, text string
		same       bool
	}{
		{"content/a.md", "# A\n\nText.\n\n~~~output {of=x}\n~~~\n", true},
		{"internal/greet/g.go", "package greet\n\nconst Text = \"hi\"\n", false},
		{"internal/greet/g.go", beyondSite["internal/greet/g.go"], true},
		{"internal/greet/new.txt", "x\n", false},
	} {
		filetree.Write(t, filepath.Join(dir, "site"), step.file, step.text)
		s, err := live.Refresh(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if same := s.Inputs("x") == shown.Inputs; same != step.same {
			t.Errorf("after %s the inputs are the same: %t", step.file, same)
		}
	}
}
