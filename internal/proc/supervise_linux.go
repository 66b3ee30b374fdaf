package proc

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const supervisorName = "verbatim-supervisor"

// supervising is true once Supervise was called: an executable that does not
// call it would run its own main again in place of a supervisor, without end.
var supervising bool

// Supervise must be the first call of main, and of TestMain where a test starts
// programs. In a process that was started as a supervisor or as a watchdog it does
// that work and does not return; elsewhere it returns at once. The watchdog calls
// removeContainers, which may be nil, for each engine that RegisterContainers was
// called with; it removes the containers that have owner as a label.
func Supervise(removeContainers func(engine, owner string)) {
	supervising = true
	if os.Args[0] == watchdogName && len(os.Args) == 3 {
		runWatchdog(os.Args[1], os.Args[2], removeContainers)
		syscall.Exit(0)
	}
	if os.Args[0] != supervisorName || len(os.Args) < 3 {
		return
	}
	code := supervise(os.Args[1], os.Args[2:])
	// Not os.Exit: its hooks would write coverage warnings into the program's
	// standard error.
	syscall.Exit(code)
}

// supervise runs a program to its end, kills what it leaves, and returns the
// code to exit with.
func supervise(path string, argv []string) int {
	lifeline, status := os.NewFile(3, "lifeline"), os.NewFile(4, "status")
	closeOnExec()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return failed(status, err)
	}
	// Caught, not ignored: ignoring is inherited. A stray signal must not end
	// the supervisor before the programs that it supervises.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	// A program that kills its supervisor dies with it. The kernel means the
	// thread that started it, so this one must stay.
	runtime.LockOSThread()
	pid, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return failed(status, err)
	}
	fmt.Fprintf(status, "started %d\n", pid)

	g := &group{id: pid}
	go g.obey(lifeline)
	end := g.reap()
	killOrphans()
	if end.Signaled() {
		fmt.Fprintf(status, "signalled %d\n", int(end.Signal()))
		return 128 + int(end.Signal())
	}
	fmt.Fprintf(status, "exited %d\n", end.ExitStatus())
	return end.ExitStatus()
}

func failed(status *os.File, err error) int {
	errno := syscall.EIO
	errors.As(err, &errno)
	fmt.Fprintf(status, "failed %d\n", int(errno))
	return 126
}

// closeOnExec keeps every file but standard input, output and error from the
// program: its own pipes, and what the build was itself given by its parent.
func closeOnExec() {
	if unix.CloseRange(3, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	fds, err := os.ReadDir("/proc/self/fd") // kernels before 5.11
	if err != nil {
		unix.CloseOnExec(3)
		unix.CloseOnExec(4)
		return
	}
	for _, fd := range fds {
		if n, err := strconv.Atoi(fd.Name()); err == nil && n > 2 {
			unix.CloseOnExec(n)
		}
	}
}

// group is the program's process group, until the program has been reaped and
// its number may belong to another.
type group struct {
	id     int
	mu     sync.Mutex
	reaped bool
}

func (g *group) signal(sig syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.reaped {
		return
	}
	_ = syscall.Kill(-g.id, sig) // it may have ended meanwhile
	if sig == syscall.SIGKILL {
		_ = syscall.Kill(g.id, sig) // it may have moved to another group
	}
}

// obey passes on the signals that come down the lifeline, and kills when it
// ends. The build need not be alive for that.
func (g *group) obey(lifeline *os.File) {
	var sig [1]byte
	for {
		if _, err := lifeline.Read(sig[:]); err != nil {
			g.signal(syscall.SIGKILL)
			return
		}
		g.signal(syscall.Signal(sig[0]))
	}
}

// reap waits for the program, and meanwhile for every orphan that ends.
func (g *group) reap() syscall.WaitStatus {
	for {
		var info unix.Siginfo
		// Look first and reap under the lock, so that no signal can go to a
		// number that was given away in between.
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if end, ended := g.collect(); ended {
			return end
		}
	}
}

// collect reaps what has ended and reports whether the program was among it.
func (g *group) collect() (end syscall.WaitStatus, ended bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if pid == g.id {
			g.reaped = true
			return status, true
		}
		if pid <= 0 {
			return 0, false
		}
	}
}

// killOrphans kills what the program left. Children of the killed become ours
// in turn, so it goes on until there is none, or until time is up: a process
// may hang in the kernel.
func killOrphans() {
	self := os.Getpid()
	for until := time.Now().Add(patience / 2); time.Now().Before(until); time.Sleep(time.Millisecond) {
		for {
			pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			if errors.Is(err, syscall.ECHILD) {
				return
			}
			if pid <= 0 {
				break
			}
		}
		killAll(below(self))
	}
}

// killBelow kills what another process started until nothing of it is left to
// be found, or until time is up.
func killBelow(leader int) {
	for until := time.Now().Add(patience / 2); time.Now().Before(until); time.Sleep(time.Millisecond) {
		pids := below(leader)
		if len(pids) == 0 {
			return
		}
		killAll(pids)
	}
}

func killAll(pids []int) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
	}
}
