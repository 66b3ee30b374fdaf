package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// MaxTranscript is how many bytes of replies are read, give or take the last:
// more than an example may show.
const MaxTranscript = 1 << 20

// TranscriptError says which command of a transcript got no answer.
type TranscriptError struct {
	Index int // from 0
	Err   error
}

func (e *TranscriptError) Error() string { return e.Err.Error() }
func (e *TranscriptError) Unwrap() error { return e.Err }

// Transcript sends commands one after another over one connection and returns the
// replies as redis-cli prints them on a terminal. Errors that the server
// answers are replies, too. Beyond MaxTranscript it reads no more. limit bounds it all; a command without an answer is
// a *TranscriptError, beside the replies before it.
func (r *Redis) Transcript(ctx context.Context, commands [][]string, limit time.Duration) (string, error) {
	c, err := r.dial(ctx)
	if err != nil {
		return "", fmt.Errorf("run the transcript: %w", err)
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	var out strings.Builder
	deadline := time.Now().Add(limit)
	for i, args := range commands {
		if out.Len() > MaxTranscript {
			return out.String(), nil
		}
		rep, err := c.exchange(args, deadline)
		if ctx.Err() != nil {
			return out.String(), context.Cause(ctx)
		}
		if err != nil {
			return out.String(), &TranscriptError{i, told(err, limit)}
		}
		if raw(args) {
			out.WriteString(strings.TrimSuffix(strings.ReplaceAll(rep.text, "\r\n", "\n"), "\n") + "\n")
			continue
		}
		rep.print(&out, "")
	}
	return out.String(), nil
}

// told explains the reason to the author.
func told(err error, limit time.Duration) error {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("no answer within %s for the whole transcript", limit)
	case errors.Is(err, io.EOF):
		return errors.New("the server closed the connection")
	}
	return err
}

// exchange sends one command and reads its reply until deadline.
func (c *conn) exchange(args []string, deadline time.Time) (reply, error) {
	if err := c.SetDeadline(deadline); err != nil {
		return reply{}, err
	}
	if _, err := io.WriteString(c, encode(args)); err != nil {
		return reply{}, err
	}
	return readReply(c.r)
}

// raw reports whether a command is one whose text redis-cli prints as it is, since they
// answer for people and not for programs.
func raw(args []string) bool {
	command := strings.ToLower(strings.Join(args[:min(len(args), 2)], " "))
	first, _, _ := strings.Cut(command, " ")
	switch first {
	case "info", "lolwut":
		return true
	}
	switch command {
	case "client list", "client info", "cluster nodes", "cluster info", "memory malloc-stats", "memory doctor",
		"latency graph", "latency doctor", "debug htstats":
		return true
	}
	return false
}

// print writes a reply as redis-cli 7.0 does on a terminal: every element of a
// list with its number, nested lists indented by the width of the numbers.
func (r reply) print(out *strings.Builder, prefix string) {
	switch {
	case r.null:
		out.WriteString("(nil)\n")
	case r.kind == '+':
		out.WriteString(r.text + "\n")
	case r.kind == '-':
		out.WriteString("(error) " + r.text + "\n")
	case r.kind == ':':
		out.WriteString("(integer) " + r.text + "\n")
	case r.kind == '$':
		out.WriteString(quoted(r.text) + "\n")
	case len(r.list) == 0:
		out.WriteString("(empty array)\n")
	default:
		width := len(strconv.Itoa(len(r.list)))
		nested := prefix + strings.Repeat(" ", width+2)
		for i, item := range r.list {
			if i > 0 {
				out.WriteString(prefix)
			}
			fmt.Fprintf(out, "%*d) ", width, i+1)
			item.print(out, nested)
		}
	}
}

// quoted writes a string as redis-cli does: bytes that are not printable ASCII
// as escapes.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '\\' || c == '"':
			b.WriteString("\\" + string(rune(c)))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\a':
			b.WriteString(`\a`)
		case c == '\b':
			b.WriteString(`\b`)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}
