//go:build unix

package run

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"verbatim/internal/lesson"
)

// Examples that write the same keys, settings, users and functions see nothing
// of each other: every order and every number of workers gives the same lines.
func TestExamplesAreIsolated(t *testing.T) {
	source := redisSource(t, "process", "")
	var examples []lesson.Example
	for i := range 8 {
		id := fmt.Sprintf("example%d", i)
		examples = append(examples, example(id, "probe", id))
	}
	want := map[string]string{}
	random := rand.New(rand.NewPCG(1, 2))
	for _, workers := range []int{1, 4, 1, 4} {
		for _, o := range runAll(t, newPool(t, source, workers, examples...), examples...) {
			id, got := o.Example.ID, printed(o)
			if want[id] == "" {
				want[id] = got
			}
			if got != want[id] || o.Failure != nil {
				t.Errorf("%d workers: %s printed\n%s\nwant\n%s", workers, id, got, want[id])
			}
		}
		random.Shuffle(len(examples), func(i, j int) { examples[i], examples[j] = examples[j], examples[i] })
	}
	const found = "GET <nil>\nDBSIZE 0\nCONFIG map[maxmemory:0]\nACL [default]\nFUNCTION []\nSET OK\nINCR 1\nGET example3\n"
	if got := want["example3"]; !strings.HasPrefix(got, found) {
		t.Errorf("example3 printed\n%s\nwant it to begin with\n%s", got, found)
	}
}

// The control URL and the Redis of an example are of no use when it has ended.
func TestControlEndsWithTheExample(t *testing.T) {
	source := redisSource(t, "process", "")
	e := command("x", "redis", "sh", "-c", "echo $VERBATIM_CONTROL")
	control := printed(runAll(t, newPool(t, source, 1, e), e)[0])
	if !strings.HasPrefix(control, "http://127.0.0.1:") {
		t.Fatalf("the control URL is %q", control)
	}
	res, err := http.Post(control+"/stop", "", nil)
	if err == nil {
		res.Body.Close()
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("after the example's end: %v, want connection refused", err)
	}
}

// A cluster serves one example after the other, beside a single Redis, as new
// each time.
func TestClusterExamples(t *testing.T) {
	source := redisSource(t, "process", "")
	var examples []lesson.Example
	for i := range 3 {
		e := example(fmt.Sprintf("cluster%d", i), "cluster")
		e.Needs = "redis-cluster"
		examples = append(examples, e, example(fmt.Sprintf("single%d", i), "probe", "single"))
	}
	for _, o := range runAll(t, newPool(t, source, 1, examples...), examples...) {
		if o.Example.Needs != "redis-cluster" {
			continue
		}
		if got, want := printed(o), "keys before 0\nkeys after 30"; got != want {
			t.Errorf("%s printed\n%s\nwant\n%s", o.Example.ID, got, want)
		}
	}
}

// Where examples need no service none is started, and none is offered.
func TestNeedsNone(t *testing.T) {
	var examples []lesson.Example
	for i := range 5 {
		examples = append(examples, command(fmt.Sprintf("x%d", i), "none", "sh", "-c", "echo ${REDIS_URL-none} ${VERBATIM_CONTROL-none}"))
	}
	for _, o := range runAll(t, newPool(t, nil, 3, examples...), examples...) {
		if got := printed(o); got != "none none" {
			t.Errorf("%s printed %q", o.Example.ID, got)
		}
	}
}
