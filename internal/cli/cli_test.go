package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
		{errors.New("disk full"), Failure},
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

// TestPrinterToFile checks that a file receives whole lines and no progress line,
// because it is no terminal.
func TestPrinterToFile(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p := NewPrinter("build", f)
	p.Progress("running %s", "x")
	p.Printf("%d lessons", 2)
	p.Progress("")
	var silent *Printer
	silent.Printf("not printed")
	silent.Progress("not printed")
	got, err := os.ReadFile(f.Name())
	if err != nil || string(got) != "build: 2 lessons\n" {
		t.Errorf("wrote %q, %v", got, err)
	}
}

// TestPrinterOnTerminal checks that the progress line is cleared before a message
// is printed.
func TestPrinterOnTerminal(t *testing.T) {
	var screen bytes.Buffer
	p := &Printer{w: &screen, name: "build", terminal: true, line: "running x (1 s)"}
	p.Printf("done")
	if got, want := screen.String(), "\r\x1b[2Kbuild: done\n"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

// TestProgressNamesTheLongest checks that the progress line shows the oldest
// running task, not the newest and not one that has ended.
func TestProgressNamesTheLongest(t *testing.T) {
	var screen bytes.Buffer
	p := &Printer{w: &screen, name: "build", terminal: true}
	begin := time.Now()
	endA := p.Begin("running %s", "a")
	endB := p.Begin("running b")
	p.Begin("running c")
	line := func() string {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, t := range p.tasks {
			t.since = begin
		}
		return p.progressLine(begin.Add(90 * time.Second))
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
	p.Progress("compiling")
	p.Progress("pulling")
	if got, want := line(), "running c (90 s), and 1 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.Progress("")
	if got, want := line(), "running c (90 s)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestProblemsOnActions checks that GitHub Actions never executes an example's
// output as a workflow command.
func TestProblemsOnActions(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	var screen bytes.Buffer
	p := &Printer{w: &screen, name: "build"}
	p.Problems(problem.List{{Pos: problem.Pos{File: "a.md"}, Text: "t", Check: "run", Hint: "printed:\n::error::mine"}})
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
		t.Errorf("the text of a problem starts a workflow command: %q", got)
	}
}

// TestPrinterEscapesControls: what an author wrote never commands the terminal: neither a problem's parts,
// nor a line, nor the progress line.
func TestPrinterEscapesControls(t *testing.T) {
	for _, r := range []rune{0x07, 0x08, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0x202A, 0x202E, 0x2066, 0x2069} {
		s := "x" + string(r) + "]0;owned"
		for name, say := range map[string]func(*Printer){
			"text":  func(p *Printer) { p.Problems(problem.List{{Text: s, Check: "x"}}) },
			"hint":  func(p *Printer) { p.Problems(problem.List{{Hint: s, Check: "x"}}) },
			"file":  func(p *Printer) { p.Problems(problem.List{{Pos: problem.Pos{File: s}, Check: "x"}}) },
			"line":  func(p *Printer) { p.Printf("wrote %s", s) },
			"print": func(p *Printer) { p.Print(func(w io.Writer) { fmt.Fprintln(w, s) }) },
		} {
			var screen bytes.Buffer
			say(&Printer{w: &screen, name: "build"})
			if strings.ContainsRune(screen.String(), r) {
				t.Errorf("%s: %U reaches the terminal: %q", name, r, screen.String())
			}
		}
		p := &Printer{terminal: true, tasks: []*task{{text: s}}}
		if line := p.progressLine(time.Now()); strings.ContainsRune(line, r) {
			t.Errorf("%U reaches the progress line: %q", r, line)
		}
	}
}
