package limiter

import (
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A proxy is between a test's client and its Redis and can stop answering.
type proxy struct {
	addr   string
	silent atomic.Bool  // takes bytes and passes nothing on
	delay  atomic.Int64 // nanoseconds that bytes take more

	mu    sync.Mutex
	conns []net.Conn
	mutes []*atomic.Bool // of each connection: its answers are lost
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{addr: l.Addr().String()}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c, to)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		p.cut()
	})
	return p
}

func (p *proxy) serve(client net.Conn, to string) {
	server, err := net.Dial("tcp", to)
	if err != nil {
		client.Close()
		return
	}
	mute := &atomic.Bool{}
	p.mu.Lock()
	p.conns = append(p.conns, client, server)
	p.mutes = append(p.mutes, mute)
	p.mu.Unlock()
	go p.copy(server, client, &p.silent)
	p.copy(client, server, &p.silent, mute)
}

// copy passes bytes on until an end closes; what is read while one of lost is
// true is lost.
func (p *proxy) copy(to io.WriteCloser, from io.Reader, lost ...*atomic.Bool) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if slices.ContainsFunc(lost, (*atomic.Bool).Load) {
			continue
		}
		time.Sleep(time.Duration(p.delay.Load()))
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// mute loses the answers of every connection that there is; those that a client
// makes then are well.
func (p *proxy) mute() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.mutes {
		m.Store(true)
	}
}

// cut ends every connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}
