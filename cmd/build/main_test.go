package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"verbatim/internal/cli"
	"verbatim/internal/proc"
	"verbatim/internal/service"
)

// The test binary is the command: scripts run it as "build", and it runs
// itself again as the supervisor of what it starts.
func TestMain(m *testing.M) {
	proc.Supervise(service.RemoveContainers)
	testscript.Main(m, map[string]func(){"build": main})
}

// TestScripts runs testdata/script: one promise a script. The condition
// [redis-server] tells whether one is installed, [root] who runs the test.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "redis-server":
				return have(t, "redis", "redis-server"), nil
			case "root":
				return os.Getuid() == 0, nil
			}
			return false, nil
		},
		Setup: func(env *testscript.Env) error {
			// The go command must find its caches: HOME is a script's own.
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY"} {
				value, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return err
				}
				env.Setenv(name, strings.TrimSpace(string(value)))
			}
			command, err := exec.LookPath("build")
			if err != nil {
				return err
			}
			env.Setenv("COMMANDS", filepath.Dir(command)) // a PATH with nothing else on it
			repository, err := filepath.Abs(filepath.Join("..", ".."))
			if err != nil {
				return err
			}
			env.Setenv("REPO", repository)
			env.Setenv("DOCKER_HOST", "unix://"+filepath.Join(env.WorkDir, "no-engine.sock"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"copy":     copyFolder,
			"exitcode": exitCode,
			"edit":     edit,
		},
	})
}

// have reports whether a program is installed. Where VERBATIM_REQUIRE names what
// it is for, its absence fails the test instead of skipping a part of it.
func have(t *testing.T, what, program string) bool {
	_, err := exec.LookPath(program)
	if err != nil && slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), what) {
		t.Errorf("VERBATIM_REQUIRE names %s, and there is no %s on PATH", what, program)
	}
	return err == nil
}

// exitCode runs a command and wants its exit code: exitcode 3 build -check.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode CODE COMMAND [ARGUMENT…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if exit, ok := err.(*exec.ExitError); ok {
		code = strings.TrimPrefix(exit.String(), "exit status ")
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if code != args[0] {
		ts.Fatalf("%s exited with %s, want %s", args[1], code, args[0])
	}
}

// copyFolder copies what is in a folder into another: copy FROM TO.
func copyFolder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: copy FROM TO")
	}
	ts.Check(os.CopyFS(ts.MkAbs(args[1]), os.DirFS(args[0])))
}

// edit replaces the one place that a regular expression matches in a file:
// edit FILE REGEXP NEW.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE REGEXP NEW")
	}
	name := ts.MkAbs(args[0])
	old, err := os.ReadFile(name)
	ts.Check(err)
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	if n := len(re.FindAll(old, -1)); n != 1 {
		ts.Fatalf("%q matches %d times in %s, want once", args[1], n, args[0])
	}
	ts.Check(os.WriteFile(name, re.ReplaceAll(old, []byte(args[2])), 0o644))
}

// The doc comment is the manual: it names every flag, and no other.
func TestManualNamesEveryFlag(t *testing.T) {
	var inManual, defined []string
	for _, m := range regexp.MustCompile(`(?m)^\t-(\w+)( \S+)?$`).FindAllStringSubmatch(cli.Manual(source), -1) {
		inManual = append(inManual, m[1])
	}
	new(options).flags().VisitAll(func(f *flag.Flag) { defined = append(defined, f.Name) })
	slices.Sort(inManual)
	if !slices.Equal(inManual, defined) {
		t.Errorf("the manual names %q, the flags are %q", inManual, defined)
	}
}
