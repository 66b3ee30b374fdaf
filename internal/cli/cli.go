// Package cli promises one voice for both commands: their exit codes, their
// words on standard error, a progress line on a terminal, and ^C that ends the
// work instead of the process.
//
// The rules of that voice: lower case, no full stop, exact names, the number
// with its unit, and what to do next on a line of its own.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Exit codes of both commands.
const (
	Clean    = 0 // nothing wrong
	Problems = 1 // the author has something to mend
	Usage    = 2 // the command line is wrong
	Unable   = 3 // the work could not be done: no Redis, disk full, unreadable root
)

// UsageError is a mistake on the command line: exit code 2.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Code gives the exit code that an error stands for.
func Code(err error) int {
	var usage *UsageError
	switch {
	case err == nil:
		return Clean
	case errors.As(err, &usage):
		return Usage
	}
	return Unable
}

// Manual is the manual of a command: the comment above the package clause of
// source, its main.go.
func Manual(source string) string {
	comment, _, _ := strings.Cut(source, "\npackage main")
	var b strings.Builder
	for line := range strings.Lines(comment + "\n") {
		b.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
	}
	return b.String()
}

// Count says how many: "1 lesson", "2 lessons".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Interruptible returns a context that ends at the first ^C or SIGTERM. The
// second signal ends the process at once, as without this call.
func Interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Voice writes a command's words on standard error. Its methods are safe for
// use by several goroutines. The zero Voice is silent.
type Voice struct {
	w        io.Writer
	name     string
	terminal bool

	mu      sync.Mutex
	line    string // the progress line on the screen
	since   time.Time
	stopped chan struct{}
}

// NewVoice speaks for the command called name on f.
func NewVoice(name string, f *os.File) *Voice {
	info, err := f.Stat()
	return &Voice{w: f, name: name, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// Say prints one line, prefixed with the command's name.
func (v *Voice) Say(format string, args ...any) {
	if v == nil || v.w == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.wipe()
	fmt.Fprintf(v.w, "%s: %s\n", v.name, fmt.Sprintf(format, args...))
}

// Print lets f write whole lines, undisturbed by the progress line.
func (v *Voice) Print(f func(w io.Writer)) {
	if v == nil || v.w == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.wipe()
	f(v.w)
}

// Progress shows on a terminal what is going on and for how long, until the
// next call; "" ends it. Elsewhere it prints nothing.
func (v *Voice) Progress(format string, args ...any) {
	if v == nil || !v.terminal {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.wipe()
	if v.stopped != nil {
		close(v.stopped)
		v.stopped = nil
	}
	text := fmt.Sprintf(format, args...)
	if text == "" {
		return
	}
	v.since, v.stopped = time.Now(), make(chan struct{})
	go v.tick(text, v.stopped)
}

func (v *Voice) tick(text string, stopped <-chan struct{}) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-stopped:
			return
		case <-ticker.C:
			v.mu.Lock()
			select {
			case <-stopped:
			default:
				v.wipe()
				v.line = fmt.Sprintf("%s (%.0f s)", text, time.Since(v.since).Seconds())
				fmt.Fprint(v.w, v.line)
			}
			v.mu.Unlock()
		}
	}
}

// wipe clears the progress line; v.mu is held.
func (v *Voice) wipe() {
	if v.line != "" {
		fmt.Fprint(v.w, "\r\x1b[2K")
		v.line = ""
	}
}
