package bench

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// watchdog starts a server in a folder of its own and ends both when standard
// input ends: when the run is over, or dead.
const watchdog = `dir=$(mktemp -d) || exit 1
cd "$dir"
printf '%s\n' "$CONF" | redis-server - >/dev/null 2>&1 &
pid=$!
echo ready
read -r _
kill -9 $pid
wait
rm -rf "$dir"`

var bg = context.Background()

// start returns the options of a client of its own Redis.
func start(t *testing.T) *redis.Options {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("redis-server is not on PATH")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	password := rand.Text()
	cmd := exec.Command("sh", "-c", watchdog)
	cmd.Env = append(os.Environ(), fmt.Sprintf("CONF=bind 127.0.0.1\nport %d\nsave \"\"\nrequirepass %s", port, password))
	leash, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leash.Close(); cmd.Wait() })
	bufio.NewReader(out).ReadString('\n')
	o := &redis.Options{
		Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Password: password, PoolSize: 64,
		MaxRetries: -1, ContextTimeoutEnabled: true, DisableIdentity: true, ReadTimeout: 10 * time.Second,
	}
	rdb := redis.NewClient(o)
	defer rdb.Close()
	for range 500 {
		if rdb.Ping(bg).Err() == nil {
			return o
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("redis-server is not ready")
	return nil
}

// info is a number of INFO.
func info(t *testing.T, rdb *redis.Client, section, field string) float64 {
	t.Helper()
	for line := range strings.Lines(rdb.Info(bg, section).Val()) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), field+":"); ok {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("INFO %s has no %s", section, field)
	return 0
}
