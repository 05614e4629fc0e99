package creds

import "golang.org/x/sys/unix"

// inHugePages asks the system for large pages behind memory that was not used yet:
// its pages are needed in no order, and each small one costs a fault when it is first
// used and an entry of the processor's table of addresses later. Where the system has
// none to give the memory is as good as before.
func inHugePages(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
