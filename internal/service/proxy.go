package service

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// proxy passes connections on from an address of its own, which stays the same
// while what it passes them to comes and goes. Faults between client and server
// live here.
type proxy struct {
	addr     string       // 127.0.0.1:port, fixed
	answered atomic.Int64 // connections on which the server replied
	claim    io.Closer    // keeps other builds off the port while nothing listens on it

	mu       sync.Mutex
	listener net.Listener // nil while connections are refused
	target   string
	delay    time.Duration
	gate     chan struct{} // closed while bytes may pass
	conns    map[net.Conn]bool
}

// newProxy reserves an address by listening once. It refuses connections until
// open.
func newProxy() (*proxy, error) {
	l, claim, err := claimLow()
	if err != nil {
		return nil, err
	}
	defer l.Close()
	gate := make(chan struct{})
	close(gate)
	return &proxy{addr: l.Addr().String(), claim: claim, gate: gate, conns: map[net.Conn]bool{}}, nil
}

// close releases the address.
func (p *proxy) close() {
	p.refuse()
	p.claim.Close()
}

// open passes new connections on to target. While the proxy refused
// connections another program may have taken its port; open waits for it
// within ctx.
func (p *proxy) open(ctx context.Context, target string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
	if p.listener != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	for {
		l, err := net.Listen("tcp", p.addr)
		if err == nil {
			p.listener = l
			go p.accept(l)
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another program took the address while Redis was stopped: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// refuse closes the listener and all connections.
func (p *proxy) refuse() {
	p.mu.Lock()
	if p.listener != nil {
		p.listener.Close()
		p.listener = nil
	}
	p.mu.Unlock()
	p.drop()
}

// drop closes all connections.
func (p *proxy) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

// hold keeps all bytes back, or lets them pass.
func (p *proxy) hold(back bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gate:
		if back {
			p.gate = make(chan struct{})
		}
	default:
		if !back {
			close(p.gate)
		}
	}
}

// slow holds back what the server sends by d.
func (p *proxy) slow(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

func (p *proxy) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return // closed
		}
		if !p.keep(l, c) {
			c.Close()
			continue
		}
		go p.pass(c)
	}
}

// keep remembers a connection, unless its listener was closed meanwhile.
func (p *proxy) keep(l net.Listener, c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != l {
		return false
	}
	p.conns[c] = true
	return true
}

func (p *proxy) lose(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
	c.Close()
}

// pass serves one client until either side is done.
func (p *proxy) pass(client net.Conn) {
	defer p.lose(client)
	p.mu.Lock()
	target, l := p.target, p.listener
	p.mu.Unlock()
	server, err := net.DialTimeout("tcp", target, 5*time.Second)
	if err != nil {
		return // the client sees its connection closed
	}
	if !p.keep(l, server) {
		server.Close()
		return
	}
	defer p.lose(server)
	var wg sync.WaitGroup
	wg.Go(func() { p.copy(server, client, false) })
	wg.Go(func() { p.copy(client, server, true) })
	wg.Wait()
}

// copy passes bytes on until src ends, then ends dst in that direction.
func (p *proxy) copy(dst, src net.Conn, reply bool) {
	buf := make([]byte, 32<<10)
	for first := true; ; {
		n, err := src.Read(buf)
		if n > 0 {
			if reply && first {
				p.answered.Add(1)
			}
			first = false
			p.await(reply)
			if _, werr := dst.Write(buf[:n]); werr != nil {
				break
			}
		}
		if err == io.EOF {
			if half, ok := dst.(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite() // the other side may be gone
			}
			return
		}
		if err != nil {
			break
		}
	}
	src.Close() // so that the other direction ends too
	dst.Close()
}

// await returns when bytes may pass.
func (p *proxy) await(reply bool) {
	p.mu.Lock()
	gate, delay := p.gate, p.delay
	p.mu.Unlock()
	if reply && delay > 0 {
		time.Sleep(delay)
	}
	<-gate
}

// listenLow listens on a loopback port below the range from which the system
// takes ports for outgoing connections: none of those can take it while the
// proxy is closed.
func listenLow() (net.Listener, error) {
	l, claim, err := claimLow()
	if err == nil {
		claim.Close() // while it listens, it needs none
	}
	return l, err
}

// claimLow is listenLow with a claim to the port, which lasts longer than the
// listening.
func claimLow() (net.Listener, io.Closer, error) {
	low, high := ports(ephemeralStart())
	var last error
	for range 50 {
		port := strconv.Itoa(low + rand.IntN(high-low))
		claim, err := claimPort(port)
		if err != nil {
			last = err
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			return l, claim, nil
		}
		claim.Close()
		last = err
	}
	return nil, nil, fmt.Errorf("find a free port between %d and %d: %w", low, high, last)
}

// claimPort keeps the builds of this machine off one another's ports: a stopped
// Redis listens on none, and its address must still be free when it starts. The
// claim is an abstract Unix socket, which lives in the same network namespace
// as the port, leaves no file, and goes with the process. Elsewhere than on
// Linux there is none, and luck has to do.
func claimPort(port string) (io.Closer, error) {
	if runtime.GOOS != "linux" {
		return io.NopCloser(nil), nil
	}
	return net.Listen("unix", "@verbatim-port-"+port)
}

// ports is the range to take ports from, high excluded: the ten thousand below
// start, at most up to 30,000. Where there is no room below it is as good as
// any.
func ports(start int) (low, high int) {
	high = min(start, 30000)
	if high < 12000 {
		high = 30000
	}
	return high - 10000, high
}

// ephemeralStart is the first port for outgoing connections, on Linux as the
// kernel says, elsewhere the lowest in use by any system we know.
func ephemeralStart() int {
	f, err := os.Open("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 32768
	}
	defer f.Close()
	var start int
	if _, err := fmt.Fscan(bufio.NewReader(f), &start); err != nil {
		return 32768
	}
	return start
}
