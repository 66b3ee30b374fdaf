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

// behindFence starts a program so that it may not send signals to this process,
// to the guard, or to every process at once: the kernel ends a program that
// tries, with SIGSYS. Where there is no such filter it starts the program
// plainly.
func behindFence(start func() error) error {
	thread := fenceThread()
	if thread == nil {
		return start()
	}
	done := make(chan error, 1)
	thread <- func() { done <- start() }
	return <-done
}

// fenceThread returns where functions run on a thread that has the filter, which
// all programs inherit that it starts. It is nil where the kernel has none.
var fenceThread = sync.OnceValue(func() chan<- func() {
	jobs, ready := make(chan func()), make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: no other goroutine may run here
		err := installFence()
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

// auditArch is how the kernel names the processor whose system calls a filter
// sees.
var auditArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// The places in the kernel's seccomp_data, low halves of arguments on a
// little-endian processor.
const (
	atNumber = 0
	atArch   = 4
	atFirst  = 16
	atSecond = 24
)

// installFence installs the filter on the calling thread.
func installFence() error {
	if auditArch == 0 {
		return errors.New("no filter for this processor")
	}
	filter := fence(fenced())
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
	if errors.Is(err, syscall.EACCES) { // without privileges: programs give up gaining any
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return err
		}
		err = set()
	}
	return err
}

// fenced lists whom a program may not signal, as kill takes them.
func fenced() []int32 {
	whom := []int32{int32(os.Getpid()), -int32(unix.Getpgrp()), -1}
	if g := theGuard(); g != nil {
		whom = append(whom, int32(g.pid), -int32(g.pid)) // it leads its own group
	}
	return whom
}

// fence returns the filter's program.
func fence(whom []int32) []unix.SockFilter {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	// is jumps so many instructions forward where the loaded word is k, or is not.
	is := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	answer := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	allow := answer(unix.SECCOMP_RET_ALLOW)
	filter := []unix.SockFilter{load(atArch), is(auditArch, 1, 0), allow}
	// A call that is not number goes on behind the block for it.
	add := func(number uint32, block []unix.SockFilter) {
		filter = append(filter, load(atNumber), is(number, 0, uint8(len(block))))
		filter = append(filter, block...)
	}
	targets := func(verdict uint32) (block []unix.SockFilter) {
		block = append(block, load(atFirst))
		for i, pid := range whom {
			block = append(block, is(uint32(pid), uint8(len(whom)-i), 0))
		}
		return append(block, allow, answer(verdict))
	}
	// Signal 0 asks whether a process lives, and is allowed.
	signals := append([]unix.SockFilter{load(atSecond), is(0, 0, 1), allow}, targets(unix.SECCOMP_RET_KILL_PROCESS)...)
	add(unix.SYS_KILL, signals)
	add(unix.SYS_TKILL, signals)
	add(unix.SYS_RT_SIGQUEUEINFO, signals)
	add(unix.SYS_TGKILL, targets(unix.SECCOMP_RET_KILL_PROCESS))
	add(unix.SYS_RT_TGSIGQUEUEINFO, targets(unix.SECCOMP_RET_KILL_PROCESS))
	add(unix.SYS_PIDFD_OPEN, targets(unix.SECCOMP_RET_ERRNO|uint32(syscall.EPERM)))
	return append(filter, allow)
}

// HitFence reports whether a program was ended because it sent a signal to the
// build, to its guard, or to every process.
func (r Result) HitFence() bool { return r.Signal == syscall.SIGSYS }
