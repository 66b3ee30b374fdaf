package site

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"verbatim/internal/cli"
	"verbatim/internal/filetree"
	"verbatim/internal/publish"
)

// everyFile is a site for which a build makes files of every kind.
var everyFile = map[string]string{
	"content/index.md":            "---\nbase_url: https://example.org/course\n---\n\n# Course\n\n- [One](one.md)\n- [Two](deep/two.md)\n",
	"content/one.md":              "---\ntags: [counting]\naliases: [/old/one]\nchecked: 2026-11-29\n---\n\n# One\n\n```output {of=hello}\n```\n",
	"content/deep/two.md":         "# Two\n\nWords to search for.\n",
	"content/picture.txt":         "a file of the author's\n",
	"examples/hello/example.yaml": "run: sh main.sh\nneeds: none\n",
	"examples/hello/main.sh":      "echo hello\n",
}

// authorsWin are the files that a build makes only where the author wrote none.
var authorsWin = []string{"feed.xml", "robots.txt", "sitemap.xml"}

// TestAuthorsFiles puts a file of the author's in the place of each file that a
// build makes: either it is published as it is, with a note, or it is a problem
// that names it and nothing changes.
func TestAuthorsFiles(t *testing.T) {
	dir, root := filetree.New(t, everyFile)
	root.Close()
	build := func(check bool) (*Report, string) {
		t.Helper()
		terminal, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
		if err != nil {
			t.Fatal(err)
		}
		defer terminal.Close()
		report, err := Build(t.Context(), Config{Root: dir, Check: check, Printer: cli.NewPrinter("build", terminal)})
		if err != nil {
			t.Fatal(err)
		}
		said, err := os.ReadFile(terminal.Name())
		if err != nil {
			t.Fatal(err)
		}
		return report, string(said)
	}
	if report, _ := build(false); report.Wrong(true) {
		t.Fatal(report.Problems)
	}
	made, err := filesBelow(filepath.Join(dir, "public"))
	if err != nil || len(made) < 15 {
		t.Fatalf("the build made %q, %v", made, err)
	}
	won := 0
	for _, name := range made {
		if name == publish.Manifest || name == "picture.txt" {
			continue // hidden files of content/ are not published; this one is the author's
		}
		for _, place := range []string{name, strings.ToUpper(name), name + "/x.txt"} {
			before := filetree.Texts(t, filepath.Join(dir, "public"))
			file := filepath.Join(dir, "content", filepath.FromSlash(place))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("the author's\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			report, said := build(false)
			note := "content/" + name + " replaces the file that the build would make"
			if place == name && slices.Contains(authorsWin, name) {
				won++
				if got, err := os.ReadFile(filepath.Join(dir, "public", name)); err != nil || string(got) != "the author's\n" || report.Wrong(true) || !strings.Contains(said, note) {
					t.Errorf("%s: published %q, %v, problems %v, said %q", place, got, err, report.Problems, said)
				}
				if report, _ := build(true); report.Wrong(true) {
					t.Errorf("%s: -check: %v", place, report.Problems)
				}
			} else {
				if n, _ := report.Problems.Count(); n == 0 || !strings.Contains(problemsOf(report), "content/"+place) && !strings.Contains(problemsOf(report), name) {
					t.Errorf("%s: %v", place, report.Problems)
				}
				if hint := report.Problems; len(hint) > 0 && (hint[0].Hint == "" || strings.Contains(hint[0].Hint, "rename the ")) && place != name+"/x.txt" {
					t.Errorf("%s: the hint is %q", place, hint[0].Hint)
				}
				if strings.Contains(said, "replaces") || filetree.Texts(t, filepath.Join(dir, "public")) != before {
					t.Errorf("%s: the site changed, said %q", place, said)
				}
			}
			for at := file; at != filepath.Join(dir, "content"); at = filepath.Dir(at) {
				if os.Remove(at) != nil {
					break // a folder of lessons
				}
			}
		}
	}
	if won != len(authorsWin) {
		t.Errorf("%d files of the author's won, want %d", won, len(authorsWin))
	}
	if report, said := build(false); report.Wrong(true) || strings.Contains(said, "replaces") {
		t.Errorf("afterwards: %v, %q", report.Problems, said)
	}
	if report, _ := build(true); report.Wrong(true) {
		t.Errorf("afterwards, -check: %v", report.Problems)
	}
}

func problemsOf(r *Report) string {
	var all strings.Builder
	r.Problems.Print(&all)
	return all.String()
}
