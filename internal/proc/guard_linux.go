package proc

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const guardName = "verbatim-guard"

// guard is a process that ends what this one leaves when it is killed. It is this
// same executable, started again in a session of its own and outside of every
// cgroup that programs are put in. It holds one end of a pipe: when the other
// end, which this process alone has, is closed, it kills what is in the cgroups
// of this process, and removes its containers.
type guard struct {
	pid      int
	lifeline *os.File
}

// theGuard starts the guard when the first program starts. Where that is not
// possible there is none, and the next build's Sweep does its work.
var theGuard = sync.OnceValue(func() *guard {
	watched, lifeline, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer watched.Close()
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{guardName, Owner(), ownCgroup()},
		Dir: "/", Env: os.Environ(), ExtraFiles: []*os.File{watched},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		lifeline.Close()
		return nil
	}
	go func() { _ = cmd.Wait() }() // it ends when this process does
	return &guard{cmd.Process.Pid, lifeline}
})

// Containers says that containers of this process may be at an engine from now
// on, which the guard removes if this process is killed. The result is called
// when there are none any more.
func Containers(engine string) (none func()) {
	g := theGuard()
	if g == nil {
		return func() {}
	}
	fmt.Fprintf(g.lifeline, "open %s\n", engine) // a guard that was killed is none
	return sync.OnceFunc(func() { fmt.Fprintf(g.lifeline, "closed %s\n", engine) })
}

const (
	guardFor   = 4 * time.Second // after the build's death: an engine may still be making a container
	guardEvery = 250 * time.Millisecond
)

// watch waits for the end of a build and ends what it left.
func watch(owner, cgroups string, removeContainers func(engine, owner string)) {
	engines := map[string]int{}
	lifeline := os.NewFile(3, "lifeline")
	for lines := bufio.NewScanner(lifeline); lines.Scan(); {
		switch word, engine, _ := strings.Cut(lines.Text(), " "); word {
		case "open":
			engines[engine]++
		case "closed":
			engines[engine]--
		}
	}
	endCgroups(owner, cgroups)
	var wg sync.WaitGroup
	for engine, open := range engines {
		if open <= 0 || removeContainers == nil {
			continue
		}
		wg.Go(func() {
			for until := time.Now().Add(guardFor); time.Now().Before(until); time.Sleep(guardEvery) {
				removeContainers(engine, owner)
			}
		})
	}
	wg.Wait()
	endCgroups(owner, cgroups) // one may have been made while the build died
}

// endCgroups kills what is in the cgroups of an owner and removes them.
func endCgroups(owner, parent string) {
	if parent == "" {
		return
	}
	found, _ := filepath.Glob(filepath.Join(parent, cgroupPrefix+owner+"-*")) // the pattern is well formed
	for _, dir := range found {
		_ = cgroup(dir).kill() // all first: removing one may take a moment
	}
	for _, dir := range found {
		_ = cgroup(dir).remove() // the next build's sweep tries again
	}
}
