package lab

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// programs are what the test binary plays when envProgram names one, so that
// tests can look at whole processes from outside.
const envProgram = "LAB_TEST_PROGRAM"

var programs = map[string]func(context.Context, *Lab) error{
	"nothing": func(context.Context, *Lab) error { return nil },
	"fail":    func(context.Context, *Lab) error { return errors.New("the limiter let 4 of 3 in") },
	"wait":    wait,
}

// echo answers "pong" and reports what it was asked.
var echo = Server{Name: "echo", Handler: func(rdb *redis.Client, report func(string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		report(r.URL.Path)
		fmt.Fprint(w, rdb.Ping(r.Context()).Val())
	})
}}

func TestMain(m *testing.M) {
	if program, ok := programs[os.Getenv(envProgram)]; ok {
		Main(program, echo)
	}
	if os.Getenv(envServer) != "" {
		Main(nil, echo)
	}
	os.Exit(m.Run())
}

// wait prints the ids of the processes that must not outlive it (Redis, a
// server) and the port of Redis, then waits.
func wait(ctx context.Context, l *Lab) error {
	server, err := l.Serve(ctx, "echo")
	if err != nil {
		return err
	}
	info, err := l.Redis().InfoMap(ctx, "server").Result()
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(l.Redis().Options().Addr)
	if err != nil {
		return err
	}
	fmt.Println(info["Server"]["process_id"], server.cmd.Process.Pid, port)
	<-ctx.Done()
	return ctx.Err()
}

// needs skips where a part is missing, unless VERBATIM_REQUIRE names it.
func needs(t *testing.T, part, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), part) {
		t.Fatalf("VERBATIM_REQUIRE names %s, but %s is not on PATH", part, program)
	}
	t.Skipf("needs %s on PATH", program)
}

// open returns a lab with a Redis of its own.
func open(t *testing.T) *Lab {
	t.Helper()
	needs(t, "redis", "redis-server")
	t.Setenv(envURL, "")
	l, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func TestOwnRedisStopsAndStartsAtOneAddress(t *testing.T) {
	l, ctx := open(t), t.Context()
	if err := l.Redis().Set(ctx, "k", 1, 0).Err(); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		if err := l.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		if err := l.Redis().Ping(ctx).Err(); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("round %d: PING after Stop: %v, want connection refused", round, err)
		}
		if err := l.Start(ctx); err != nil {
			t.Fatal(err)
		}
		// The pool may hold a connection of the old server; it says so once.
		l.Redis().Ping(ctx)
		if n, err := l.Redis().Exists(ctx, "k").Result(); err != nil || n != 0 {
			t.Fatalf("round %d: after Start: EXISTS k = %d, %v; want an empty Redis", round, n, err)
		}
	}
	if err := l.Start(ctx); err == nil {
		t.Error("starting a running Redis succeeded")
	}
}

func TestOwnRedisCannotBeSlow(t *testing.T) {
	if err := open(t).Slow(t.Context(), time.Millisecond); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v, want %v", err, errors.ErrUnsupported)
	}
}

func TestOwnRedisWantsThePassword(t *testing.T) {
	l := open(t)
	options := *l.Redis().Options()
	options.Username, options.Password = "", ""
	stranger := redis.NewClient(&options)
	defer stranger.Close()
	if err := stranger.Ping(t.Context()).Err(); err == nil || !strings.Contains(err.Error(), "NOAUTH") {
		t.Errorf("PING without a password: %v, want NOAUTH", err)
	}
}

func TestStartWaitsForItsPort(t *testing.T) {
	l, ctx := open(t), t.Context()
	if err := l.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", l.Redis().Options().Addr)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { listener.Close() })
	if err := l.Start(ctx); err != nil {
		t.Fatalf("start with the port taken for a while: %v", err)
	}
}

