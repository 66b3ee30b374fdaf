package main

import (
	"os"
	"testing"

	"verbatim/examples/lab/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m, main) }

// Alone, the program prints what it printed in the build: the lines that the
// lesson shows.
func TestAlone(t *testing.T) {
	want, err := os.ReadFile("recorded/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := labtest.Output(t); got != string(want) {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
}
