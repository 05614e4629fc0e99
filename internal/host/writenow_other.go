//go:build !unix

package host

import (
	"context"
	"net"
	"syscall"
)

// directWriter is for systems without writes that do not wait.
type directWriter struct{}

func newDirectWriter() *directWriter { return &directWriter{} }

// write writes nothing: the stream's goroutine does it instead.
func (*directWriter) write(syscall.RawConn, []byte) (int, error) { return 0, nil }

// write writes all of b to a connection in one turn.
func (t *fairSemaphore) write(ctx context.Context, caller string, conn net.Conn, _ syscall.RawConn, b []byte) (int, error) {
	end, err := t.acquireShort(ctx, caller)
	if err != nil {
		return 0, err
	}
	defer end()
	return conn.Write(b) //nolint:wrapcheck // The server compares it.
}
