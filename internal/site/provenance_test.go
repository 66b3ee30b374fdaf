package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verbatim/internal/claim"
	"verbatim/internal/record"
)

// TestEditedRecord edits a record as someone would who knows how its checksum is
// computed. A check refuses what no run shows, and warns of another version.
func TestEditedRecord(t *testing.T) {
	c := &claimant{dir: t.TempDir(), examples: map[string]bool{}, want: claim.Counts{}}
	c.write(t, "go.mod", "module t\n\ngo 1.26\n")
	c.write(t, "content/a.md", "# A\n\n{{ex.n}}\n\n```output {of=ex}\n```\n")
	c.write(t, "examples/ex/example.yaml", "needs: none\ntolerance: {n: 10}\n")
	c.write(t, "examples/ex/main.go", `package main

import "os"

func main() {
	os.WriteFile(os.Getenv("VERBATIM_VALUES"), []byte("n=100\n"), 0o644)
	println(1)
	os.Stdout.WriteString("fine\n")
}
`)
	config := Config{Root: c.dir, Redis: "embedded", Today: "2026-11-29"}
	if r, err := Build(t.Context(), config); err != nil || len(r.Problems) > 0 {
		t.Fatal(built(r, err))
	}
	const dir = "examples/ex/recorded"
	for name, test := range map[string]struct {
		edit func(*record.Record)
		want string // of a check's problems
	}{
		"nothing":           {func(*record.Record) {}, ""},
		"a future date":     {func(r *record.Record) { r.Recorded.Date = "2031-01-01" }, "has not come yet"},
		"no date":           {func(r *record.Record) { r.Recorded.Date = "lately" }, "is not of the form"},
		"a Redis":           {func(r *record.Record) { r.Recorded.Redis = "99.9.9" }, "names a Redis"},
		"an image":          {func(r *record.Record) { r.Recorded.Image = "redis:99" }, "names a Redis"},
		"a connection":      {func(r *record.Record) { r.Recorded.Connected = true }, "names a Redis"},
		"another Go":        {func(r *record.Record) { r.Recorded.Go = "go1.9.9" }, "recorded on Go 1.9, and this check runs on"},
		"a file not in it":  {func(r *record.Record) { r.Compiled = append(r.Compiled, "examples/ex/x.go") }, "is not compiled from"},
		"no file":           {func(r *record.Record) { r.Compiled = nil }, "is not compiled from"},
		"a line":            {func(r *record.Record) { r.Output = []byte("better\n") }, "no longer shows"},
		"a value":           {func(r *record.Record) { r.Values["n"] = "200" }, "no longer shows"},
		"an infinite value": {func(r *record.Record) { r.Values["n"] = "Inf" }, "no finite number"},
		"a new value":       {func(r *record.Record) { r.Values["m"] = "1" }, "no longer shows"},
		"an input":          {func(r *record.Record) { r.Inputs["examples/ex/main.go"] = record.Digest(nil) }, "changed examples/ex/main.go"},
	} {
		t.Run(name, func(t *testing.T) {
			r, ps := record.Read(os.DirFS(c.dir), dir)
			if len(ps) > 0 {
				t.Fatal(ps)
			}
			before, err := r.Files()
			if err != nil {
				t.Fatal(err)
			}
			test.edit(r)
			after, err := r.Files()
			if err != nil {
				t.Fatal(err)
			}
			for file, data := range after {
				c.write(t, filepath.Join(dir, file), string(data))
			}
			check := config
			check.Check = true
			got := built(Build(t.Context(), check))
			if test.want == "" && got != "[]" || !strings.Contains(got, test.want) {
				t.Errorf("a check says %s, want %q", got, test.want)
			}
			for file, data := range before {
				c.write(t, filepath.Join(dir, file), string(data))
			}
		})
	}
}
