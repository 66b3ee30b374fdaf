package proc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain lets this binary be a supervisor and, for TestKilledBuild, a build
// that starts a program and waits.
func TestMain(m *testing.M) {
	Supervise(nil)
	if len(os.Args) == 5 && os.Args[1] == "test-build" {
		choose(os.Args[2])
		os.Exit(testBuild(os.Args[3], os.Args[4]))
	}
	os.Exit(m.Run())
}

// testBuild runs a shell script below a scratch folder of cache.
func testBuild(cache, script string) int {
	dir, remove, err := Scratch(cache, "example")
	if err != nil {
		return 3
	}
	defer remove()
	p, err := Start(context.Background(), Spec{
		Args: []string{"sh", "-c", script}, Env: os.Environ(), Scratch: dir, Stdout: os.Stdout,
	})
	if err != nil {
		return 3
	}
	_, _ = p.Wait() // it is killed meanwhile
	return 0
}

// everyWay runs a test with each way in which this system keeps a program
// together with what it starts.
func everyWay(t *testing.T, test func(t *testing.T, way string)) {
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			back, err := choose(way)
			if err != nil {
				t.Skip(err)
			}
			defer back()
			test(t, way)
		})
	}
}

// shell runs a script to its end and gives its standard output.
func shell(t *testing.T, spec Spec, script string) (Result, string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a shell: sh is not on PATH")
	}
	var out bytes.Buffer
	spec.Args = []string{"sh", "-c", script}
	spec.Env = append(spec.Env, "PATH="+os.Getenv("PATH"))
	spec.Stdout = &out
	p, err := Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return result, out.String()
}

func TestResult(t *testing.T) { everyWay(t, testResult) }

func testResult(t *testing.T, _ string) {
	tests := []struct {
		script string
		want   Result
		out    string
	}{
		{"exit 0", Result{}, ""},
		{"echo hello; exit 3", Result{Code: 3}, "hello\n"},
		{"exit 255", Result{Code: 255}, ""},
		{"kill -SEGV $$", Result{Code: -1, Signal: syscall.SIGSEGV}, ""},
		{"cat; echo end", Result{}, "end\n"}, // standard input is at its end
		{"echo $0 $SECRET", Result{}, "sh\n"},
	}
	t.Setenv("SECRET", "must not pass")
	for _, test := range tests {
		got, out := shell(t, Spec{}, test.script)
		if got != test.want || out != test.out {
			t.Errorf("%s: got %+v and %q, want %+v and %q", test.script, got, out, test.want, test.out)
		}
	}
}

func TestStdin(t *testing.T) { everyWay(t, testStdin) }

func testStdin(t *testing.T, _ string) {
	got, out := shell(t, Spec{Stdin: strings.NewReader("one\ntwo\n")}, "cat")
	if got.Code != 0 || out != "one\ntwo\n" {
		t.Errorf("got %v and %q", got, out)
	}
}

func TestDirAndRelativeProgram(t *testing.T) { everyWay(t, testDirAndRelativeProgram) }

func testDirAndRelativeProgram(t *testing.T, _ string) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/hello", []byte("#!/bin/sh\necho from $(pwd)\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p, err := Start(t.Context(), Spec{Args: []string{"./hello"}, Dir: dir, Stdout: &out, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Wait(); err != nil || r.Code != 0 || !strings.HasPrefix(out.String(), "from /") {
		t.Errorf("got %v, %v and %q", r, err, out.String())
	}
}

func TestNoSuchProgram(t *testing.T) { everyWay(t, testNoSuchProgram) }

func testNoSuchProgram(t *testing.T, _ string) {
	_, err := Start(t.Context(), Spec{Args: []string{"verbatim-has-no-such-program"}})
	if !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v, want exec.ErrNotFound", err)
	}
	_, err = Start(t.Context(), Spec{})
	if err == nil {
		t.Error("a program without a name was started")
	}
}

func TestProgramThatCannotBeStarted(t *testing.T) { everyWay(t, testProgramThatCannotBeStarted) }

