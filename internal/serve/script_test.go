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

// patience is how long a test waits for what must come. It ends hung tests;
// none fails by being slow.
const patience = 2 * time.Minute

// The test binary is the server too: it runs itself as the supervisor of
// examples.
func TestMain(m *testing.M) {
	proc.Supervise()
	testscript.Main(m, map[string]func(){"serve": func() { os.Exit(command(os.Args[1:])) }})
}

// command serves the folder that it is started in, as build -serve does.
func command(args []string) int {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	redis := flags.String("redis", "embedded", "")
	strict := flags.Bool("strict", false, "")
	addr := flags.String("addr", "localhost:0", "")
	workers := flags.Int("j", 0, "")
	_ = flags.Parse(args) // it exits
	printer := cli.NewPrinter("build", os.Stderr)
	addresses, err := Address(*addr)
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

// TestScripts runs testdata/script: a served site, real edits, and what a
// browser is told. Every wait is for a condition.
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
			if err != nil && slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), "redis") {
				t.Error("VERBATIM_REQUIRE names redis, and there is no redis-server on PATH")
			}
			return err == nil, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"serving": serving, "page": page, "news": news, "status": status, "said": said,
			"edit": edit, "many": many, "stop": stop, "unsaid": unsaid, "theme": theme,
		},
	})
}

// session is one server of a script.
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

func (s *session) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stderr.String()
}

func of(ts *testscript.TestScript) *session { return ts.Value("session").(*session) }

// until waits for a condition; what tells what it was when it never came.
func until(ts *testscript.TestScript, what func() string, condition func() bool) {
	for begin := time.Now(); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > patience {
			ts.Fatalf("waited for %s; the server said:\n%s", what(), of(ts).said())
		}
	}
}

var address = regexp.MustCompile(`http://\S+`)

// serving starts the server and waits for its address: serving [flags].
func serving(ts *testscript.TestScript, neg bool, args []string) {
	s := of(ts)
	s.cmd = exec.Command("serve", args...)
	s.cmd.Dir, s.cmd.Stderr = ts.MkAbs("."), s
	s.cmd.Env = []string{"HOME=" + ts.MkAbs(".home"), "DOCKER_HOST=unix:///nowhere.sock"}
	for _, name := range []string{"PATH", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "GOPROXY"} {
		s.cmd.Env = append(s.cmd.Env, name+"="+ts.Getenv(name))
	}
	ts.Check(s.cmd.Start())
	ts.Defer(func() { _ = s.cmd.Process.Kill(); _ = s.cmd.Wait() })
	until(ts, func() string { return "an address" }, func() bool { return address.MatchString(s.said()) })
	s.url = address.FindString(s.said())
}

// get gives the status and the text of a page.
func get(ts *testscript.TestScript, name string) (int, string) {
	response, err := http.Get(of(ts).url + name)
	ts.Check(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	ts.Check(err)
	return response.StatusCode, string(text)
}

// page waits until a page matches, or with ! does not: page PATH REGEXP.
func page(ts *testscript.TestScript, neg bool, args []string) {
	re := regexp.MustCompile(args[1])
	var text string
	until(ts, func() string { return fmt.Sprintf("%s to be %t of\n%s", args[1], !neg, text) }, func() bool {
		_, text = get(ts, args[0])
		return re.MatchString(text) != neg
	})
}

// status waits for a page's status: status PATH CODE.
func status(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	code := 0
	until(ts, func() string { return fmt.Sprintf("%s to answer %d, it is %d", args[0], want, code) }, func() bool {
		code, _ = get(ts, args[0])
		return code == want
	})
}

// news listens as an open page does, until what it is told matches: news PATH
// REGEXP.
func news(ts *testscript.TestScript, neg bool, args []string) {
	re := regexp.MustCompile(args[1])
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, of(ts).url+".verbatim/news?page="+args[0], nil)
	ts.Check(err)
	response, err := http.DefaultClient.Do(request)
	ts.Check(err)
	defer response.Body.Close()
	var text []byte
	for buffer := make([]byte, 1<<16); re.Match(text) == neg; {
		n, err := response.Body.Read(buffer)
		if err != nil {
			ts.Fatalf("news of %s: %v; they were\n%s\nthe server said:\n%s", args[0], err, text, of(ts).said())
		}
		if text = append(text, buffer[:n]...); neg {
			text = buffer[:n]
		}
	}
}

// said waits until the terminal shows it: said REGEXP [TIMES].
func said(ts *testscript.TestScript, neg bool, args []string) {
	re, times := regexp.MustCompile(args[0]), 1
	if len(args) > 1 {
		times, _ = strconv.Atoi(args[1])
	}
	until(ts, func() string { return args[0] }, func() bool {
		return len(re.FindAllString(of(ts).said(), -1)) >= times
	})
}

// unsaid wants that the terminal has not shown it so far: unsaid REGEXP.
func unsaid(ts *testscript.TestScript, neg bool, args []string) {
	if found := regexp.MustCompile(args[0]).FindString(of(ts).said()); found != "" {
		ts.Fatalf("the server said %q:\n%s", found, of(ts).said())
	}
}

// edit replaces the one place that a regular expression matches in a file, in
// place or, with -rename, as careful editors do: edit [-rename] FILE REGEXP NEW.
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
	// As vim does: the old file becomes a backup, the new one takes its name.
	ts.Check(os.Rename(name, name+"~"))
	ts.Check(os.WriteFile(name, data, 0o644))
	ts.Check(os.Remove(name + "~"))
}

// theme gives the site a copy of the built-in theme.
func theme(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.CopyFS(ts.MkAbs("templates"), templates.FS))
}

// many writes lessons at once, as a checkout does: many COUNT FOLDER TEXT.
func many(ts *testscript.TestScript, neg bool, args []string) {
	count, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(os.MkdirAll(ts.MkAbs(args[1]), 0o755))
	for i := range count {
		text := fmt.Sprintf("# Lesson %d\n\n%s %d.\n", i, args[2], i)
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[1]), fmt.Sprintf("m%d.md", i)), []byte(text), 0o644))
	}
}

// stop ends the server as ^C does, and looks at what is left: exit code 0, no
// process, nothing in the cache but what may be kept.
func stop(ts *testscript.TestScript, neg bool, args []string) {
	s := of(ts)
	ts.Check(s.cmd.Process.Signal(os.Interrupt))
	if err := s.cmd.Wait(); err != nil {
		ts.Fatalf("the server ended with %v:\n%s", err, s.said())
	}
	left, _ := filepath.Glob(ts.MkAbs(".cache/tmp/*/*"))
	if len(left) > 0 {
		ts.Fatalf("left behind: %q", left)
	}
}
