package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"verbatim/internal/problem"
)

// Printer prints a command's messages and its progress line on standard error.
// Its methods are safe for concurrent use. A nil Printer and the zero Printer
// print nothing.
type Printer struct {
	w        io.Writer
	name     string // of the command
	terminal bool   // w is a terminal, so there is a progress line

	mu        sync.Mutex
	tasks     []*task // running, the oldest first
	redrawing bool    // redraw runs
	line      string  // the progress line on the screen, "" when there is none
	endLast   func()  // ends the task of the last Progress, nil when there is none
}

// task is one running task that the progress line may name.
type task struct {
	text  string
	since time.Time
}

// NewPrinter returns a Printer that writes to f and prefixes each message with
// name, the command's name.
func NewPrinter(name string, f *os.File) *Printer {
	info, err := f.Stat()
	return &Printer{w: f, name: name, terminal: err == nil && info.Mode()&os.ModeCharDevice != 0}
}

// Printf prints one line: the command's name, a colon and the formatted message.
func (p *Printer) Printf(format string, args ...any) {
	p.Print(func(w io.Writer) { fmt.Fprintf(w, "%s: %s\n", p.name, fmt.Sprintf(format, args...)) })
}

// Print calls f with the writer of p, after it has cleared the progress line. f
// must write whole lines and must not call methods of p.
func (p *Printer) Print(f func(w io.Writer)) {
	if p == nil || p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clearLine()
	f(Printable(p.w))
}

// Printable returns a writer to w that escapes what a terminal would obey: an
// author's text, a file name or an example's output may hold it.
func Printable(w io.Writer) io.Writer { return printable{w, problem.Printable} }

// JSON is Printable for lines of JSON.
func JSON(w io.Writer) io.Writer { return printable{w, problem.PrintableJSON} }

type printable struct {
	w      io.Writer
	escape func(string) string
}

// Write is for whole lines of UTF-8. It returns the length of data.
func (w printable) Write(data []byte) (int, error) {
	if _, err := io.WriteString(w.w, w.escape(string(data))); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Begin adds a task to the progress line until end is called. The line shows the
// task that has run longest, because that is the one that may hang, with its age
// in seconds and the number of the others. When p does not write to a terminal,
// Begin does nothing.
func (p *Printer) Begin(format string, args ...any) (end func()) {
	if p == nil || !p.terminal {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &task{fmt.Sprintf(format, args...), time.Now()}
	p.tasks = append(p.tasks, t)
	if !p.redrawing {
		p.redrawing = true
		go p.redraw()
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.tasks = slices.DeleteFunc(p.tasks, func(other *task) bool { return other == t })
		p.clearLine()
	})
}

// Progress is Begin for tasks that follow one another: each call ends the task
// of the call before. An empty format ends the last task.
func (p *Printer) Progress(format string, args ...any) {
	if p == nil {
		return
	}
	p.mu.Lock()
	end := p.endLast
	p.endLast = nil
	p.mu.Unlock()
	if end != nil {
		end()
	}
	if format == "" {
		return
	}
	end = p.Begin(format, args...)
	p.mu.Lock()
	p.endLast = end
	p.mu.Unlock()
}

// redraw draws the progress line every 200 ms until no task is left.
func (p *Printer) redraw() {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		p.mu.Lock()
		if len(p.tasks) == 0 {
			p.redrawing = false
			p.mu.Unlock()
			return
		}
		p.clearLine()
		p.line = p.progressLine(time.Now())
		fmt.Fprint(p.w, p.line)
		p.mu.Unlock()
	}
}

// progressLine returns the progress line at the time now. The caller holds p.mu,
// and there is at least one task.
func (p *Printer) progressLine(now time.Time) string {
	oldest := p.tasks[0]
	line := fmt.Sprintf("%s (%.0f s)", problem.Printable(oldest.text), now.Sub(oldest.since).Seconds())
	if more := len(p.tasks) - 1; more > 0 {
		line += fmt.Sprintf(", and %d more", more)
	}
	return line
}

// clearLine removes the progress line from the screen. The caller holds p.mu.
func (p *Printer) clearLine() {
	if p.line != "" {
		fmt.Fprint(p.w, "\r\x1b[2K")
		p.line = ""
	}
}