func testProgramThatCannotBeStarted(t *testing.T, _ string) {
	file := t.TempDir() + "/program"
	if err := os.WriteFile(file, []byte("\x00not a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Spec{Args: []string{file}})
	if !errors.Is(err, syscall.ENOEXEC) {
		t.Errorf("got %v, want an exec format error", err)
	}
}

func TestTimeout(t *testing.T) { everyWay(t, testTimeout) }

func testTimeout(t *testing.T, _ string) {
	got, _ := shell(t, Spec{Timeout: 50 * time.Millisecond}, "sleep 600")
	want := Result{Code: -1, Signal: syscall.SIGTERM, TimedOut: true}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What a program printed before it was stopped is kept, and one that ignores
// the signal to end is killed.
func TestStopAfterOutput(t *testing.T) { everyWay(t, testStopAfterOutput) }

func testStopAfterOutput(t *testing.T, _ string) {
	for script, want := range map[string]Result{
		"echo begun; exec sleep 600":                                   {Code: -1, Signal: syscall.SIGTERM},
		"trap '' TERM; echo begun; while :; do sleep 600; done":        {Code: -1, Signal: syscall.SIGKILL},
		"trap 'exit 7' TERM; echo begun; while :; do sleep 0.01; done": {Code: 7},
	} {
		grace := time.Minute // what obeys has all the time that a busy machine may need
		if want.Signal == syscall.SIGKILL {
			grace = 100 * time.Millisecond
		}
		out := &signalling{printed: make(chan struct{})}
		p, err := Start(t.Context(), Spec{
			Args: []string{"sh", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: out, Grace: grace,
		})
		if err != nil {
			t.Fatal(err)
		}
		<-out.printed
		p.Stop()
		if got, err := p.Wait(); err != nil || got != want || out.text.String() != "begun\n" {
			t.Errorf("%s: got %+v, %v and %q, want %+v", script, got, err, out.text.String(), want)
		}
	}
}

// signalling closes printed at the first output.
type signalling struct {
	text    bytes.Buffer
	once    sync.Once
	printed chan struct{}
}

func (s *signalling) Write(p []byte) (int, error) {
	defer s.once.Do(func() { close(s.printed) })
	return s.text.Write(p)
}

func TestContextEnds(t *testing.T) { everyWay(t, testContextEnds) }

func testContextEnds(t *testing.T, _ string) {
	ctx, cancel := context.WithCancelCause(t.Context())
	p, err := Start(ctx, Spec{Args: []string{"sleep", "600"}, Grace: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("the author pressed ^C")
	cancel(why)
	if got, err := p.Wait(); !errors.Is(err, why) || got.Signal != syscall.SIGTERM {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := Start(ctx, Spec{Args: []string{"sleep", "600"}}); !errors.Is(err, why) {
		t.Errorf("started after the end of the context: %v", err)
	}
}

func TestStopKillFreeze(t *testing.T) { everyWay(t, testStopKillFreeze) }

func testStopKillFreeze(t *testing.T, _ string) {
	ends := []struct {
		name string
		end  func(*Process)
		want syscall.Signal
	}{
		{"stop", (*Process).Stop, syscall.SIGTERM},
		{"kill", (*Process).Kill, syscall.SIGKILL},
		{"kill frozen", func(p *Process) { _ = p.Freeze(); p.Kill() }, syscall.SIGKILL},
		{"thaw", func(p *Process) { _ = p.Freeze(); _ = p.Thaw(); p.Stop() }, syscall.SIGTERM},
	}
	for _, test := range ends {
		p, err := Start(t.Context(), Spec{Args: []string{"sleep", "600"}})
		if err != nil {
			t.Fatal(err)
		}
		test.end(p)
		if got, err := p.Wait(); err != nil || got.Signal != test.want {
			t.Errorf("%s: got %+v, %v", test.name, got, err)
		}
	}
}

func TestLimit(t *testing.T) { everyWay(t, testLimit) }

func testLimit(t *testing.T, _ string) {
	calls := 0
	var out bytes.Buffer
	l := Limit(&out, 10, func() { calls++ })
	p, err := Start(t.Context(), Spec{
		Args:   []string{"sh", "-c", "yes verbatim | head -c 20000000"},
		Env:    []string{"PATH=" + os.Getenv("PATH")},
		Stdout: l,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Wait(); err != nil || got.Code != 0 {
		t.Errorf("the program saw the limit: %v, %v", got, err)
	}
	if out.String() != "verbatim\nv" || !l.Over() || calls != 1 {
		t.Errorf("kept %q, over %t, %d calls", out.String(), l.Over(), calls)
	}
	if exact := Limit(&out, 3, nil); writeString(exact, "abc") != nil || exact.Over() {
		t.Error("what just fits counts as too much")
	}
}

func writeString(l *Limited, s string) error {
	_, err := l.Write([]byte(s))
	return err
}
