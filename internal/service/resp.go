package service

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Bounds of what we read from a server, which may be anything.
const (
	maxBulk  = 8 << 20
	maxItems = 1 << 16
	maxDepth = 8
	maxLine  = 64 << 10
)

// How long a server may take: to connect or to answer a PING, after which it is
// asked again, and for an exchange with one that answered. A node of a cluster
// writes its file to a disk that may be busy before it replies.
const (
	probeWithin   = 2 * time.Second
	commandWithin = 10 * time.Second
)

// conn speaks the Redis protocol (RESP 2) for our own few commands. Clients in
// examples use a real library.
type conn struct {
	net.Conn
	r *bufio.Reader
}

// dialRedis connects and returns once AUTH was accepted and PING answered: then
// it is the server that has our password, and it is ready.
func dialRedis(ctx context.Context, addr, password string) (*conn, error) {
	d := net.Dialer{Timeout: probeWithin}
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &conn{nc, bufio.NewReaderSize(nc, maxLine)}
	for _, command := range [][]string{{"AUTH", "default", password}, {"PING"}} {
		answer, err := c.exchange(command, time.Now().Add(probeWithin))
		if err == nil {
			err = answer.err()
		}
		if err != nil {
			nc.Close()
			return nil, err
		}
	}
	return c, nil
}

// replyError is an error that the server answered.
type replyError string

func (e replyError) Error() string { return string(e) }

// do sends one command and reads its reply. An error that the server answers is
// a replyError.
func (c *conn) do(args ...string) (reply, error) {
	replies, err := c.pipeline([][]string{args})
	if err != nil {
		return reply{}, err
	}
	return replies[0], replies[0].err()
}

// pipeline sends commands together and reads as many replies; errors that the
// server answers are among them.
func (c *conn) pipeline(commands [][]string) ([]reply, error) {
	if err := c.SetDeadline(time.Now().Add(commandWithin)); err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, args := range commands {
		b.WriteString(encode(args))
	}
	if _, err := io.WriteString(c, b.String()); err != nil {
		return nil, err
	}
	replies := make([]reply, 0, len(commands))
	for range commands {
		rep, err := readReply(c.r)
		if err != nil {
			return nil, err
		}
		replies = append(replies, rep)
	}
	return replies, nil
}

// encode writes a command as the protocol wants it.
func encode(args []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	return b.String()
}

// version is redis_version of INFO.
func (c *conn) version() (string, error) {
	info, err := c.do("INFO", "server")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(info.text) {
		if v, ok := strings.CutPrefix(line, "redis_version:"); ok {
			return strings.TrimSpace(v), nil
		}
	}
	return "", errors.New("INFO says no redis_version")
}

// reply is one answer. kind is the byte that it begins with: + - : $ *
type reply struct {
	kind byte
	text string
	null bool
	list []reply
}

func (r reply) err() error {
	if r.kind == '-' {
		return replyError(r.text)
	}
	return nil
}

// texts are the elements of a list of strings.
func (r reply) texts() []string {
	texts := make([]string, len(r.list))
	for i, item := range r.list {
		texts[i] = item.text
	}
	return texts
}

var errProtocol = errors.New("not an answer of Redis")

// readReply reads one reply of bounded size.
func readReply(r *bufio.Reader) (reply, error) {
	budget := maxBulk
	return readNested(r, 0, &budget)
}

func readNested(r *bufio.Reader, depth int, budget *int) (reply, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return reply{}, err
	}
	text, ok := strings.CutSuffix(string(line), "\r\n")
	if !ok || text == "" || depth > maxDepth {
		return reply{}, errProtocol
	}
	rep := reply{kind: text[0], text: text[1:]}
	if *budget -= len(text); *budget < 0 {
		return reply{}, errProtocol
	}
	switch rep.kind {
	case '+', '-', ':':
		return rep, nil
	case '$':
		return readBulk(r, rep, budget)
	case '*':
		return readList(r, rep, depth, budget)
	}
	return reply{}, errProtocol
}

func readBulk(r *bufio.Reader, rep reply, budget *int) (reply, error) {
	n, err := strconv.Atoi(rep.text)
	switch {
	case err != nil || n < -1 || n > *budget:
		return reply{}, errProtocol
	case n == -1:
		return reply{kind: '$', null: true}, nil
	}
	*budget -= n
	body := make([]byte, n+2)
	if _, err := io.ReadFull(r, body); err != nil {
		return reply{}, err
	}
	text, ok := strings.CutSuffix(string(body), "\r\n")
	if !ok {
		return reply{}, errProtocol
	}
	return reply{kind: '$', text: text}, nil
}

func readList(r *bufio.Reader, rep reply, depth int, budget *int) (reply, error) {
	n, err := strconv.Atoi(rep.text)
	switch {
	case err != nil || n < -1 || n > maxItems:
		return reply{}, errProtocol
	case n == -1:
		return reply{kind: '*', null: true}, nil
	}
	list := reply{kind: '*'}
	for range n {
		item, err := readNested(r, depth+1, budget)
		if err != nil {
			return reply{}, err
		}
		list.list = append(list.list, item)
	}
	return list, nil
}
