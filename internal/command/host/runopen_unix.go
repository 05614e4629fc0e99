//go:build unix

package host

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// standardError is its number in every process.
const standardError = 2

const noFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// ownFile reports whether a file belongs to this user, and has no other name.
func ownFile(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid() && stat.Nlink == 1
}

// trustedOwner reports whether a folder belongs to this user or to the administrator.
func trustedOwner(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == os.Geteuid() || stat.Uid == 0)
}

// takeStderr makes a file the standard error of the process, for messages of the runtime.
func takeStderr(file *os.File) error {
	if err := unix.Dup2(int(file.Fd()), standardError); err != nil {
		return fmt.Errorf("write to the log: %w", err)
	}
	return nil
}
