package proc

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// startFiltered calls start, which starts a program, on a thread with a seccomp
// filter that the program inherits. The kernel kills the program with SIGSYS if
// it sends a signal to this process, to the watchdog, or to every process at
// once. Where the kernel has no such filter, startFiltered only calls start. It
// returns the error of start.
func startFiltered(start func() error) error {
	thread := filteredThread()
	if thread == nil {
		return start()
	}
	done := make(chan error, 1)
	thread <- func() { done <- start() }
	return <-done
}

// filteredThread returns a channel of functions that run on one thread that has
// the filter. It returns nil if the filter cannot be installed.
var filteredThread = sync.OnceValue(func() chan<- func() {
	jobs, ready := make(chan func()), make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: no other goroutine may run here
		err := installSignalFilter()
		ready <- err
		for err == nil {
			(<-jobs)()
		}
	}()
	if <-ready != nil {
		return nil
	}
	return jobs
})

// auditArch is the kernel's number of this processor's system call interface, or
// 0 for a processor that the filter is not written for.
var auditArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// Byte offsets in the kernel's seccomp_data. Those of arguments are of their low
// halves, on a little-endian processor.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetFirst  = 16
	offsetSecond = 24
	offsetThird  = 32
)

// installSignalFilter installs the filter on the calling thread.
func installSignalFilter() error {
	if auditArch == 0 {
		return errors.New("no filter for this processor")
	}
	filter := signalFilter(protectedTargets())
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	set := func() error {
		_, _, errno := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER,
			uintptr(unsafe.Pointer(&program)), 0, 0, 0)
		if errno != 0 {
			return errno
		}
		return nil
	}
	err := set()
	if errors.Is(err, syscall.EACCES) { // without privileges the filter needs no_new_privs
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
		err = set()
	}
	return err
}

// protectedTargets returns the arguments of kill(2) that a program may not use.
func protectedTargets() []int32 {
	targets := []int32{int32(os.Getpid()), -int32(unix.Getpgrp()), -1}
	if w := startWatchdog(); w != nil {
		targets = append(targets, int32(w.pid), -int32(w.pid)) // it leads its own group
	}
	return targets
}

// signalFilter returns the BPF program of the filter that protects targets.
func signalFilter(targets []int32) []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	// is skips yes instructions if the loaded word is k, and no instructions if not.
	is := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	verdict := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	allow := verdict(unix.SECCOMP_RET_ALLOW)
	filter := []unix.SockFilter{load(offsetArch), is(auditArch, 1, 0), allow}
	// add appends the block for one system call; every other call skips it.
	add := func(number uint32, block []unix.SockFilter) {
		filter = append(filter, load(offsetNumber), is(number, 0, uint8(len(block))))
		filter = append(filter, block...)
	}
	denyTargets := func(k uint32) (block []unix.SockFilter) {
		block = append(block, load(offsetFirst))
		for i, pid := range targets {
			block = append(block, is(uint32(pid), uint8(len(targets)-i), 0))
		}
		return append(block, allow, verdict(k))
	}
	// Signal 0 only checks that a process exists, so it is allowed.
	signals := append([]unix.SockFilter{load(offsetSecond), is(0, 0, 1), allow}, denyTargets(unix.SECCOMP_RET_KILL_PROCESS)...)
	add(unix.SYS_KILL, signals)
	add(unix.SYS_TKILL, signals)
	add(unix.SYS_RT_SIGQUEUEINFO, signals)
	// The Go runtime stops its own threads with SIGURG, also from this thread, before
	// the program is started. Every Go program ignores that signal otherwise.
	threads := append([]unix.SockFilter{load(offsetThird), is(uint32(unix.SIGURG), 0, 1), allow}, denyTargets(unix.SECCOMP_RET_KILL_PROCESS)...)
	add(unix.SYS_TGKILL, threads)
	add(unix.SYS_RT_TGSIGQUEUEINFO, denyTargets(unix.SECCOMP_RET_KILL_PROCESS))
	add(unix.SYS_PIDFD_OPEN, denyTargets(unix.SECCOMP_RET_ERRNO|uint32(syscall.EPERM)))
	return append(filter, allow)
}

// KilledByFilter reports whether the signal filter killed the program because it
// sent a signal to the build, to its watchdog, or to every process.
func (r Result) KilledByFilter() bool { return r.Signal == syscall.SIGSYS }
