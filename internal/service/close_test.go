package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Nothing is left after Close, nor after the end of the context.
func TestNothingLeft(t *testing.T) {
	ends := []struct {
		name string
		end  func(*Source, context.CancelFunc) error
	}{
		{"close", func(s *Source, _ context.CancelFunc) error { return s.Close() }},
		{"cancel", func(s *Source, cancel context.CancelFunc) error { cancel(); return s.Close() }},
	}
	for _, k := range kinds {
		for _, e := range ends {
			t.Run(k.name+" "+e.name, func(t *testing.T) {
				o := options(t, k.name)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				s, err := Open(ctx, o)
				must(t, err)
				running, err := s.Start(t.Context())
				must(t, err)
				frozen, err := s.Start(t.Context())
				must(t, err)
				must(t, frozen.Pause(t.Context()))
				must(t, e.end(s, cancel))
				for _, r := range []*Redis{running, frozen} {
					if _, err := net.Dial("tcp", r.proxy.addr); err == nil {
						t.Error("the proxy still listens")
					}
					if _, err := dialRedis(t.Context(), r.server.addr(), r.password); err == nil {
						t.Error("the server still answers")
					}
					if err := r.Start(t.Context()); !errors.Is(err, errClosed) {
						t.Errorf("start after close: %v", err)
					}
				}
				if _, err := s.Start(t.Context()); err == nil {
					t.Error("a closed source started a Redis")
				}
				if k.name == "container" {
					e, _ := needEngine(t)
					if n := containers(t, e); n != 0 {
						t.Errorf("%d containers left", n)
					}
				}
				if entries, err := os.ReadDir(filepath.Join(o.Cache, "tmp")); err == nil && len(entries) > 0 {
					t.Errorf("scratch folders left: %v", entries)
				}
			})
		}
	}
}

// Close of one Redis leaves the others of its source alone.
func TestCloseOne(t *testing.T) {
	s := open(t, options(t, "embedded"))
	a, b := start(t, s), start(t, s)
	if a.URL() == b.URL() {
		t.Fatal("two instances share an address")
	}
	must(t, a.Close())
	must(t, a.Close())
	if _, err := net.Dial("tcp", a.proxy.addr); err == nil {
		t.Error("the closed one still listens")
	}
	do(t, b, "PING")
}

// A port that another program has is no reason to fail.
func TestPortTaken(t *testing.T) {
	needRedis(t)
	m, err := openProcess(t.Context(), Options{Cache: t.TempDir()})
	must(t, err)
	taken, err := listenLow()
	must(t, err)
	defer taken.Close()
	p := m.make(config{password: newPassword()}).(*process)
	defer func() { must(t, p.close(t.Context())) }()
	picks := 0
	p.pick = func() (string, error) {
		if picks++; picks <= 2 {
			return taken.Addr().String(), nil
		}
		return freeAddr()
	}
	r := &Redis{server: p, password: p.settings.password}
	ctx, cancel := context.WithTimeout(t.Context(), readyWithin)
	defer cancel()
	c, err := r.startServer(ctx)
	must(t, err)
	c.Close()
	if picks != 3 {
		t.Errorf("picked %d ports, want 3", picks)
	}
}

// A server that ends by itself is an error with its last words, not a timeout.
func TestServerThatEnds(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho first\necho 'the disk is on fire'\nexit 7\n"
	must(t, os.WriteFile(filepath.Join(dir, "redis-server"), []byte(script), 0o755))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	_, err := Open(t.Context(), Options{Kind: "process", Cache: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "exit code 7: the disk is on fire") {
		t.Errorf("got %v", err)
	}
}

// While Redis is stopped another program may take its address. Start says so.
func TestAddressTaken(t *testing.T) {
	s := open(t, options(t, "embedded"))
	r := start(t, s)
	must(t, r.Stop(t.Context()))
	l, err := net.Listen("tcp", r.proxy.addr)
	must(t, err)
	err = r.Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "another program took the address") {
		t.Errorf("got %v", err)
	}
	must(t, l.Close())
	must(t, r.Start(t.Context()))
	do(t, r, "PING")
}

func TestPorts(t *testing.T) {
	for start, want := range map[int][2]int{
		32768: {20000, 30000},
		49152: {20000, 30000},
		25000: {15000, 25000},
		1024:  {20000, 30000},
	} {
		if low, high := ports(start); low != want[0] || high != want[1] {
			t.Errorf("%d: got %d-%d, want %v", start, low, high, want)
		}
	}
	l, err := listenLow()
	must(t, err)
	defer l.Close()
	if port := l.Addr().(*net.TCPAddr).Port; port >= ephemeralStart() && ephemeralStart() >= 12000 {
		t.Errorf("port %d is not below %d", port, ephemeralStart())
	}
}

// Bytes pass through the proxy in both directions, and so does the end of one
// direction.
func TestProxyHalfClose(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer echo.Close()
	go func() {
		c, err := echo.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		n, _ := fmt.Fprint(c, "hello ")
		buf := make([]byte, 1<<20)
		total := n
		for {
			n, err := c.Read(buf)
			total += n
			if err != nil {
				fmt.Fprintf(c, "%d", total)
				return
			}
		}
	}()
	p, err := newProxy()
	must(t, err)
	must(t, p.open(t.Context(), echo.Addr().String()))
	defer p.close()
	c, err := net.Dial("tcp", p.addr)
	must(t, err)
	defer c.Close()
	must(t, c.SetDeadline(time.Now().Add(30*time.Second)))
	_, err = c.Write(make([]byte, 300_000))
	must(t, err)
	must(t, c.(*net.TCPConn).CloseWrite())
	var greeting string
	var total int
	if _, err := fmt.Fscan(c, &greeting, &total); err != nil || greeting != "hello" || total != 300_006 {
		t.Errorf("got %q, %d, %v", greeting, total, err)
	}
}

// A port without a listener is still taken, for whoever chooses ports as we do,
// until it is given up.
func TestPortIsClaimedWhileNothingListens(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("claims are abstract Unix sockets, which only Linux has")
	}
	p, err := newProxy()
	must(t, err)
	_, port, err := net.SplitHostPort(p.addr)
	must(t, err)
	if claim, err := claimPort(port); err == nil {
		claim.Close()
		t.Errorf("port %s was claimed twice", port)
	}
	p.close()
	claim, err := claimPort(port)
	must(t, err)
	must(t, claim.Close())
}
