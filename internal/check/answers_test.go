package check

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// TestBeginsWith reads testdata/answers.jsonl: which answers a value proves.
func TestBeginsWith(t *testing.T) {
	data, err := os.ReadFile("testdata/answers.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var row struct {
			Answer, Value string
			Proved        bool
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got := beginsWith(row.Answer, row.Value); got != row.Proved {
			t.Errorf("%q for %q: %t, want %t", row.Answer, row.Value, got, row.Proved)
		}
	}
}
