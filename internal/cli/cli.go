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
	"os"
	"os/signal"
	"strings"
	"syscall"
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
