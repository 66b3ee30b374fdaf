package main

import (
	"os"
	"path/filepath"
	"testing"

	"verbatim/examples/lab/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m, main) }

// The answers are those of the lesson's keys. A change in testdata/answers.txt is
// a change of the lesson.
func TestAnswers(t *testing.T) {
	want, err := os.ReadFile("testdata/answers.txt")
	if err != nil {
		t.Fatal(err)
	}
	values := filepath.Join(t.TempDir(), "values")
	story := labtest.Output(t, "VERBATIM_VALUES="+values)
	got, err := os.ReadFile(values)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("answered\n%swant\n%sthe story\n%s", got, want, story)
	}
}
