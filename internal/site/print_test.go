package site

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"verbatim/internal/filetree"
)

// browser puts a program on PATH that prints pages like Chromium, as far as
// -pdf sees it, and fails at the page whose name ends in fails.
func browser(t *testing.T, fails string) {
	t.Helper()
	dir := t.TempDir()
	script := `#!/bin/sh
for argument; do
	case $argument in --print-to-pdf=*) out=${argument#*=} ;; esac
done
case $argument in *"` + fails + `") echo no paper >&2; exit 1 ;; esac
echo "printed $argument" >"$out"
`
	if err := os.WriteFile(filepath.Join(dir, "chromium"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// All PDF files are new, or when one cannot be printed all are as they were;
// what a killed build left beside them goes, and other files stay.
func TestPrintIsAllOrNothing(t *testing.T) {
	site, root := filetree.New(t, printed)
	root.Close()
	pdf, root := filetree.New(t, map[string]string{
		"first.pdf": "old\n", "deep/.verbatim-aside-7": "left", "theirs/.verbatim-aside-1": "not below a lesson's folder",
	})
	root.Close()

	browser(t, "second-worksheet.html")
	_, err := Build(t.Context(), Config{Root: site, PDF: pdf})
	if err == nil || !strings.Contains(err.Error(), "no paper") {
		t.Fatalf("the error is %v", err)
	}
	if got, want := filetree.Texts(t, pdf), "first.pdf=old\n theirs/.verbatim-aside-1=not below a lesson's folder"; got != want {
		t.Errorf("after the failure the folder holds %q, want %q", got, want)
	}

	browser(t, "no such page")
	if _, err := Build(t.Context(), Config{Root: site, PDF: pdf}); err != nil {
		t.Fatal(err)
	}
	want := []string{"course.pdf", "deep/second-worksheet.pdf", "deep/second.pdf", "first-worksheet.pdf", "first.pdf", "theirs/.verbatim-aside-1"}
	if got, err := filesBelow(pdf); err != nil || !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, %v, want %q", got, err, want)
	}
	if text, err := os.ReadFile(filepath.Join(pdf, "first.pdf")); err != nil || !strings.HasPrefix(string(text), "printed file://") {
		t.Errorf("first.pdf holds %q, %v", text, err)
	}
}

// A lesson whose PDF file would replace another's worksheet, or the course, is
// a problem, and nothing is printed over anything.
func TestPrintKeepsNamesApart(t *testing.T) {
	browser(t, "no such page")
	for _, name := range []string{"first-worksheet", "course"} {
		site, root := filetree.New(t, map[string]string{
			"content/first.md": "# First\n", "content/" + name + ".md": "# Other\n",
		})
		root.Close()
		pdf := filepath.Join(t.TempDir(), "pdf")
		report, err := Build(t.Context(), Config{Root: site, PDF: pdf})
		if err != nil {
			t.Fatal(err)
		}
		if len(report.Problems) != 1 || !strings.HasPrefix(report.Problems[0].String(), "content/"+name+".md: two PDF files would be "+name+".pdf") {
			t.Errorf("%s: %v", name, report.Problems)
		}
		if _, err := os.Stat(pdf); err == nil {
			t.Errorf("%s: something was printed", name)
		}
	}
}
