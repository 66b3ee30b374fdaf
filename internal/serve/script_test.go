package serve

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"verbatim/internal/cli"
	"verbatim/internal/proc"
	"verbatim/internal/site"
	"verbatim/templates"
)

// timeout ends tests that hang. It is long, so that no test fails because the
// machine is slow.
const timeout = 2 * time.Minute

// TestMain makes the test binary serve as two other programs: the server under
// test, as "serve", and the supervisor that runs examples.
func TestMain(m *testing.M) {
	proc.Supervise(nil)
	testscript.Main(m, map[string]func(){"serve": func() { os.Exit(serveCommand(os.Args[1:])) }})
}

// serveCommand serves the site in the working directory, as build -serve does, and
// returns the exit code.
func serveCommand(args []string) int {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	redis := flags.String("redis", "embedded", "")
	strict := flags.Bool("strict", false, "")
	addr := flags.String("addr", "localhost:0", "")
	workers := flags.Int("j", 0, "")
	_ = flags.Parse(args) // exits on an error
	printer := cli.NewPrinter("build", os.Stderr)
	addresses, err := ParseAddress(*addr)
	if err == nil {
		ctx, stop := cli.Interruptible(context.Background())
		defer stop()
		err = Run(ctx, addresses, site.Config{Root: ".", Redis: *redis, Strict: *strict, Workers: *workers, Printer: printer})
	}
	if err != nil {
		printer.Printf("%v", err)
	}
	return cli.Code(err)
}

// TestScripts runs the scripts in testdata/script: each serves a site, edits its
// files, and checks pages, events and messages. All waiting is for conditions.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY"} {
				value, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return err
				}
				env.Setenv(name, strings.TrimSpace(string(value)))
			}
			env.Values["session"] = &session{}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond != "redis-server" {
				return false, fmt.Errorf("no condition %q", cond)
			}
			_, err := exec.LookPath(cond)
			if err != nil && isRequired("redis") {
				t.Error("VERBATIM_REQUIRE names redis, and there is no redis-server on PATH")
			}
			return err == nil, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"serving": serving, "page": page, "events": events, "status": status, "printed": printed,
			"edit": edit, "writelessons": writeLessons, "stop": stop, "copytheme": copyTheme,
		},
	})
}

// isRequired reports whether VERBATIM_REQUIRE names a tool. Then its absence fails the
// test instead of skipping it.
func isRequired(tool string) bool {
	return slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), tool)
}

// writeFile writes a file of a site and creates its directories.
func writeFile(t testing.TB, root, name, text string) {
	t.Helper()
	file := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// session is the server of one script.
type session struct {
	cmd    *exec.Cmd
	url    string
	mu     sync.Mutex
	stderr bytes.Buffer
}

func (s *session) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stderr.Write(p)
}

// printed returns what the server has printed so far.
func (s *session) printed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stderr.String()
}

func sessionOf(ts *testscript.TestScript) *session { return ts.Value("session").(*session) }

// until waits for a condition. When it is not met in time, the script fails with
// the description that what returns.
func until(ts *testscript.TestScript, what func() string, condition func() bool) {
	for begin := time.Now(); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > timeout {
			ts.Fatalf("waited for %s; the server printed:\n%s", what(), sessionOf(ts).printed())
		}
	}
}

var address = regexp.MustCompile(`http://\S+`)

