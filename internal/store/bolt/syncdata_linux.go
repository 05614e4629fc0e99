package bolt

import (
	"os"
	"syscall"
)

// syncData puts what was written to a file on stable storage, without the times in
// its metadata.
func syncData(file *os.File) error {
	for {
		err := syscall.Fdatasync(int(file.Fd())) //nolint:gosec // a descriptor is a small number
		if err != syscall.EINTR {                //nolint:errorlint // the system's own error
			return err
		}
	}
}
