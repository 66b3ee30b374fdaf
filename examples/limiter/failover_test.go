package limiter

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// failover is a dialler that goes wherever the test says.
type failover struct {
	addr  atomic.Pointer[string]
	dials atomic.Int64
}

func (f *failover) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	f.dials.Add(1)
	var d net.Dialer
	addr := *f.addr.Load()
	if strings.HasPrefix(addr, "/") {
		network = "unix"
	}
	return d.DialContext(ctx, network, addr)
}

// redirected returns a client of a server, and a failover that redirects it.
func redirected(t *testing.T, s *redisServer) (*redis.Client, *failover) {
	t.Helper()
	to := &failover{}
	to.addr.Store(&s.addr)
	o := s.options()
	o.Dialer = to.dial
	rdb := redis.NewClient(o)
	t.Cleanup(func() { rdb.Close() })
	return rdb, to
}

func TestFailover(t *testing.T) {
	master := newServer(t, "repl-diskless-sync-delay 0")
	host, port, _ := net.SplitHostPort(master.addr)
	replica, err := launch(0, "replicaof "+host+" "+port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(replica.stop)
	lagging := replica.client(t)
	rdb, to := redirected(t, master)
	l := newLimiter(t, rdb, Options{Failures: 1, Pause: 20 * time.Millisecond})
	c := charge(long(FixedWindow, 100))
	for range 30 {
		take(t, l, c)
	}
	key, _ := l.Key(c)
	waitFor(t, "the replica has the 30", func() bool { return strings.HasPrefix(lagging.Get(bg, key).Val(), "30") })

	onReplica := newLimiter(t, lagging, Options{Prefix: l.keys.prefix})
	_, err = onReplica.Take(bg, c)
	if down := mustBeDown(t, err); down.Unknown || !strings.Contains(err.Error(), "READONLY") {
		t.Errorf("a replica gave %v", err)
	}

	if err := lagging.Do(bg, "REPLICAOF", "NO", "ONE").Err(); err != nil { // it hears no more
		t.Fatal(err)
	}
	for range 50 {
		take(t, l, c)
	}
	to.addr.Store(&replica.addr)
	master.stop()
	admitted := 0
	for range 200 {
		if eventually(t, l, c).Outcome == Allowed {
			admitted++
		}
	}
	if admitted != 70 {
		t.Errorf("after 80 calls and a failover that lost 50 of them, %d more were admitted, want 70", admitted)
	}
}

// nobody returns an address that refuses connections and that no other program can
// use: a socket in the test's folder without a listener.
func nobody(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "") // t.TempDir is too long a name for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: filepath.Join(dir, "s")})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	return l.Addr().String()
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 6000 { // a minute or more
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain until %s", what)
}
