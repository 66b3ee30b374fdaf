package claims

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab/labtest"
)

// conn is one connection to a Redis, on which replies are read as redis-cli
// prints them.
type conn struct {
	net.Conn
	in *bufio.Reader
}

func connect(t *testing.T, address, password string) *conn {
	t.Helper()
	c, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	redis := &conn{c, bufio.NewReader(c)}
	if password != "" {
		if reply := redis.ask(t, "AUTH", password); reply != "OK" {
			t.Fatal(reply)
		}
	}
	return redis
}

// open returns a connection to a new Redis, and a client of it.
func open(t *testing.T) (*conn, *redis.Client) {
	t.Helper()
	rdb := labtest.Open(t).Redis()
	return connect(t, rdb.Options().Addr, rdb.Options().Password), rdb
}

// ask sends a command and returns its reply.
func (c *conn) ask(t *testing.T, args ...string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, b.String()); err != nil {
		t.Fatal(err)
	}
	reply, err := c.reply("")
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return reply
}

// reply reads a reply and prints it as redis-cli does. Each line of an array but
// its first begins with indent.
func (c *conn) reply(indent string) (string, error) {
	line, err := c.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, rest := line[0], strings.TrimSpace(line[1:])
	n, _ := strconv.Atoi(rest)
	switch kind {
	case '+':
		return rest, nil
	case '-':
		return "(error) " + rest, nil
	case ':':
		return "(integer) " + rest, nil
	}
	if n < 0 {
		return "(nil)", nil
	}
	if kind == '$' {
		data := make([]byte, n+2)
		_, err := io.ReadFull(c.in, data)
		return strconv.Quote(string(data[:n])), err
	}
	var lines []string
	for i := range n {
		number := fmt.Sprintf("%d) ", i+1)
		element, err := c.reply(indent + strings.Repeat(" ", len(number)))
		if err != nil {
			return "", err
		}
		lines = append(lines, number+element)
	}
	return strings.Join(lines, "\n"+indent), nil
}

// openCluster returns a connection to a Redis in cluster mode that has all slots.
func openCluster(t *testing.T) *conn {
	t.Helper()
	labtest.Open(t) // skips or fails where there is no redis-server
	var address string
	for range 5 { // another program may take a port between the look and the start
		ports := freePorts(t, 2)
		address = "127.0.0.1:" + ports[0]
		cmd := exec.Command("redis-server", "-")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(
			"bind 127.0.0.1\nport %s\ndir %s\nsave \"\"\ncluster-enabled yes\ncluster-port %s\n", ports[0], t.TempDir(), ports[1]))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		if answers(address) {
			break
		}
	}
	c := connect(t, address, "")
	if reply := c.ask(t, "CLUSTER", "ADDSLOTSRANGE", "0", "16383"); reply != "OK" {
		t.Fatal(reply)
	}
	for end := time.Now().Add(20 * time.Second); !strings.Contains(c.ask(t, "CLUSTER", "INFO"), "cluster_state:ok"); {
		if time.Now().After(end) {
			t.Fatal(c.ask(t, "CLUSTER", "INFO"))
		}
		time.Sleep(20 * time.Millisecond)
	}
	return c
}

// answers waits until a server accepts connections, and reports whether it did
// within ten seconds.
func answers(address string) bool {
	for range 500 {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}

// freePorts returns ports that no program listens on.
func freePorts(t *testing.T, n int) []string {
	t.Helper()
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // only once all are chosen
		ports = append(ports, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return ports
}
