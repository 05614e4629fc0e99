//go:build unix

package host

import (
	"math"
	"syscall"
)

// descriptors is how many files and connections the process may have open at once.
// The Go runtime has raised the limit as far as it may.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt32
	}
	return int(min(uint64(limit.Cur), math.MaxInt32)) //nolint:unconvert // some systems have int64
}
