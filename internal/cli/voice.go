package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// Voice writes a command's words on standard error. Its methods are safe for
// use by several goroutines. The zero Voice is silent.
type Voice struct {
	w        io.Writer
	name     string
	terminal bool

	mu    sync.Mutex
	tasks []*task // what goes on, the longest first
	ticks bool    // the line is redrawn
	line  string  // the progress line on the screen
	only  func()  // ends the task of Progress
}

// task is something that takes its time.
type task struct {
	text  string
	since time.Time
}

// NewVoice speaks for the command called name on f.
func NewVoice(name string, f *os.File) *Voice {
	info, err := f.Stat()
	return &Voice{w: f, name: name, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// Say prints one line, prefixed with the command's name.
func (v *Voice) Say(format string, args ...any) {
	v.Print(func(w io.Writer) { fmt.Fprintf(w, "%s: %s\n", v.name, fmt.Sprintf(format, args...)) })
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

// Begin shows on a terminal what goes on and for how long, until end is called.
// Of several things it names the one that has gone on longest: what hangs is
// what a person wants to know. Elsewhere it prints nothing.
func (v *Voice) Begin(format string, args ...any) (end func()) {
	if v == nil || !v.terminal {
		return func() {}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	t := &task{fmt.Sprintf(format, args...), time.Now()}
	v.tasks = append(v.tasks, t)
	if !v.ticks {
		v.ticks = true
		go v.tick()
	}
	return sync.OnceFunc(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.tasks = slices.DeleteFunc(v.tasks, func(other *task) bool { return other == t })
		v.wipe()
	})
}

// Progress is Begin for one thing after another: each call ends the one before,
// and "" the last.
func (v *Voice) Progress(format string, args ...any) {
	if v == nil {
		return
	}
	v.mu.Lock()
	end := v.only
	v.only = nil
	v.mu.Unlock()
	if end != nil {
		end()
	}
	if format == "" {
		return
	}
	end = v.Begin(format, args...)
	v.mu.Lock()
	v.only = end
	v.mu.Unlock()
}

// tick redraws the line until nothing goes on any more.
func (v *Voice) tick() {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		v.mu.Lock()
		if len(v.tasks) == 0 {
			v.ticks = false
			v.mu.Unlock()
			return
		}
		v.wipe()
		v.line = v.progress(time.Now())
		fmt.Fprint(v.w, v.line)
		v.mu.Unlock()
	}
}

// progress is the line; v.mu is held and something goes on.
func (v *Voice) progress(now time.Time) string {
	first := v.tasks[0]
	line := fmt.Sprintf("%s (%.0f s)", first.text, now.Sub(first.since).Seconds())
	if more := len(v.tasks) - 1; more > 0 {
		line += fmt.Sprintf(", and %d more", more)
	}
	return line
}

// wipe clears the progress line; v.mu is held.
func (v *Voice) wipe() {
	if v.line != "" {
		fmt.Fprint(v.w, "\r\x1b[2K")
		v.line = ""
	}
}
