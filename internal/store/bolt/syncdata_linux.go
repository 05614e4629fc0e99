package bolt

import (
	"errors"
	"os"
	"syscall"
)

// syncData puts written data of a file on stable storage, without the times in its
// metadata.
func syncData(file *os.File) error {
	for {
		if err := syscall.Fdatasync(int(file.Fd())); !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
