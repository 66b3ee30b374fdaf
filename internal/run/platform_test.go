package run

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"verbatim/internal/lesson"
)

// The user's settings do not decide which files are listed or compiled: each of
// these would choose others.
func TestPlatformHidesSettings(t *testing.T) {
	for _, setting := range []string{
		"GOOS=plan9", "GOARCH=mips", "CGO_ENABLED=1", "GOFLAGS=-tags=other", "GOWORK=/tmp/go.work",
	} {
		name, value, _ := strings.Cut(setting, "=")
		t.Setenv(name, value)
		for _, on := range []platform{inputPlatform, hostPlatform} {
			env := slices.DeleteFunc(on.environ(), func(s string) bool { return !strings.HasPrefix(s, name+"=") })
			if last := env[len(env)-1]; last == setting { // the last one counts
				t.Errorf("%s reaches the go command", setting)
			}
		}
	}
}

// An example is compiled from the files that are listed for this machine. Files for
// cgo, for a tag of the user's and for another system are in neither.
func TestCompiledIsWhatIsBuilt(t *testing.T) {
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOFLAGS", "-tags=other")
	t.Setenv("GOOS", "plan9")
	root := t.TempDir()
	files := map[string]string{
		"go.mod":                  "module site.example\n\ngo 1.24\n",
		"examples/x/main.go":      "package main\n\nfunc main() { print(where) }\n",
		"examples/x/here.go":      "//go:build !cgo && !other && !plan9\n\npackage main\n\nconst where = \"here\"\n",
		"examples/x/cgo.go":       "//go:build cgo\n\npackage main\n\nconst where = \"cgo\"\n",
		"examples/x/tag.go":       "//go:build other\n\npackage main\n\nconst where = \"tag\"\n",
		"examples/x/sys_plan9.go": "package main\n\nconst where = \"plan9\"\n",
	}
	for name, text := range files {
		write(t, filepath.Join(root, name), []byte(text))
	}
	e := lesson.Example{ID: "x", Dir: "examples/x", Go: true, Needs: "none"}
	listed, err := Compiled(t.Context(), root, []lesson.Example{e})
	if want := []string{"examples/x/here.go", "examples/x/main.go"}; err != nil || !slices.Equal(listed["x"], want) {
		t.Errorf("listed %q, want %q: %v", listed["x"], want, err)
	}
	cache := t.TempDir()
	built, ps, err := Compile(t.Context(), root, cache, []lesson.Example{e})
	if err != nil || !built["x"] {
		t.Fatal(err, ps)
	}
	out, err := exec.Command(Binary(cache, e)).CombinedOutput()
	if err != nil || string(out) != "here" {
		t.Errorf("the program prints %q, want here: %v", out, err)
	}
}

// The version of Go in an outcome is that of the compiled program.
func TestGoOfTheProgram(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "go.mod"), []byte("module site.example\n\ngo 1.24\n"))
	write(t, filepath.Join(root, "examples/x/main.go"), []byte("package main\n\nfunc main() { println(1) }\n"))
	e := lesson.Example{ID: "x", Dir: "examples/x", Go: true, Needs: "none", Timeout: time.Minute}
	if _, ps, err := Compile(t.Context(), root, cache, []lesson.Example{e}); err != nil || len(ps) > 0 {
		t.Fatal(err, ps)
	}
	pool := &Pool{Root: root, Cache: cache}
	outcomes, err := pool.Run(t.Context(), []Job{{Example: e}})
	if err != nil || outcomes[0].Go != runtime.Version() {
		t.Errorf("compiled by %q, want %s: %v", outcomes[0].Go, runtime.Version(), err)
	}
	write(t, Binary(cache, e), []byte("#!/bin/sh\necho no Go program\n"))
	if _, err := pool.Run(t.Context(), []Job{{Example: e}}); err == nil {
		t.Error("a program without a version of Go has one")
	}
}
