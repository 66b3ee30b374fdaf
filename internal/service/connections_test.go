package service

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A client counts as connected if the server replied to it. Every client here has its
// own proxy, to a server that echoes what it receives.
func TestConnections(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	exchange := func(c net.Conn) {
		c.Write([]byte("PING\r\n"))
		io.ReadFull(c, make([]byte, 6))
	}
	nothing := func(net.Conn) {}
	for _, row := range []struct {
		name    string
		clients int
		do      func(c net.Conn)
		want    int64
	}{
		{"no client", 0, nothing, 0},
		{"dials and closes", 1, nothing, 0},
		{"dials and waits", 1, func(net.Conn) { time.Sleep(20 * time.Millisecond) }, 0},
		{"ends its side at once", 1, func(c net.Conn) { c.(*net.TCPConn).CloseWrite(); io.ReadAll(c) }, 0},
		{"resets the connection", 1, func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) }, 0},
		{"three dial", 3, nothing, 0},
		{"one exchange", 1, exchange, 1},
		{"many exchanges", 1, func(c net.Conn) {
			for range 9 {
				exchange(c)
			}
		}, 1},
		{"a large exchange", 1, func(c net.Conn) {
			go c.Write([]byte(strings.Repeat("x", 1<<20)))
			io.ReadFull(c, make([]byte, 1<<20))
		}, 1},
		{"three exchange", 3, exchange, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := newProxy()
			if err != nil {
				t.Fatal(err)
			}
			defer p.close()
			if err := p.open(t.Context(), server.Addr().String()); err != nil {
				t.Fatal(err)
			}
			for range row.clients {
				c, err := net.Dial("tcp", p.addr)
				if err != nil {
					t.Fatal(err)
				}
				row.do(c)
				c.Close()
			}
			if got := p.answered.Load(); got != row.want {
				t.Errorf("%d connections, want %d", got, row.want)
			}
		})
	}
}
