package site

import (
	"html"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verbatim/internal/filetree"
	"verbatim/internal/pdf"
)

// lessonsOfEveryKind are lessons that show evidence, and lessons that show none
// and are drawn as soon as they are read.
var lessonsOfEveryKind = map[string]string{
	"content/index.md": "# Course\n\n- [A lesson whose title takes more than one line of a narrow column](plain.md)\n" +
		"- [Question](question.md)\n- [Note](note.md)\n- [Code](code.md)\n- [Lists](lists.md)\n- [Folds](folds.md)\n" +
		"- [Deep](deep/er/plain.md)\n- [Steps](steps.md)\n- [Foot-notes](notes.md)\n- [Untitled](untitled.md)\n" +
		"- [Evidence](evidence-of.md)\n- [Values](values.md)\n",
	"content/plain.md":            "# Only one\n\nFirst paragraph here.\n\n## Two\n\nSecond paragraph there.\n",
	"content/question.md":         "# Question\n\n## Asked\n\nBefore the question.\n\n::: question {#q unverified=\"made up\"}\n**Which one of them?**\n\n- A. this\n- B. that\n- C. those\n\n<details><summary>Answer</summary>\n\n**A.** Because of this.\n\n- B. No, never.\n- C. Not those.\n\n</details>\n:::\n\nAfter the question.\n",
	"content/note.md":             "# Note\n\n::: note\nWords of the note.\n\nMore words of it.\n:::\n\n::: warning\nWords of the warning.\n:::\n",
	"content/code.md":             "# Code\n\nBefore the code.\n\n```go\npackage main\n```\n\nAfter the code.\n",
	"content/lists.md":            "# Lists\n\n- one\n\n  A paragraph of a list.\n\n- two\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\nAfter the table.\n\n> A quoted paragraph.\n",
	"content/folds.md":            "# Folds\n\n<details><summary>Open it</summary>\n\nWords in the fold.\n\n</details>\n\nWords after the fold.\n",
	"content/deep/er/plain.md":    "---\ntitle: Deep\nsummary: What it is about.\nchecked: 2026-11-29\n---\n\nWords of a lesson in a folder.\n\n### A small heading\n\nIts words.\n",
	"content/steps.md":            "# Steps\n\n::: steps\n1. **First.** The first step.\n2. **Second.** The second step.\n:::\n\n::: exercise {solution=none}\nTry it yourself.\n:::\n",
	"content/notes.md":            "# Foot-notes\n\nA claim[^1] of ours.\n\n[^1]: The words of its note.\n",
	"content/untitled.md":         "---\ntitle: Untitled\n---\n\nText without any heading.\n",
	"content/evidence-of.md":      "# Evidence\n\nBefore the output.\n\n```output {of=hello}\n```\n\nAfter the output.\n",
	"content/values.md":           "# Values\n\n## It is {{hello.n}}\n\nThe number is {{hello.n}} today.\n",
	"examples/hello/example.yaml": "run: sh main.sh\nneeds: none\n",
	"examples/hello/main.sh":      "echo hello\necho n=7 >>$VERBATIM_VALUES\n",
}

