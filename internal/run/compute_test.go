package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/mod/module"

	"verbatim/internal/lesson"
)

const folderSite = `
-- go.mod --
module site.example

go 1.24

require example.com/dep v1.0.0

replace example.com/dep => ./one
-- one/go.mod --
module example.com/dep
-- one/dep.go --
package dep
-- two/go.mod --
module example.com/dep
-- two/dep.go --
package dep
-- examples/x/main.go --
package main

import _ "example.com/dep"

func main() {}
`

var folderExample = lesson.Example{ID: "x", Dir: "examples/x", Go: true, Needs: "none"}

// The folder that replaces a module is an input, and so are its files.
func TestFolderInPlaceOfAModule(t *testing.T) {
	root := t.TempDir()
	writeSite(t, root, txtar.Parse([]byte(folderSite)))
	_, before := computed(t, root)
	for _, name := range []string{"module example.com/dep@v1.0.0 => ./one", "one/dep.go"} {
		if _, ok := before[name]; !ok {
			t.Errorf("no input %q among %v", name, before)
		}
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "go.mod"), append(mod[:len(mod)-len("./one\n")], "./two\n"...))
	tree, after := computed(t, root)
	if _, ok := after["two/dep.go"]; !ok {
		t.Errorf("the inputs are not those of the other folder: %v", after)
	}
	if _, exact, err := tree.Verify(folderExample, before); err != nil || exact {
		t.Errorf("Verify is exact: %t, %v: the code is another, and nobody asked", exact, err)
	}
}

// The go command finds an example also where the shell came to the site by a
// link, as on macOS, where /tmp is one.
func TestComputeBehindALink(t *testing.T) {
	root := t.TempDir()
	writeSite(t, root, txtar.Parse([]byte(folderSite)))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skipf("needs links: %v", err)
	}
	t.Chdir(link)
	computed(t, link)
}

func computed(t *testing.T, root string) (*Tree, Inputs) {
	t.Helper()
	tree := NewTree(os.DirFS(root), "")
	inputs, ps, err := tree.Compute(t.Context(), root, []lesson.Example{folderExample})
	if err != nil || len(ps) > 0 {
		t.Fatal(err, ps)
	}
	return tree, inputs["x"]
}

// No two examples share a program, whatever their folders are called.
func TestProgramsAreKeptApart(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"x", "a/x", "a/b/x", "a_b/x", "a/b", "a%2Fb/x"} {
		program := Binary("cache", lesson.Example{ID: id})
		if other, twice := seen[program]; twice {
			t.Errorf("%s and %s are both %s", id, other, program)
		}
		seen[program] = id
	}
}

// A package of a folder outside the site is an input: the files that it is
// compiled from, and its go.mod, which names a version of Go.
func TestFolderOutsideTheSite(t *testing.T) {
	const outside = `
-- site/go.mod --
module site.example

go 1.24

require example.com/dep v1.0.0

replace example.com/dep => ../dep
-- site/examples/x/main.go --
package main

import _ "example.com/dep"

func main() {}
-- dep/go.mod --
module example.com/dep

go 1.24
-- dep/dep.go --
package dep

import _ "embed"

//go:embed a.txt
var a string

func add() int
-- dep/a.txt --
-- dep/add.s --
#include "add.h"
TEXT ·add(SB),$0
	RET
-- dep/add.h --
-- dep/dep_windows.go --
package dep
-- dep/dep_test.go --
package dep
-- dep/README --
`
	for _, row := range []struct {
		change string
		stale  bool
	}{
		{"touch dep/dep.go", false},
		{"append dep/dep.go", true},
		{"append dep/a.txt", true},
		{"append dep/add.s", true},
		{"append dep/add.h", true},
		{"set dep/go.mod go 1.24 → go 1.23", true},
		{"set dep/go.mod go 1.24 → go 1.24\\n\\ntoolchain go1.24.1", true},
		{"create dep/more.go", true},
		{"create dep/more.syso", true},
		{"rename dep/add.s dep/sub.s", true},
		{"delete dep/add.h", true},
		{"append dep/dep_windows.go", false},
		{"append dep/dep_test.go", false},
		{"append dep/README", false},
	} {
		t.Run(row.change, func(t *testing.T) {
			top := t.TempDir()
			site := filepath.Join(top, "site")
			writeSite(t, top, txtar.Parse([]byte(outside)))
			_, before := computed(t, site)
			apply(t, top, strings.Split(row.change, " "))
			_, after := computed(t, site)
			if stale := len(Changes(before, after)) > 0; stale != row.stale {
				t.Errorf("stale: %t, want %t", stale, row.stale)
			}
		})
	}
}

// A module that only the go.mod of another module requires is an input under the same
// form of name as one that the site requires itself.
func TestModuleOfAnotherModule(t *testing.T) {
	const site = `
-- go.mod --
module site.example

go 1.16

require example.com/a v1.0.0

replace example.com/a => ./a

replace example.com/b => ./b
-- a/go.mod --
module example.com/a

go 1.16

require example.com/b v1.0.0
-- a/a.go --
package a

import _ "example.com/b"
-- b/go.mod --
module example.com/b

go 1.16
-- b/b.go --
package b
-- c/go.mod --
module example.com/b

go 1.16
-- c/b.go --
package b
-- examples/x/main.go --
package main

import _ "example.com/a"

func main() {}
`
	root := t.TempDir()
	writeSite(t, root, txtar.Parse([]byte(site)))
	_, before := computed(t, root)
	for _, name := range []string{"module example.com/a@v1.0.0 => ./a", "module example.com/b@v1.0.0 => ./b", "b/b.go", "b/go.mod"} {
		if _, ok := before[name]; !ok {
			t.Errorf("no input %q among %v", name, before)
		}
	}
	apply(t, root, strings.Split("set go.mod => ./b → => ./c", " "))
	_, after := computed(t, root)
	if _, ok := after["module example.com/b@v1.0.0 => ./c"]; !ok || len(Changes(before, after)) == 0 {
		t.Errorf("another folder is no change: %v", after)
	}
}

// The name of a module's input has one form, whoever replaces the module.
func TestModuleInputs(t *testing.T) {
	m := &modules{sums: map[string]string{"a@v1": "h1:a", "b@v2": "h1:b"}}
	for _, row := range []struct{ replacement, name, digest string }{
		{"", "module a@v1", "h1:a"},
		{"b@v2", "module a@v1 => b@v2", "h1:b"},
		{"./b", "module a@v1 => ./b", ""},
	} {
		name, digest := m.inputOf(module.Version{Path: "a", Version: "v1"}, row.replacement)
		if name != row.name || digest != row.digest {
			t.Errorf("%q: %q %q, want %q %q", row.replacement, name, digest, row.name, row.digest)
		}
	}
}
