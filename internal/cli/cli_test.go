package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verbatim/internal/problem"
)

func TestCode(t *testing.T) {
	for _, row := range []struct {
		err  error
		code int
	}{
		{nil, Clean},
		{&UsageError{"no"}, Usage},
		{fmt.Errorf("parse: %w", &UsageError{"no"}), Usage},
		{errors.New("disk full"), Unable},
	} {
		if got := Code(row.err); got != row.code {
			t.Errorf("Code(%v) = %d, want %d", row.err, got, row.code)
		}
	}
}

func TestManual(t *testing.T) {
	const source = "// Build renders.\n//\n//\tgo run\npackage main\n\n// not this\n"
	if got, want := Manual(source), "Build renders.\n\n\tgo run\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A file is no terminal: it gets whole lines, and no progress.
func TestVoiceInAFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v := NewVoice("build", f)
	v.Progress("running %s", "x")
	v.Say("%d lessons", 2)
	v.Progress("")
	var nobody *Voice
	nobody.Say("to nobody")
	nobody.Progress("to nobody")
	got, err := os.ReadFile(f.Name())
	if err != nil || string(got) != "build: 2 lessons\n" {
		t.Errorf("wrote %q, %v", got, err)
	}
}

// On a terminal the progress line is wiped before a line is printed, and
// nothing of it is left at the end.
func TestVoiceOnATerminal(t *testing.T) {
	var screen bytes.Buffer
	v := &Voice{w: &screen, name: "build", terminal: true, line: "running x (1 s)"}
	v.Say("done")
	if got, want := screen.String(), "\r\x1b[2Kbuild: done\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

// Of several things that go on, the line names the one that hangs: not the last
// that began, nor one that has ended.
func TestProgressNamesTheLongest(t *testing.T) {
	var screen bytes.Buffer
	v := &Voice{w: &screen, name: "build", terminal: true}
	begin := time.Now()
	endA := v.Begin("running %s", "a")
	endB := v.Begin("running b")
	v.Begin("running c")
	line := func() string {
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, t := range v.tasks {
			t.since = begin
		}
		return v.progress(begin.Add(90 * time.Second))
	}
	if got, want := line(), "running a (90 s), and 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	endB()
	endB()
	if got, want := line(), "running a (90 s), and 1 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	endA()
	if got, want := line(), "running c (90 s)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v.Progress("compiling")
	v.Progress("pulling")
	if got, want := line(), "running c (90 s), and 1 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v.Progress("")
	if got, want := line(), "running c (90 s)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// On GitHub Actions nothing that an example printed is a command.
func TestProblemsOnActions(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	var screen bytes.Buffer
	v := &Voice{w: &screen, name: "build"}
	v.Problems(problem.List{{Pos: problem.Pos{File: "a.md"}, Text: "t", Check: "run", Hint: "printed:\n::error::mine"}})
	lines := strings.Split(strings.TrimSpace(screen.String()), "\n")
	token, ok := strings.CutPrefix(lines[0], "::stop-commands::")
	if !ok || len(token) < 20 || lines[len(lines)-1] != "::"+token+"::" || !strings.Contains(screen.String(), "::error::mine") {
		t.Errorf("printed\n%s", screen.String())
	}
}

func TestAnnotation(t *testing.T) {
	for _, row := range []struct {
		p    problem.Problem
		want string
	}{
		{problem.Problem{Pos: problem.Pos{File: "a.md", Line: 3, Col: 2}, Text: "100% wrong", Check: "x", Hint: "do\nthis"},
			"::error file=a.md,line=3,col=2::100%25 wrong [x]%0Ado%0Athis"},
		{problem.Problem{Pos: problem.Pos{File: "a,b:c"}, Text: "t", Check: "x", Warning: true},
			"::warning file=a%2Cb%3Ac::t [x]"},
	} {
		if got := annotation(row.p); got != row.want {
			t.Errorf("got %s, want %s", got, row.want)
		}
	}
	if got := annotation(problem.Problem{Text: "a\n::error::b"}); strings.Contains(got, "\n") {
		t.Errorf("a problem starts a workflow command of its own: %q", got)
	}
}
