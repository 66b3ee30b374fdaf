package service

import (
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func startCluster(t *testing.T, kind string) *Cluster {
	t.Helper()
	s := open(t, options(t, kind))
	c, err := s.StartCluster(t.Context())
	must(t, err)
	return c
}

// clusterClient is how an example reaches its cluster: with nothing but the URL.
func clusterClient(t *testing.T, c *Cluster) *redis.ClusterClient {
	t.Helper()
	o, err := redis.ParseClusterURL(c.URL())
	must(t, err)
	o.MaxRetries = -1
	cluster := redis.NewClusterClient(o)
	t.Cleanup(func() { cluster.Close() })
	return cluster
}

// fill writes keys into all nodes.
func fill(t *testing.T, c *redis.ClusterClient) {
	t.Helper()
	for i := range 30 {
		must(t, c.Set(t.Context(), "key:"+strconv.Itoa(i), i, 0).Err())
	}
}

// A cluster promises these things, whatever it is made of.
func TestCluster(t *testing.T) {
	for _, kind := range []string{"process", "container"} {
		t.Run(kind, func(t *testing.T) {
			if kind == "container" && testing.Short() {
				t.Skip("a cluster of containers takes long: run without -short")
			}
			c := startCluster(t, kind)
			for _, promise := range []struct {
				name string
				run  func(*testing.T, *Cluster)
			}{
				{"addresses", testClusterAddresses},
				{"moved", testMoved},
				{"one node stops", testNodeStops},
				{"all stop", testAllStop},
				{"reset", testClusterReset},
				{"changed beyond repair", testClusterChanged},
			} {
				t.Run(promise.name, func(t *testing.T) { promise.run(t, c) })
			}
		})
	}
}

// A client that follows redirections ends up nowhere but at the proxies.
func testClusterAddresses(t *testing.T, c *Cluster) {
	var want, got []string
	for _, r := range c.members {
		want = append(want, r.proxy.addr)
	}
	cluster := clusterClient(t, c)
	fill(t, cluster)
	//lint:ignore SA1019 what clients read to route is the slots, and Redis 7 answers them
	view, err := cluster.ClusterSlots(t.Context()).Result()
	must(t, err)
	for _, slot := range view {
		got = append(got, slot.Nodes[0].Addr)
	}
	if len(got) != masters || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the slots are at %q, want %q", got, want)
	}
	for i, r := range c.members {
		if n := do(t, r, "DBSIZE").text; n == "0" {
			t.Errorf("node %d holds no key", i+1)
		}
	}
}

func testMoved(t *testing.T, c *Cluster) {
	conn, err := dial(t, c.URL())
	must(t, err)
	defer conn.Close()
	_, err = conn.do("GET", "foo") // its slot, 12182, is the third node's
	if want := "MOVED 12182 " + c.members[2].proxy.addr; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = conn.do("MGET", "foo", "bar")
	if err == nil || !strings.HasPrefix(err.Error(), "CROSSSLOT") {
		t.Errorf("got %v, want CROSSSLOT", err)
	}
}

// A verb may name a node; the others go on.
func testNodeStops(t *testing.T, c *Cluster) {
	control, end, err := Control(t.Context(), c)
	must(t, err)
	defer end()
	cluster := clusterClient(t, c)
	fill(t, cluster)
	if status, text := request(t, "POST", control+"/stop?node=3", ""); status != 204 {
		t.Fatalf("stop: %d %s", status, text)
	}
	if err := cluster.Get(t.Context(), "foo").Err(); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the stopped node's key: %v, want connection refused", err)
	}
	do(t, c.members[0], "PING")
	for _, bad := range []string{"0", "4", "x"} {
		if status, _ := request(t, "POST", control+"/stop?node="+bad, ""); status != 400 {
			t.Errorf("node=%s: %d, want 400", bad, status)
		}
	}
	if status, text := request(t, "POST", control+"/start", ""); status != 204 {
		t.Fatalf("start: %d %s", status, text)
	}
	if err := cluster.Get(t.Context(), "foo").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("the started node's key: %v, want nil", err)
	}
	fill(t, cluster)
}

