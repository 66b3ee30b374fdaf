package service

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
)

func TestReadReply(t *testing.T) {
	tests := []struct{ in, want string }{
		{"+OK\r\n", `+"OK"`},
		{"-ERR no\r\n", `-"ERR no"`},
		{":42\r\n", `:"42"`},
		{"$5\r\na\r\nbc\r\n", `$"a\r\nbc"`},
		{"$0\r\n\r\n", `$""`},
		{"$-1\r\n", "nil"},
		{"*-1\r\n", "nil"},
		{"*0\r\n", "[]"},
		{"*2\r\n$1\r\na\r\n*1\r\n:1\r\n", `[$"a" [:"1"]]`},

		{"", "error"},
		{"\r\n", "error"},
		{"OK\r\n", "error"},
		{"+OK\n", "error"},
		{"+OK", "error"},
		{"$5\r\nab", "error"},
		{"$2\r\nabcd", "error"},
		{"$-2\r\n", "error"},
		{"$99999999999\r\n", "error"},
		{"$x\r\n", "error"},
		{"*99999999\r\n", "error"},
		{"*1\r\n", "error"},
		{strings.Repeat("*1\r\n", 100), "error"},
		{"+" + strings.Repeat("x", maxLine) + "\r\n", "error"},
		{"HTTP/1.1 400 Bad Request\r\n", "error"},
	}
	for _, test := range tests {
		got := "error"
		if r, err := readReply(bufio.NewReaderSize(strings.NewReader(test.in), maxLine)); err == nil {
			got = show(r)
		}
		if got != test.want {
			t.Errorf("%.40q: got %s, want %s", test.in, got, test.want)
		}
	}
}

func show(r reply) string {
	switch {
	case r.null:
		return "nil"
	case r.kind != '*':
		return fmt.Sprintf("%c%q", r.kind, r.text)
	}
	items := make([]string, len(r.list))
	for i, item := range r.list {
		items[i] = show(item)
	}
	return "[" + strings.Join(items, " ") + "]"
}

// A reply that was read holds no more than was sent.
func FuzzReadReply(f *testing.F) {
	for _, seed := range []string{
		"+OK\r\n", "-ERR\r\n", ":1\r\n", "$3\r\nabc\r\n", "$-1\r\n", "*2\r\n+a\r\n*1\r\n:1\r\n", "*65536\r\n", "$8388608\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		r, err := readReply(bufio.NewReader(strings.NewReader(in)))
		if err == nil && size(r) > len(in) {
			t.Errorf("%q gave more than it holds: %s", in, show(r))
		}
	})
}

func size(r reply) int {
	n := len(r.text)
	for _, item := range r.list {
		n += size(item)
	}
	return n
}
