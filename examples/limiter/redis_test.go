package limiter

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisServer is a redis-server of a test, on loopback: a process or, where
// LIMITER_REDIS says so, a container.
type redisServer struct {
	addr  string
	pid   int       // of the process
	name  string    // of the container
	leash io.Closer // closing it, or this process ending, kills the server
	shell *exec.Cmd
}

// watchdog starts a server from the configuration in $CONF in a folder of its
// own, prints its process id, and kills and removes both when standard input
// ends: when the test is over, or dead.
const watchdog = `dir=$(mktemp -d) || exit 1
cd "$dir"
set -- redis-server -
if [ -n "$IMAGE" ]; then
	set -- docker run --rm -i --network host --name "$NAME" --entrypoint redis-server "$IMAGE" -
fi
printf '%s\n' "$CONF" | "$@" >/dev/null 2>&1 &
pid=$!
echo $pid
read -r _
if [ -n "$IMAGE" ]; then docker rm -f "$NAME" >/dev/null 2>&1; fi
kill -9 $pid
wait
rm -rf "$dir"`

// needRedis skips the test where there is no Redis, or fails it where
// VERBATIM_REQUIRE says that there must be.
func needRedis(t testing.TB) {
	t.Helper()
	need, err := "redis", error(nil)
	if image() == "" {
		_, err = exec.LookPath("redis-server")
	} else {
		need, err = "docker", engine()
	}
	switch {
	case err == nil:
	case slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), need):
		t.Fatalf("VERBATIM_REQUIRE names %s, but: %v", need, err)
	default:
		t.Skip(err)
	}
}

// password is that of every server of this run.
var password = rand.Text()

// launch starts a server with more configuration lines on a free port, or on
// the port given.
func launch(port int, config ...string) (*redisServer, error) {
	var err error
	for range 5 {
		s := &redisServer{}
		if err = s.start(port, config); err == nil {
			return s, nil
		}
		if port != 0 {
			return nil, err
		}
	}
	return nil, err
}

func (s *redisServer) start(port int, config []string) error {
	if port == 0 {
		port = freePort()
	}
	s.addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	lines := append([]string{
		"bind 127.0.0.1", "port " + strconv.Itoa(port), `save ""`, "appendonly no",
		"requirepass " + password, "masterauth " + password,
	}, config...)
	s.shell = exec.Command("sh", "-c", watchdog)
	s.name = "limiter-test-" + strings.ToLower(rand.Text())
	s.shell.Env = append(os.Environ(), "CONF="+strings.Join(lines, "\n"), "IMAGE="+image(), "NAME="+s.name)
	in, err := s.shell.StdinPipe()
	if err != nil {
		return err
	}
	s.leash = in
	out, err := s.shell.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.shell.Start(); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return err
	}
	if s.pid, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		return err
	}
	return s.ready()
}

// freePort is a port on which nothing listens just now; 0 where there is none.
func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// ready waits until the server, which knows our password and so is ours,
// answers.
func (s *redisServer) ready() error {
	var err error
	for range 3000 {
		var c net.Conn
		if c, err = net.DialTimeout("tcp", s.addr, time.Second); err == nil {
			fmt.Fprintf(c, "AUTH %s\r\n", password)
			c.SetReadDeadline(time.Now().Add(time.Second))
			var line string
			line, err = bufio.NewReader(c).ReadString('\n')
			c.Close()
			if err == nil && strings.HasPrefix(line, "+OK") {
				return nil
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.stop()
	return fmt.Errorf("redis-server on %s is not ready: %v", s.addr, err)
}

func (s *redisServer) stop() {
	s.resume()
	s.leash.Close()
	s.shell.Wait()
}

// client is a client with the discipline that the package asks for, and time
// enough for a busy machine.
func (s *redisServer) client(t testing.TB) *redis.Client {
	t.Helper()
	rdb := redis.NewClient(s.options())
	t.Cleanup(func() { rdb.Close() })
	return rdb
}

func (s *redisServer) options() *redis.Options {
	return &redis.Options{
		Addr: s.addr, Password: password, MaxRetries: -1, DialerRetries: 1,
		ContextTimeoutEnabled: true, DisableIdentity: true, PoolSize: 64,
		DialTimeout: time.Minute, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
	}
}

// newServer starts a server of the test's own.
func newServer(t testing.TB, config ...string) *redisServer {
	t.Helper()
	needRedis(t)
	s, err := launch(0, config...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.stop)
	return s
}

// shared is the one server of all tests that do not break theirs.
var shared = sync.OnceValues(func() (*redisServer, error) { return launch(0) })

func TestMain(m *testing.M) {
	redis.SetLogger(quiet{})
	if !slices.Contains([]string{"", "process", "container"}, os.Getenv("LIMITER_REDIS")) {
		fmt.Fprintf(os.Stderr, "LIMITER_REDIS is %q; it is process or container\n", os.Getenv("LIMITER_REDIS"))
		os.Exit(2)
	}
	os.Exit(m.Run()) // the shared server dies with our end of its pipe
}

// quiet drops go-redis' lines about lost connections, which tests cause.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// sharedClient returns a client of the shared server.
func sharedClient(t testing.TB) *redis.Client {
	t.Helper()
	needRedis(t)
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s.client(t)
}

// modelClock is a clock that a test turns.
type modelClock struct {
	mu  sync.Mutex
	now time.Time
}

func newModelClock() *modelClock {
	return &modelClock{now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
}

func (c *modelClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *modelClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newLimiter makes a limiter with keys of its own and patience.
func newLimiter(t testing.TB, rdb redis.UniversalClient, o Options) *Limiter {
	t.Helper()
	if o.Prefix == "" {
		o.Prefix = "t:" + rand.Text()[:8] + ":"
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	l, err := New(rdb, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func take(t testing.TB, l *Limiter, charges ...Charge) Decision {
	t.Helper()
	d, err := l.Take(context.Background(), charges...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// all is every algorithm.
var all = []Algorithm{FixedWindow, SlidingLog, SlidingCounter, TokenBucket, LeakyBucket}