func TestOpenTrustsAURLOnlyWithItsControl(t *testing.T) {
	needs(t, "redis", "redis-server")
	t.Setenv(envURL, "redis://127.0.0.1:1/0")
	t.Setenv(envControl, "")
	l, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.url == os.Getenv(envURL) {
		t.Error("a REDIS_URL without VERBATIM_CONTROL was used")
	}
}

func TestControl(t *testing.T) {
	var asked []string
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.RequestURI())
		if r.URL.Path == "/secret/start" {
			http.Error(w, "no answer to PING", http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer control.Close()
	t.Setenv(envURL, "redis://default:pw@127.0.0.1:1/0")
	t.Setenv(envControl, control.URL+"/secret")

	l, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := l.Slow(t.Context(), 25*time.Millisecond); err != nil {
		t.Error(err)
	}
	err = l.Start(t.Context())
	if want := "start redis: 502 Bad Gateway: no answer to PING"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if want := []string{"POST /secret/stop", "POST /secret/slow?ms=25", "POST /secret/start"}; !slices.Equal(asked, want) {
		t.Errorf("the control URL was asked %q, want %q", asked, want)
	}
}

func TestServe(t *testing.T) {
	l, ctx := open(t), t.Context()
	server, err := l.Serve(ctx, "echo")
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(server.URL + "/hello")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body := new(bytes.Buffer)
	body.ReadFrom(response.Body)
	line, err := server.Report()
	if err != nil || line != "/hello" || body.String() != "PONG" {
		t.Errorf("reported %q, %v; answered %q; want /hello and PONG", line, err, body)
	}
	server.Kill()
	if line, err := server.Report(); err == nil {
		t.Errorf("a killed server reports %q", line)
	}
	if _, err := http.Get(server.URL); err == nil {
		t.Error("a killed server answers")
	}
	if _, err := l.Serve(ctx, "nobody"); err == nil {
		t.Error("a server that is not in the program was started")
	}
}

func TestExitCodes(t *testing.T) {
	for _, test := range []struct {
		program, path string
		code          int
		say           []string
	}{
		{"nothing", os.Getenv("PATH"), 0, []string{"started a Redis of its own"}},
		{"fail", os.Getenv("PATH"), 1, []string{"the limiter let 4 of 3 in"}},
		{"nothing", "", 3, []string{"install redis-server", "start a Docker engine"}},
	} {
		t.Run(fmt.Sprint(test.program, test.code), func(t *testing.T) {
			if test.path != "" {
				needs(t, "redis", "redis-server")
			}
			cmd := program(t, test.program)
			cmd.Env = append(cmd.Env, "PATH="+test.path)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d\n%s", code, test.code, out)
			}
			for _, words := range test.say {
				if !strings.Contains(string(out), words) {
					t.Errorf("said %q, want %q in it", out, words)
				}
			}
		})
	}
}

func TestNothingOutlivesTheProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc, which only Linux has")
	}
	needs(t, "redis", "redis-server")
	for name, signal := range map[string]os.Signal{"kill -9": syscall.SIGKILL, "^C": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			cmd := program(t, "wait")
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(stdout).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			cmd.Process.Signal(signal)
			cmd.Wait()
			for _, field := range strings.Fields(line)[:2] {
				waitUntilGone(t, field)
			}
			if code := cmd.ProcessState.ExitCode(); signal == syscall.SIGINT && code != exitInterrupted {
				t.Errorf("exit code %d, want %d", code, exitInterrupted)
			}
		})
	}
}

// program is this test binary as a program of its own.
func program(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), envProgram+"="+name, envURL+"=")
	return cmd
}

// waitUntilGone fails if the process is there after ten seconds. A zombie is
// gone: it only waits until its exit code is read.
func waitUntilGone(t *testing.T, pid string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil {
			return
		}
		if _, after, _ := bytes.Cut(stat, []byte(") ")); bytes.HasPrefix(after, []byte("Z")) {
			return
		}
	}
	t.Errorf("process %s is still there", pid)
}
