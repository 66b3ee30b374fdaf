package limiter

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// testdata/cases.jsonl lists what the limiter must do, by the rows of its
// specification, and the tests that hold it: Go tests by name, scenarios by file
// and title. So a reader finds them, and a row cannot lose its test unseen.
func TestEveryCaseHasItsTest(t *testing.T) {
	tests := map[string]bool{}
	names := func(pattern, prefix, title string) {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if prefix != "" {
				prefix = filepath.Base(file) + ": "
			}
			for _, m := range regexp.MustCompile(title).FindAllSubmatch(text, -1) {
				tests[prefix+string(m[1])] = true
			}
		}
	}
	names("*_test.go", "", `(?m)^func (Test\w+)\(`)
	names("testdata/scenarios/*.txt", "file", `(?m)^== (.+)$`)

	last := 0
	for _, row := range rows[struct {
		Row   int
		Case  string
		Tests []string
	}](t, "testdata/cases.jsonl") {
		if row.Row <= last || len(row.Tests) == 0 {
			t.Errorf("row %d: after %d, with %d tests", row.Row, last, len(row.Tests))
		}
		last = row.Row
		for _, name := range row.Tests {
			if !tests[name] {
				t.Errorf("row %d, %s: there is no test %q", row.Row, row.Case, name)
			}
		}
	}
}