// serving starts the server and waits for its address: serving [flags].
func serving(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	s.cmd = exec.Command("serve", args...)
	s.cmd.Dir, s.cmd.Stderr = ts.MkAbs("."), s
	s.cmd.Env = []string{"HOME=" + ts.MkAbs(".home"), "DOCKER_HOST=unix:///nowhere.sock"}
	for _, name := range []string{"PATH", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY"} {
		s.cmd.Env = append(s.cmd.Env, name+"="+ts.Getenv(name))
	}
	ts.Check(s.cmd.Start())
	ts.Defer(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	until(ts, func() string { return "an address" }, func() bool { return address.MatchString(s.printed()) })
	s.url = address.FindString(s.printed())
}

// get returns the status and the body of a page.
func get(ts *testscript.TestScript, name string) (int, string) {
	response, err := http.Get(sessionOf(ts).url + name)
	ts.Check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	ts.Check(err)
	return response.StatusCode, string(text)
}

// page waits until a page matches, or with ! until it does not: page PATH REGEXP.
func page(ts *testscript.TestScript, neg bool, args []string) {
	re := regexp.MustCompile(args[1])
	var text string
	until(ts, func() string { return fmt.Sprintf("%s to be %t of\n%s", args[1], !neg, text) }, func() bool {
		_, text = get(ts, args[0])
		return re.MatchString(text) != neg
	})
}

// status waits until a page has an HTTP status: status PATH CODE.
func status(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	code := 0
	until(ts, func() string { return fmt.Sprintf("%s to answer %d, it is %d", args[0], want, code) }, func() bool {
		code, _ = get(ts, args[0])
		return code == want
	})
}

// events receives the events of a page, as an open page does, until they match, or
// with ! until one does not: events PATH REGEXP.
func events(ts *testscript.TestScript, neg bool, args []string) {
	re := regexp.MustCompile(args[1])
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, sessionOf(ts).url+".verbatim/events?page="+args[0], nil)
	ts.Check(err)
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	var text []byte
	for buffer := make([]byte, 1<<16); re.Match(text) == neg; {
		n, err := response.Body.Read(buffer)
		if err != nil {
			ts.Fatalf("events of %s: %v; they were\n%s\nthe server printed:\n%s", args[0], err, text, sessionOf(ts).printed())
		}
		if text = append(text, buffer[:n]...); neg {
			text = buffer[:n]
		}
	}
}

// printed waits until the server has printed a match; with ! it fails if the server
// has printed one so far: printed REGEXP.
func printed(ts *testscript.TestScript, neg bool, args []string) {
	re := regexp.MustCompile(args[0])
	if neg {
		if found := re.FindString(sessionOf(ts).printed()); found != "" {
			ts.Fatalf("the server printed %q:\n%s", found, sessionOf(ts).printed())
		}
		return
	}
	until(ts, func() string { return args[0] }, func() bool { return re.MatchString(sessionOf(ts).printed()) })
}

// edit replaces the only match in a file. It writes the file in place or, with
// -rename, as vim does: edit [-rename] FILE REGEXP NEW.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	rename := args[0] == "-rename"
	if rename {
		args = args[1:]
	}
	name := ts.MkAbs(args[0])
	old, err := os.ReadFile(name)
	ts.Check(err)
	re := regexp.MustCompile(args[1])
	if n := len(re.FindAll(old, -1)); n != 1 {
		ts.Fatalf("%q matches %d times in %s, want once", args[1], n, args[0])
	}
	data := re.ReplaceAll(old, []byte(args[2]))
	if !rename {
		ts.Check(os.WriteFile(name, data, 0o644))
		return
	}
	// The old file is renamed to a backup, and a new file takes its name.
	ts.Check(os.Rename(name, name+"~"))
	ts.Check(os.WriteFile(name, data, 0o644))
	ts.Check(os.Remove(name + "~"))
}

// copyTheme copies the built-in theme to templates/ of the site: copytheme.
func copyTheme(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs("templates"), templates.FS))
}

// writeLessons writes many lessons at once, as a checkout does: writelessons COUNT
// DIR TEXT.
func writeLessons(ts *testscript.TestScript, neg bool, args []string) {
	count, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.MkdirAll(ts.MkAbs(args[1]), 0o755))
	for i := range count {
		text := fmt.Sprintf("# Lesson %d\n\n%s %d.\n", i, args[2], i)
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[1]), fmt.Sprintf("m%d.md", i)), []byte(text), 0o644))
	}
}

// stop interrupts the server as ^C does. It checks that the exit code is 0 and that
// no temporary file is left in the cache: stop.
func stop(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	ts.Check(s.cmd.Process.Signal(os.Interrupt))
	if err := s.cmd.Wait(); err != nil {
		ts.Fatalf("the server ended with %v:\n%s", err, s.printed())
	}
	left, _ := filepath.Glob(ts.MkAbs(".cache/tmp/*/*"))
	if len(left) > 0 {
		ts.Fatalf("left behind: %q", left)
	}
}
