package run

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"verbatim/internal/lesson"
)

// The module that an example uses is an input: its version, its hash in go.sum,
// and what replaces it. A module that it does not use is none.
func TestStalenessOfModules(t *testing.T) {
	const sums = "example.com/dep v1.0.0 h1:one=\nexample.com/dep v1.1.0 h1:two=\nexample.com/fork v0.9.0 h1:fork=\nexample.com/other v1.0.0 h1:other=\n"
	const used = "module example.com/dep@v1.0.0"
	recorded := Inputs{"examples/x/main.go": "", used: "h1:one=", languageInput: "go 1.24"}
	for _, row := range []struct{ name, mod, sum, want string }{
		{"the same", "require example.com/dep v1.0.0", sums, ""},
		{"a comment", "require example.com/dep v1.0.0 // indirect", sums, ""},
		{"another module", "require (\n\texample.com/dep v1.0.0\n\texample.com/other v1.0.0\n)", sums, ""},
		{"another version", "require example.com/dep v1.1.0", sums,
			"removed " + used + ", added module example.com/dep@v1.1.0"},
		{"another hash", "require example.com/dep v1.0.0", strings.Replace(sums, "h1:one", "h1:forged", 1),
			"changed " + used},
		{"replaced", "require example.com/dep v1.0.0\nreplace example.com/dep => example.com/fork v0.9.0", sums,
			"removed " + used + ", added " + used + " => example.com/fork@v0.9.0"},
		{"replaced by a folder", "require example.com/dep v1.0.0\nreplace example.com/dep => ./dep", sums,
			"removed " + used + ", added " + used + " => ./dep"},
		{"this version replaced, and others otherwise",
			"require example.com/dep v1.0.0\nreplace example.com/dep v1.0.0 => ./dep\nreplace example.com/dep => example.com/fork v0.9.0", sums,
			"removed " + used + ", added " + used + " => ./dep"},
		{"another version replaced", "require example.com/dep v1.0.0\nreplace example.com/dep v1.1.0 => ./dep", sums, ""},
		{"gone", "", sums, "removed " + used},
	} {
		fsys := fstest.MapFS{
			"go.mod":             {Data: []byte("module site.example\n\ngo 1.24\n\n" + row.mod + "\n")},
			"go.sum":             {Data: []byte(row.sum)},
			"examples/x/main.go": {Data: []byte("package main\n")},
		}
		now, exact, err := NewTree(fsys, "").Verify(lesson.Example{ID: "x", Dir: "examples/x", Go: true, Needs: "none"}, recorded)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		now["examples/x/main.go"] = "" // the file is not what this is about
		var got []string
		for _, c := range Changes(recorded, now) {
			got = append(got, fmt.Sprint(c))
		}
		if strings.Join(got, ", ") != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
		if row.want != "" && exact {
			t.Errorf("%s: imports may differ, and nobody asked", row.name)
		}
	}
}

// A record may list any name: those outside of the module count as removed, and
// listing them ends.
func TestOddInputs(t *testing.T) {
	fsys := fstest.MapFS{
		"go.mod":             {Data: []byte("module site.example\n\ngo 1.24\n")},
		"examples/x/main.go": {Data: []byte("package main\n")},
	}
	e := lesson.Example{ID: "x", Dir: "examples/x", Go: true, Needs: "none"}
	for _, name := range []string{
		"../x.go", "../../../x.go", "..", "../go.mod", "/etc/x.go", "a/../../x.go", "./../x.go", "a//x.go", "", ".go", "x.go/", "\x00.go",
		"module ", "module @", "replaced ", "executable ../x", "missing/x.go",
	} {
		now, _, err := NewTree(fsys, "").Verify(e, Inputs{name: "digest"})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if len(Changes(Inputs{name: "digest"}, now)) == 0 {
			t.Errorf("%q counts as unchanged", name)
		}
	}
}
