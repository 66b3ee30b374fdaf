package serve

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"verbatim/internal/cli"
)

// rows returns the rows of a table in testdata, one JSON object a line.
func rows[T any](t *testing.T, name string) []T {
	t.Helper()
	src, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	d := json.NewDecoder(bytes.NewReader(src))
	d.DisallowUnknownFields()
	for d.More() {
		var row T
		if err := d.Decode(&row); err != nil {
			t.Fatalf("%s, row %d: %v", name, len(all)+1, err)
		}
		all = append(all, row)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no rows", name)
	}
	return all
}

func TestParseAddress(t *testing.T) {
	for _, row := range rows[struct {
		Flag, Error string
		Listen      []string
	}](t, "addresses.jsonl") {
		got, err := ParseAddress(row.Flag)
		if row.Error == "" {
			if err != nil || !slices.Equal(got, row.Listen) {
				t.Errorf("%q: %q, %v, want %q", row.Flag, got, err, row.Listen)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), row.Error) || cli.Code(err) != cli.Usage {
			t.Errorf("%q: %q, %v, want a usage error with %q", row.Flag, got, err, row.Error)
		}
	}
}

func TestIsLocalHost(t *testing.T) {
	for _, row := range rows[struct {
		Host  string
		Local bool
	}](t, "hosts.jsonl") {
		if got := isLocalHost(row.Host); got != row.Local {
			t.Errorf("isLocalHost(%q) = %t", row.Host, got)
		}
	}
}

func TestIsSource(t *testing.T) {
	for _, row := range rows[struct {
		Name   string
		Source bool
	}](t, "sources.jsonl") {
		if got := isSource(row.Name); got != row.Source {
			t.Errorf("isSource(%q) = %t", row.Name, got)
		}
	}
}

// TestPortTaken checks that the error for a port in use names the address.
func TestPortTaken(t *testing.T) {
	first, err := listen(t.Context(), []string{"127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	address := first.Addr().String()
	_, err = listen(t.Context(), []string{address, "[::1]:0"})
	if err == nil || !strings.Contains(err.Error(), address+": the port is taken") || cli.Code(err) != cli.Failure {
		t.Errorf("the second server: %v", err)
	}
}
