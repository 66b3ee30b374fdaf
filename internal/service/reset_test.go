package service

import (
	"strings"
	"testing"
	"time"
)

// testReset changes all that a command can change, and wants to see none of it.
func testReset(t *testing.T, r *Redis) {
	address, run := r.URL(), runID(t, r)
	commands := [][]string{{"SET", "k", "v"}, {"SELECT", "5"}, {"SET", "k5", "v"}, {"SCRIPT", "LOAD", "return 1"}}
	if r.Real() {
		commands = append(commands, [][]string{
			{"CONFIG", "SET", "maxmemory", "100000000", "hz", "50", "appendonly", "yes", "notify-keyspace-events", "KEA"},
			{"ACL", "SETUSER", "eve", "on", "nopass", "~*", "+@all"},
			{"ACL", "SETUSER", "default", "-flushall"},
			{"FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)"},
			{"CLIENT", "PAUSE", "600000", "WRITE"},
		}...)
	}
	c, err := dial(t, r.URL())
	must(t, err)
	defer c.Close()
	for _, command := range commands {
		if _, err := c.do(command...); err != nil {
			t.Fatalf("%s: %v", command[0], err)
		}
	}
	must(t, r.Reset(t.Context()))
	if _, err := c.do("PING"); err == nil {
		t.Error("an old connection outlived the reset")
	}
	if r.URL() != address {
		t.Errorf("the URL changed from %s to %s", address, r.URL())
	}
	if got := do(t, r, "DBSIZE").text; got != "0" {
		t.Errorf("%s keys left", got)
	}
	if got := do(t, r, "SCRIPT", "EXISTS", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db").list[0].text; got != "0" {
		t.Error("the script is still there")
	}
	if !r.Real() {
		return
	}
	wantAsNew(t, r)
	if runID(t, r) != run {
		t.Error("the server was replaced, which is slow, where washing it would do")
	}
}

// runID is another for each start of a real server.
func runID(t *testing.T, r *Redis) string {
	t.Helper()
	if !r.Real() {
		return ""
	}
	for line := range strings.Lines(do(t, r, "INFO", "server").text) {
		if id, ok := strings.CutPrefix(line, "run_id:"); ok {
			return id
		}
	}
	t.Fatal("INFO says no run_id")
	return ""
}

func wantAsNew(t *testing.T, r *Redis) {
	t.Helper()
	if got := do(t, r, "INFO", "keyspace").text; strings.Contains(got, "db") {
		t.Errorf("keys left: %s", got)
	}
	config := do(t, r, "CONFIG", "GET", "maxmemory").texts()
	for _, name := range []string{"hz", "appendonly", "notify-keyspace-events"} {
		config = append(config, do(t, r, "CONFIG", "GET", name).texts()...)
	}
	if got, want := strings.Join(config, " "), "maxmemory 0 hz 10 appendonly no notify-keyspace-events "; got != want {
		t.Errorf("configuration %q, want %q", got, want)
	}
	if got := do(t, r, "ACL", "LIST").texts(); len(got) != 1 || !strings.HasSuffix(got[0], "~* &* +@all") {
		t.Errorf("users %q", got)
	}
	if got := do(t, r, "FUNCTION", "LIST").list; len(got) != 0 {
		t.Errorf("functions %v", got)
	}
	do(t, r, "SET", "k", "v") // no longer paused
}

// testResetBroken leaves a Redis in states in which washing it cannot help.
func testResetBroken(t *testing.T, r *Redis) {
	breaks := []struct {
		name string
		do   func() error
		real bool
	}{
		{"stopped", func() error { return r.Stop(t.Context()) }, false},
		{"paused", func() error { return r.Pause(t.Context()) }, false},
		{"cut off", func() error { return r.Partition("refuse") }, false},
		{"held", func() error { return r.Partition("drop") }, false},
		{"slow", func() error { return r.Slow(5 * time.Second) }, false},
		{"shut down", func() error { return shutdown(t, r) }, true},
		{"another password", func() error { do(t, r, "CONFIG", "SET", "requirepass", "other"); return nil }, true},
		{"default user off", func() error { do(t, r, "ACL", "SETUSER", "default", "off"); return nil }, true},
		{"another port", func() error { do(t, r, "CONFIG", "SET", "port", "0"); return nil }, true},
	}
	for _, b := range breaks {
		if b.real && !r.Real() {
			continue
		}
		do(t, r, "SET", "k", "v")
		must(t, b.do())
		if err := r.Reset(t.Context()); err != nil {
			t.Fatalf("%s: %v", b.name, err)
		}
		if got := do(t, r, "DBSIZE").text; got != "0" {
			t.Errorf("%s: %s keys left", b.name, got)
		}
	}
}

func shutdown(t *testing.T, r *Redis) error {
	c, err := dial(t, r.URL())
	if err != nil {
		return err
	}
	defer c.Close()
	_, _ = c.do("SHUTDOWN", "NOSAVE") // the connection breaks
	return nil
}

// BenchmarkReset is the cost of a reset beside that of a new server.
func BenchmarkReset(b *testing.B) {
	s, err := Open(b.Context(), Options{Kind: "process", Cache: b.TempDir()})
	if err != nil {
		b.Skip(err)
	}
	defer s.Close()
	r, err := s.Start(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Run("reset", func(b *testing.B) {
		for b.Loop() {
			if err := r.Reset(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("new server", func(b *testing.B) {
		for b.Loop() {
			fresh, err := s.Start(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			if err := fresh.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
