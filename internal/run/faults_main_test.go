//go:build unix

package run

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"verbatim/internal/lesson"
	"verbatim/internal/proc"
	"verbatim/internal/record"
	"verbatim/internal/service"
)

// TestMain lets this binary be a supervisor, and the programs of examples.
func TestMain(m *testing.M) {
	proc.Supervise(nil)
	if len(os.Args) >= 3 && os.Args[1] == "test-example" {
		os.Exit(testExample(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// programs are examples, each with a Redis of its own.
var programs = map[string]func(ctx context.Context, c *redis.Client, args []string) error{
	"probe":    probe,
	"shutdown": shutdown,
	"sigkill":  sigkill,
	"wait":     wait,
	"control":  control,
	"cluster":  cluster,
	"run_id":   runID,
}

func testExample(name string, args []string) int {
	o, err := redis.ParseURL(os.Getenv("REDIS_URL"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	o.MaxRetries = -1
	o.DialerRetries = 1
	c := redis.NewClient(o)
	defer c.Close()
	if err := programs[name](context.Background(), c, args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// probe prints all that an earlier example could have left, and leaves it.
func probe(ctx context.Context, c *redis.Client, args []string) error {
	own := args[0]
	for _, command := range [][]any{
		{"GET", "shared"}, {"DBSIZE"}, {"CONFIG", "GET", "maxmemory"}, {"ACL", "USERS"}, {"FUNCTION", "LIST"},
		{"SET", "shared", own}, {"INCR", "count"}, {"GET", "shared"},
		{"CONFIG", "SET", "maxmemory", 100_000_000 + len(own)}, {"ACL", "SETUSER", own, "on", "nopass", "+@all"},
		{"FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)"},
	} {
		reply, err := c.Do(ctx, command...).Result()
		if err != nil && err != redis.Nil {
			return fmt.Errorf("%v: %w", command, err)
		}
		fmt.Println(command[0], reply)
	}
	return nil
}

// shutdown ends its Redis by a command.
func shutdown(ctx context.Context, c *redis.Client, _ []string) error {
	fmt.Println("gone:", c.Do(ctx, "SHUTDOWN", "NOSAVE").Err() != nil && c.Ping(ctx).Err() != nil)
	return nil
}

// sigkill kills the process that its Redis is.
func sigkill(ctx context.Context, c *redis.Client, _ []string) error {
	pid, err := processID(ctx, c)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	for c.Ping(ctx).Err() == nil {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("gone: true")
	return nil
}

// runID prints what names a server for as long as it lives.
func runID(ctx context.Context, c *redis.Client, _ []string) error {
	info, err := c.InfoMap(ctx, "server").Result()
	fmt.Println(info["Server"]["run_id"])
	return err
}

func processID(ctx context.Context, c *redis.Client) (int, error) {
	info, err := c.InfoMap(ctx, "server").Result()
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(info["Server"]["process_id"])
	if err == nil && pid < 2 {
		err = fmt.Errorf("INFO says process_id %d", pid)
	}
	return pid, err
}

// control does something to its Redis through the control URL.
func control(_ context.Context, _ *redis.Client, args []string) error {
	res, err := http.Post(os.Getenv("VERBATIM_CONTROL")+"/"+args[0], "", nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	fmt.Println(res.StatusCode)
	return nil
}

// cluster fills the nodes of its cluster, which it reaches through one of them.
func cluster(ctx context.Context, _ *redis.Client, _ []string) error {
	o, err := redis.ParseClusterURL(os.Getenv("REDIS_URL"))
	if err != nil {
		return err
	}
	c := redis.NewClusterClient(o)
	defer c.Close()
	before, err := c.DBSize(ctx).Result()
	if err != nil {
		return err
	}
	for i := range 30 {
		if err := c.Set(ctx, strconv.Itoa(i), i, 0).Err(); err != nil {
			return err
		}
	}
	after, err := c.DBSize(ctx).Result()
	fmt.Printf("keys before %d\nkeys after %d\n", before, after)
	return err
}

// wait writes the process id of its Redis into the file that it is given, then
// waits until that no longer answers, and fails as any example would.
func wait(ctx context.Context, c *redis.Client, args []string) error {
	pid, err := processID(ctx, c)
	if err != nil {
		return err
	}
	aside := args[0] + ".new"
	if err := os.WriteFile(aside, []byte(strconv.Itoa(pid)), 0o600); err != nil {
		return err
	}
	if err := os.Rename(aside, args[0]); err != nil {
		return err
	}
	for {
		if err := c.Ping(ctx).Err(); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// example is one of the programs above.
func example(id string, args ...string) lesson.Example {
	return command(id, "redis", append([]string{os.Args[0], "test-example"}, args...)...)
}

// command is an example that is any program.
func command(id, needs string, args ...string) lesson.Example {
	return lesson.Example{
		ID: id, Dir: "examples/" + id, RecordDir: "examples/" + id + "/recorded",
		Run: args, Needs: needs, Timeout: 30 * time.Second,
	}
}

// newPool returns a pool for a site with these examples.
func newPool(t testing.TB, source *service.Source, workers int, examples ...lesson.Example) *Pool {
	t.Helper()
	root := t.TempDir()
	for _, e := range examples {
		must(t, os.MkdirAll(filepath.Join(root, e.Dir), 0o755))
	}
	return &Pool{Root: root, Cache: filepath.Join(root, ".cache"), Source: source, Workers: workers}
}

// runAll runs each example once, as a check does.
func runAll(t testing.TB, p *Pool, examples ...lesson.Example) []Outcome {
	t.Helper()
	outcomes, err := p.Run(t.Context(), jobsOf(examples))
	must(t, err)
	return outcomes
}

func jobsOf(examples []lesson.Example) []Job {
	jobs := make([]Job, len(examples))
	for i, e := range examples {
		jobs[i] = Job{Example: e}
	}
	return jobs
}

// printed is what an example printed, or how it failed.
func printed(o Outcome) string {
	if o.Failure != nil {
		return o.Failure.Text + "\n" + o.Failure.Hint
	}
	return strings.Join(record.Lines(o.First.Output), "\n")
}

// redisSource opens a source of real Redis processes, or of containers.
func redisSource(t testing.TB, kind, image string) *service.Source {
	t.Helper()
	if kind == "process" {
		need(t, "redis", "redis-server")
	}
	s, err := service.Open(t.Context(), service.Options{Kind: kind, Image: image, Cache: t.TempDir()})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// need skips a test for want of a program, or fails it where VERBATIM_REQUIRE
// names what it is for.
func need(t testing.TB, part, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	lacking(t, part, program+" is not on PATH")
}

func lacking(t testing.TB, part, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("VERBATIM_REQUIRE"), ","), part) {
		t.Fatalf("VERBATIM_REQUIRE names %s, but %s", part, why)
	}
	t.Skipf("needs %s: %s", part, why)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
