package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/examples/lab/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m, main) }

// Alone, the program prints what it printed in the build: the lines that the
// lesson shows.
func TestAlone(t *testing.T) { labtest.Recorded(t) }

// Each way to sweep repairs the leaked keys, moves no deadline, and touches no
// other key. The second sweep finds nothing to do.
func TestSweep(t *testing.T) {
	for name, run := range map[string]func(*testing.T, *redis.Client){
		"sweep": func(t *testing.T, rdb *redis.Client) {
			for _, want := range []int{700, 0} {
				repaired, err := sweep(t.Context(), rdb, keyPrefix+"*", window)
				if err != nil || repaired != want {
					t.Fatalf("repaired %d, %v; want %d", repaired, err, want)
				}
			}
		},
		"shell": shell,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, rdb := t.Context(), labtest.Open(t).Redis()
			_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
				for n := range 700 {
					p.Set(ctx, keyPrefix+fmt.Sprintf("leaked%d", n), 1, 0)
				}
				p.Set(ctx, keyPrefix+"healthy", 1, time.Hour)
				p.Set(ctx, "rl:search:other", 1, 0)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if keys, leaked, err := census(ctx, rdb, keyPrefix+"*"); err != nil || keys != 701 || len(leaked) != 700 || slices.Contains(leaked, keyPrefix+"healthy") {
				t.Fatalf("before: %d keys, %d leaked, %v", keys, len(leaked), err)
			}
			run(t, rdb)
			if keys, leaked, err := census(ctx, rdb, keyPrefix+"*"); err != nil || keys != 701 || len(leaked) > 0 {
				t.Errorf("after: %d keys, %d leaked, %v", keys, len(leaked), err)
			}
			if ttl := rdb.TTL(ctx, keyPrefix+"healthy").Val(); ttl <= window {
				t.Errorf("the healthy key's hour was shortened to %v", ttl)
			}
			if ttl := rdb.TTL(ctx, "rl:search:other").Val(); ttl != -1 {
				t.Errorf("another limiter's key has TTL %v", ttl)
			}
		})
	}
}

// shell runs the lesson's own line, with redis-cli sent to the test's Redis.
func shell(t *testing.T, rdb *redis.Client) {
	if _, err := exec.LookPath("redis-cli"); err != nil {
		t.Skip("needs redis-cli on PATH")
	}
	lesson, err := os.ReadFile("../../content/distributed-rate-limiter.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^redis-cli --scan .*EXPIRE .*$`).FindString(string(lesson))
	if line == "" {
		t.Fatal("the lesson has no sweep for a shell")
	}
	host, port, _ := strings.Cut(rdb.Options().Addr, ":")
	line = strings.ReplaceAll(line, "redis-cli", "redis-cli -h "+host+" -p "+port)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env = append(os.Environ(), "REDISCLI_AUTH="+rdb.Options().Password)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
}
