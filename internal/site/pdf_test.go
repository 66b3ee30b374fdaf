package site

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"verbatim/internal/cli"
	"verbatim/internal/filetree"
	"verbatim/internal/pdf"
	"verbatim/internal/proc"
)

func TestMain(m *testing.M) {
	proc.Supervise(nil)
	os.Exit(m.Run())
}

// TestNoBrowser: without a Chromium -pdf stops before anything is done, and
// says what to install.
func TestNoBrowser(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Build(t.Context(), Config{Root: t.TempDir(), PDF: t.TempDir()})
	if err == nil || cli.Code(err) != cli.Failure || !strings.Contains(err.Error(), "install") {
		t.Errorf("the error is %v, its exit code %d", err, cli.Code(err))
	}
}

// TestPDFFolder: PDF files go neither into the site nor among its sources.
func TestPDFFolder(t *testing.T) {
	root, elsewhere := t.TempDir(), t.TempDir()
	link := filepath.Join(elsewhere, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(elsewhere, "out")
	for _, pdf := range []string{
		out, filepath.Join(out, "deep"),
		filepath.Join(root, "public"), filepath.Join(root, "public", "pdf"),
		filepath.Join(root, "content"), filepath.Join(root, "examples", "x"),
		filepath.Join(root, "quotes"), filepath.Join(root, "templates", "static"),
		filepath.Join(link, "content", "pdf"),
	} {
		_, err := Build(t.Context(), Config{Root: root, Out: out, PDF: pdf})
		if cli.Code(err) != cli.Usage || !strings.Contains(err.Error(), "choose a folder of their own") {
			t.Errorf("-pdf %s: %v, exit code %d", pdf, err, cli.Code(err))
		}
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) > 0 {
		t.Errorf("the refused build left %v, %v", entries, err)
	}
}

// printed is a site with a lesson in a folder of its own and one that asks.
var printed = map[string]string{
	"content/index.md": "# Course\n\n- [First](first.md)\n- [Second](deep/second.md)\n",
	"content/first.md": `# First

## A heading

::: question {#q1 unverified="made up"}
**Which?**

- A. this
- B. that

<details><summary>Answer</summary>

**A.** Because.

- B. No.

</details>
:::
`,
	"content/deep/second.md": "# Second\n\n## Another heading\n\nText.\n",
}

// TestPrintedFiles: a build with -pdf leaves each lesson, its worksheet and the
// course as tagged PDF files with an outline, and nothing else.
func TestPrintedFiles(t *testing.T) {
	if _, err := pdf.FindBrowser(); err != nil {
		if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), "chromium") {
			t.Fatalf("VERBATIM_REQUIRE names chromium: %v", err)
		}
		t.Skipf("needs chromium: %v", err)
	}
	dir, root := filetree.New(t, printed)
	root.Close()
	pdf := t.TempDir()
	report, err := Build(t.Context(), Config{Root: dir, PDF: pdf})
	if err != nil || report.Wrong(false) {
		t.Fatalf("%v\n%v", err, report)
	}
	want := []string{"course.pdf", "deep/second-worksheet.pdf", "deep/second.pdf", "first-worksheet.pdf", "first.pdf"}
	got, err := filesBelow(pdf)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("the folder holds %q, %v, want %q", got, err, want)
	}
	for _, name := range got {
		data, err := os.ReadFile(filepath.Join(pdf, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, sign := range []string{"%PDF-", "/MarkInfo", "/StructTreeRoot", "/Outlines", "%%EOF"} {
			if !bytes.Contains(data, []byte(sign)) {
				t.Errorf("%s has no %s", name, sign)
			}
		}
	}
	if left, err := filesBelow(filepath.Join(dir, CacheDir, "tmp")); len(left) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the print left %q, %v", left, err)
	}
	public, err := filesBelow(filepath.Join(dir, "public"))
	if err != nil || slices.ContainsFunc(public, func(name string) bool { return filepath.Ext(name) == ".pdf" }) {
		t.Errorf("the site holds %q, %v", public, err)
	}
}

// filesBelow returns the files below dir by their paths, sorted.
func filesBelow(dir string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}
