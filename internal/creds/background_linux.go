package creds

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// niceness is how much the priority of a derivation is below the rest of the
// process: at a difference of 5 the scheduler gives it a third of the time of the
// others if both need the same processor (sched(7): each step is a factor of about
// 1.25), and an otherwise idle processor completely. At the same priority, other writes
// took three times as long while accounts were created.
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