func testAllStop(t *testing.T, c *Cluster) {
	control, end, err := Control(t.Context(), c)
	must(t, err)
	defer end()
	for _, verb := range []string{"stop", "start", "pause", "resume", "partition?mode=drop", "heal"} {
		if status, text := request(t, "POST", control+"/"+verb, ""); status != 204 {
			t.Fatalf("%s: %d %s", verb, status, text)
		}
	}
	cluster := clusterClient(t, c)
	fill(t, cluster)
}

// Reset leaves no key, and neither a broken node.
func testClusterReset(t *testing.T, c *Cluster) {
	url := c.URL()
	fill(t, clusterClient(t, c))
	for name, damage := range map[string]func() error{
		"keys":      func() error { return nil },
		"paused":    func() error { return c.members[1].Pause(t.Context()) },
		"shut down": func() error { return shutdown(t, c.members[2]) },
	} {
		must(t, damage())
		began := time.Now()
		if err := c.Reset(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Logf("%s: reset in %s", name, time.Since(began))
		for i, r := range c.members {
			if n := do(t, r, "DBSIZE").text; n != "0" {
				t.Errorf("%s: node %d holds %s keys", name, i+1, n)
			}
		}
	}
	if c.URL() != url {
		t.Errorf("the URL changed from %s to %s", url, c.URL())
	}
	fill(t, clusterClient(t, c))
}

// A cluster that commands changed is not handed out again.
func testClusterChanged(t *testing.T, c *Cluster) {
	do(t, c.members[0], "CLUSTER", "DELSLOTS", "0")
	if err := c.Reset(t.Context()); err == nil || !strings.Contains(err.Error(), "1-5460") {
		t.Errorf("got %v, want an error that names the slots", err)
	}
}

func TestClusterOnTheEmulator(t *testing.T) {
	_, err := open(t, options(t, "embedded")).StartCluster(t.Context())
	if err == nil || !strings.Contains(err.Error(), "start Docker, or put redis-server on PATH") {
		t.Errorf("got %v, want an error with both remedies", err)
	}
}

func TestCompareCluster(t *testing.T) {
	c := &Cluster{ids: []string{"a", "b", "c"}}
	const good = "a 127.0.0.1:1@2 myself,master - 0 0 1 connected 0-5460\n" +
		"b 127.0.0.1:3@4 master - 0 0 2 connected 5461-10921\n" +
		"c 127.0.0.1:5@6 master - 0 0 3 connected 10922-16383\n"
	if err := c.compare(good); err != nil {
		t.Errorf("as formed: %v", err)
	}
	for old, changed := range map[string]string{
		"b 127":                  "d 127",
		"master - 0 0 2":         "master,fail - 0 0 2",
		"2 connected":            "2 disconnected",
		"0-5460":                 "0-5460 [1->-b]",
		"5461-10921":             "5462-10921",
		" connected 10922-16383": "",
		"c 127.0.0.1:5@6 master - 0 0 3 connected 10922-16383\n": "",
	} {
		if err := c.compare(strings.Replace(good, old, changed, 1)); err == nil {
			t.Errorf("%q in place of %q counts as formed", changed, old)
		}
	}
	both := strings.NewReplacer("0-5460", "1-5460", "3 connected", "3 disconnected").Replace(good)
	if err := c.compare(both); err == nil || !strings.Contains(err.Error(), "1-5460") || !strings.Contains(err.Error(), "disconnected") {
		t.Errorf("a lost slot and a lost link: %v", err)
	}
	meeting := strings.Replace(good, "0-5460", "1-5460", 1) + "d 127.0.0.1:7@8 handshake - 0 0 0 disconnected\n"
	if err := c.compare(meeting); err == nil || !strings.Contains(err.Error(), "1-5460") || !strings.Contains(err.Error(), "meeting") {
		t.Errorf("a lost slot and a meeting: %v", err)
	}
	if err := c.compare(good + "d 127.0.0.1:7@8 handshake - 0 0 0 disconnected\n"); err == nil {
		t.Error("nodes that are just meeting count as formed")
	}
}