// TestPapersAreWhole: what -pdf prints holds the headings and paragraphs of
// every lesson's page, on its own paper, on its worksheet and in the course,
// whether its text was drawn early or not.
func TestPapersAreWhole(t *testing.T) {
	dir, root := filetree.New(t, lessonsOfEveryKind)
	root.Close()
	copier := t.TempDir()
	script := "#!/bin/sh\nfor argument; do\n\tcase $argument in --print-to-pdf=*) out=${argument#*=} ;; esac\ndone\nexec cp \"${argument#file://}\" \"$out\"\n"
	if err := os.WriteFile(filepath.Join(copier, "chromium"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", copier+string(filepath.ListSeparator)+os.Getenv("PATH"))
	comparePapers(t, dir, func(paper string) string {
		data, err := os.ReadFile(paper)
		if err != nil {
			t.Fatal(err)
		}
		_, main, _ := strings.Cut(string(data), "<main")
		return plainText(main)
	})
}

// TestPrintedWords: the same, of PDF files that Chromium printed, for lessons of
// every kind and for the site that ships with the builder.
func TestPrintedWords(t *testing.T) {
	for program, err := range map[string]error{"chromium": third(pdf.FindBrowser()), "pdftotext": third(exec.LookPath("pdftotext"))} {
		if err == nil {
			continue
		}
		if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), "chromium") {
			t.Fatalf("VERBATIM_REQUIRE names chromium, which prints what %s reads: %v", program, err)
		}
		t.Skipf("needs %s (install chromium and poppler-utils): %v", program, err)
	}
	few := map[string]string{}
	for name, text := range lessonsOfEveryKind {
		if !slices.Contains([]string{"note", "code", "lists", "deep/er/plain", "untitled", "values", "steps", "notes"}, strings.TrimSuffix(strings.TrimPrefix(name, "content/"), ".md")) {
			few[name] = text
		}
	}
	few["content/index.md"] = "# Course\n\n- [A lesson whose title takes more than one line of a narrow column](plain.md)\n- [Question](question.md)\n- [Folds](folds.md)\n- [Evidence](evidence-of.md)\n"
	made, root := filetree.New(t, few)
	root.Close()
	shipped := t.TempDir()
	for _, name := range []string{"content", "examples", "quotes"} {
		if err := os.CopyFS(filepath.Join(shipped, name), os.DirFS(filepath.Join("..", "..", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(shipped, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{made, shipped} {
		comparePapers(t, dir, func(paper string) string {
			text, err := exec.Command("pdftotext", "-raw", paper, "-").Output()
			if err != nil {
				t.Fatalf("pdftotext %s: %v", paper, err)
			}
			return string(text)
		})
	}
}

func third[T any](_ T, err error) error { return err }

// comparePapers builds and prints the site in dir, and compares the words of
// its pages with those that read returns of each paper.
func comparePapers(t *testing.T, dir string, read func(paper string) string) {
	t.Helper()
	pdf := filepath.Join(t.TempDir(), "pdf")
	report, err := Build(t.Context(), Config{Root: dir, PDF: pdf, Redis: "process"})
	if err != nil || report.Wrong(false) {
		t.Fatalf("%v\n%v", err, report)
	}
	course := strip(read(filepath.Join(pdf, "course.pdf")))
	lessons, compared := 0, 0
	papers, err := filesBelow(pdf)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range papers {
		id := strings.TrimSuffix(name, ".pdf")
		page, err := os.ReadFile(filepath.Join(dir, "public", id+".html"))
		if id == "course" || err != nil { // a worksheet
			continue
		}
		lessons++
		words := wordsOf(string(page))
		if len(words) == 0 {
			t.Errorf("%s: the page has no words", id)
		}
		for where, text := range map[string]string{
			name:                strip(read(filepath.Join(pdf, name))),
			id + Worksheet:      strip(read(filepath.Join(pdf, id+Worksheet))),
			"course.pdf, " + id: course,
		} {
			for _, w := range words {
				compared++
				if !strings.Contains(text, strip(w)) {
					t.Errorf("%s lacks %q", where, w)
				}
			}
		}
	}
	if lessons < 3 || len(papers) != 2*lessons+1 {
		t.Errorf("compared %d lessons of %d papers", lessons, len(papers))
	}
	t.Logf("%s: %d lessons, %d headings and paragraphs", path.Base(dir), lessons, compared)
}

// Worksheet ends the name of a lesson's worksheet.
const Worksheet = "-worksheet.pdf"

var (
	blocks = regexp.MustCompile(`(?s)<(?:h[1-6]|p)\b([^>]*)>(.*?)</(?:h[1-6]|p)>`)
	unseen = regexp.MustCompile(`(?s)<svg.*?</svg>|<button.*?</button>`)
	tags   = regexp.MustCompile(`(?s)<[^>]*>`)
)

// wordsOf returns what each heading and paragraph of a lesson's page begins
// with, without what is only of use on a screen.
func wordsOf(page string) (all []string) {
	_, page, _ = strings.Cut(page, "<main")
	page, _, _ = strings.Cut(page, "</main>")
	for _, m := range blocks.FindAllStringSubmatch(page, -1) {
		if strings.Contains(m[1], "class=") || strings.Contains(m[1], "hidden") {
			continue // the theme's own lines
		}
		words := strings.Fields(plainText(m[2]))
		if len(words) > 0 {
			all = append(all, strings.Join(words[:min(6, len(words))], " "))
		}
	}
	return all
}

func plainText(markup string) string {
	return html.UnescapeString(tags.ReplaceAllString(unseen.ReplaceAllString(markup, " "), " "))
}

// strip drops what a line's end, a hyphenation or a ligature may change.
func strip(text string) string {
	text = strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl", "\u00ad", "").Replace(text)
	return strings.Join(strings.Fields(text), "")
}
