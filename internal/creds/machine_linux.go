package creds

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is how much the priority of a derivation is below the rest of the
// process: at a difference of 5 the scheduler gives it a third of the time of the
// others if both need the same processor (sched(7): each step is a factor of about
// 1.25), and an otherwise idle processor completely. At the same priority, replies
// during registrations took 1.7 times as long at p99 (bench/RESULTS.md, "Siege").
const niceness = 5

// inBackground runs f on a thread of lower priority and returns when it has ended.
// The thread ends with it, because its priority cannot be raised again without
// privileges.
func inBackground(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		runtime.LockOSThread() // without UnlockOSThread, so that the thread ends
		// On Linux each thread has its own priority; 0 stands for the calling thread. The
		// system call returns 20 less the niceness.
		if priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, 0, min(20-priority+niceness, 19))
		}
		f()
	}()
	<-over
}

// systemMemory returns n bytes outside the heap. It requests large pages:
// derivations access the memory in random order, and each small page costs a fault
// at its first use and an entry in the processor's address cache (TLB) later. If
// the system has no large pages, small ones work as well.
func systemMemory(n int) ([]byte, error) {
	memory, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("get %d bytes: %w", n, err)
	}
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	return memory, nil
}

// returnMemory returns memory of systemMemory to the system. It can only fail for
// other memory.
func returnMemory(memory []byte) { _ = unix.Munmap(memory) }
