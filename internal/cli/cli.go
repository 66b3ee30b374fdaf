// Package cli holds what the two commands, build and quotecheck, share: exit
// codes, messages and a progress line on standard error, annotations for GitHub
// Actions, and a context that ^C cancels.
//
// Messages begin in lower case and have no full stop. They show exact names and
// numbers with units. A hint, which says what to do next, is on its own line.
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
	Clean    = 0 // no problems
	Problems = 1 // problems that the author has to fix
	Usage    = 2 // a wrong command line
	Failure  = 3 // the work could not be done: no Redis, disk full, unreadable root
)

// UsageError is returned for a wrong command line. Its exit code is Usage.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Code returns the exit code for err: Clean for nil, Usage for a *UsageError,
// also when it is wrapped, and Failure for every other error.
func Code(err error) int {
	var usage *UsageError
	switch {
	case err == nil:
		return Clean
	case errors.As(err, &usage):
		return Usage
	}
	return Failure
}

// Manual returns the manual of a command: the comment above the package clause
// in source, the text of its main.go.
func Manual(source string) string {
	comment, _, _ := strings.Cut(source, "\npackage main")
	var b strings.Builder
	for line := range strings.Lines(comment + "\n") {
		b.WriteString(strings.TrimPrefix(strings.TrimPrefix(line, "//"), " "))
	}
	return b.String()
}

// Count returns n with the noun, in the plural unless n is 1: "1 lesson",
// "2 lessons". The plural is the noun with an s.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Interruptible returns a context that is cancelled at the first ^C or SIGTERM.
// The second signal kills the process, as it does without this call.
func Interruptible(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
