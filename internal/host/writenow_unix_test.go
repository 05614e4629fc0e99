//go:build unix

package host

import (
	"net"
	"testing"
)

// A write to a closed connection writes nothing, whatever was written to another one before.
func TestWriteToClosedConnectionWritesNothing(t *testing.T) {
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	conn, err := net.DialTCP("tcp", nil, ln.Addr().(*net.TCPAddr)) //nolint:forcetypeassert // It is one.
	if err != nil {
		t.Fatal(err)
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	w := newDirectWriter()
	if n, err := w.write(raw, []byte("hello")); n != 5 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := w.write(raw, []byte("good day")); n != 0 || err == nil {
		t.Errorf("%d bytes were written to a closed connection, %v", n, err)
	}
}
