//go:build unix

package run

import (
	"cmp"
	"os"
	"testing"
)

// The second run of an example has another server than the first: what one
// server does the same way for as long as it lives differs between them.
func TestSecondRunHasAnotherServer(t *testing.T) {
	for _, kind := range []string{"process", "container"} {
		t.Run(kind, func(t *testing.T) {
			source := redisSource(t, kind, cmp.Or(os.Getenv("VERBATIM_REDIS_IMAGE"), "redis:7.0.15"))
			for _, needs := range []string{"redis", "redis-cluster"} {
				e := example("id", "run_id")
				e.Needs = needs
				for _, workers := range []int{1, 2} {
					for _, o := range runAll(t, newPool(t, source, workers, e, e), e, e) {
						if o.Failure != nil || o.Second == nil || o.Nondeterministic() == "" {
							t.Errorf("%s, %d workers: both runs had the server %q: %+v", needs, workers, printed(o), o.Failure)
						}
					}
				}
			}
		})
	}
}

// A fault of the machine is an error, and a fault in a Go file a problem.
func TestMachineFault(t *testing.T) {
	for line, machine := range map[string]bool{
		"mkdir /x: no space left on device":                                       true,
		"go: write /x/_pkg_.a: disk quota exceeded":                               true,
		"/usr/lib/go/pkg/tool/linux_amd64/compile: signal: killed":                true,
		"go: open /x: too many open files":                                        true,
		"link: mapping output file failed: no space left on device":               true,
		"go build: mkdir /x: read-only file system":                               true,
		"fork/exec /x/compile: cannot allocate memory":                            true,
		"/x/link: running gcc failed: write /x: input/output error":               true,
		`examples/x/main.go:3:8: undefined: no space left on device`:              false,
		`./examples/x/main.go:7:2: "cannot allocate memory" (constant) is unused`: false,
		"# site.example/examples/x":                                               false,
		"examples/x/main.go:3:1: expected declaration":                            false,
	} {
		if got := machineFault("# site.example/examples/x\n"+line+"\n") != ""; got != machine {
			t.Errorf("%s: the machine's fault: %t", line, got)
		}
	}
}
