package creds

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is how much less urgent a derivation is than the rest of the process: at a
// difference of 5 the scheduler gives it a third of what it gives the others where both
// want the same processor (sched(7): each step is a factor of about 1.25), and all of a
// processor that nobody else wants. At the same priority replies among registrations
// took 1.7 times as long at p99 (bench/RESULTS.md, "Siege").
const niceness = 5

// inBackground runs f on a thread of lower priority and returns when it is over. The
// thread ends with it, because without privileges nothing can raise its priority again.
func inBackground(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		runtime.LockOSThread() // without UnlockOSThread, so that the thread ends
		// Linux keeps a priority for each thread, which 0 names. The system call returns
		// 20 less the niceness.
		if priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, 0, min(20-priority+niceness, 19))
		}
		f()
	}()
	<-over
}

// systemMemory returns n bytes that are not part of the heap. It asks for large pages:
// derivations need them in no order, and each small page costs a fault when it is first
// used and an entry of the processor's table of addresses later. If the system has
// none to give, the memory works as well.
func systemMemory(n int) ([]byte, error) {
	memory, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("get %d bytes: %w", n, err)
	}
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	return memory, nil
}

// returnMemory gives memory of systemMemory back. It can only fail for other memory.
func returnMemory(memory []byte) { _ = unix.Munmap(memory) }
