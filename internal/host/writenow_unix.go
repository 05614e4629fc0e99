//go:build unix

package host

import (
	"context"
	"errors"
	"net"
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
	// Created once: a new closure for each write would be an allocation.
	w.call = func(fd uintptr) bool {
		w.n, w.err = syscall.Write(int(fd), w.bytes)
		return true
	}
	return w
}

// write writes as much as there is room for, and returns how much that was.
func (w *directWriter) write(conn syscall.RawConn, b []byte) (int, error) {
	// If the connection is closed, the function is not called.
	w.bytes, w.n, w.err = b, 0, nil
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

// write writes all of b to a connection. Only the writes themselves take a turn: while
// it waits for the client to read, it has none.
func (t *fairSemaphore) write(ctx context.Context, caller string, _ net.Conn, raw syscall.RawConn, b []byte) (n int, err error) {
	waited := raw.Write(func(fd uintptr) bool {
		for n < len(b) {
			if err = t.acquire(ctx, caller); err != nil {
				return true
			}
			var more int
			more, err = syscall.Write(int(fd), b[n:])
			t.release()
			switch {
			case errors.Is(err, syscall.EAGAIN):
				err = nil
				return false
			case err != nil && !errors.Is(err, syscall.EINTR):
				return true
			}
			n += max(more, 0)
		}
		return true
	})
	return n, errors.Join(waited, err)
}
