//go:build unix

package host

import (
	"errors"
	"syscall"
)

// directWriter writes to connections without waiting for room in their queues. It is
// used by one goroutine.
type directWriter struct {
	bytes []byte
	n     int
	err   error
	call  func(fd uintptr) bool
}

func newDirectWriter() *directWriter {
	w := &directWriter{}
	// Made once: a new one for each write would be an allocation.
	w.call = func(fd uintptr) bool {
		w.n, w.err = syscall.Write(int(fd), w.bytes)
		return true
	}
	return w
}

// write writes as much as there is room for, and returns how much that was.
func (w *directWriter) write(conn syscall.RawConn, b []byte) (int, error) {
	w.bytes = b
	err := conn.Write(w.call)
	w.bytes = nil
	if err == nil {
		err = w.err
	}
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR) {
		return 0, nil
	}
	return max(w.n, 0), err
}
