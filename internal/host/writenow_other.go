//go:build !unix

package host

import "syscall"

// directWriter is for systems where nothing is written without waiting.
type directWriter struct{}

func newDirectWriter() *directWriter { return &directWriter{} }

// write writes nothing: the stream's goroutine does.
func (*directWriter) write(syscall.RawConn, []byte) (int, error) { return 0, nil }
