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

// watchdogName is the watchdog's os.Args[0].
const watchdogName = "verbatim-watchdog"

// watchdog is a process that cleans up after this one if it is killed. It is this
// same executable, started again in its own session and outside of every cgroup
// that programs are put in. It reads from a pipe whose other end only this
// process has. When the pipe closes, it kills all processes in the cgroups of
// this process and removes its containers.
type watchdog struct {
	pid      int
	lifeline *os.File // the writing end of the pipe
}

// startWatchdog starts the watchdog at its first call, and returns it. If the
// watchdog cannot be started it returns nil; then the next build's Sweep cleans up.
var startWatchdog = sync.OnceValue(func() *watchdog {
	watched, lifeline, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer watched.Close()
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{watchdogName, Owner(), ownCgroup()},
		Dir: "/", Env: os.Environ(), ExtraFiles: []*os.File{watched},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		lifeline.Close()
		return nil
	}
	go func() { _ = cmd.Wait() }() // it ends when this process does
	return &watchdog{cmd.Process.Pid, lifeline}
})

// RegisterContainers makes the watchdog remove this process's containers from a
// container engine if this process is killed. engine is the engine's address, as
// DOCKER_HOST names it. The caller calls unregister when it has removed the
// containers itself.
func RegisterContainers(engine string) (unregister func()) {
	w := startWatchdog()
	if w == nil {
		return func() {}
	}
	fmt.Fprintf(w.lifeline, "open %s\n", engine) // fails only if the watchdog was killed
	return sync.OnceFunc(func() { fmt.Fprintf(w.lifeline, "closed %s\n", engine) })
}

const (
	removeFor   = 4 * time.Second // an engine may still be making a container when the build dies
	removeEvery = 250 * time.Millisecond
)

// runWatchdog waits until the build with this owner has ended, kills the
// processes in its cgroups below the cgroup cgroups, and calls removeContainers
// for each registered engine.
func runWatchdog(owner, cgroups string, removeContainers func(engine, owner string)) {
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
	killCgroups(owner, cgroups)
	var wg sync.WaitGroup
	for engine, open := range engines {
		if open <= 0 || removeContainers == nil {
			continue
		}
		wg.Go(func() {
			for until := time.Now().Add(removeFor); time.Now().Before(until); time.Sleep(removeEvery) {
				removeContainers(engine, owner)
			}
		})
	}
	wg.Wait()
	killCgroups(owner, cgroups) // one may have been made while the build died
}

// killCgroups kills all processes in the cgroups of an owner below parent, and
// removes these cgroups.
func killCgroups(owner, parent string) {
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
