package host

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
)

// scarce is a listener that cannot accept connections at first.
type scarce struct {
	net.Listener
	failures []syscall.Errno
}

func (s *scarce) Accept() (net.Conn, error) {
	if len(s.failures) == 0 {
		return s.Listener.Accept()
	}
	err := s.failures[0]
	s.failures = s.failures[1:]
	return nil, &net.OpError{Op: "accept", Net: "tcp", Err: os.NewSyscallError("accept4", err)}
}

// A listener that lacks memory or anything else for a moment is used again; one that is
// closed is not.
func TestAcceptGoesOnAfterPassingErrors(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	o := &Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	door := newGate(&scarce{ln, []syscall.Errno{syscall.ENOMEM, syscall.ENOBUFS, syscall.EPERM, syscall.ENOSPC, syscall.EIO}}, o, 10, 10)
	server := func() *http.Server { return newServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler), nil) }
	ended := make(chan error, 1)
	go func() { ended <- serveOn(server(), door) }()
	answer, err := http.Get("http://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "cannot allocate memory") {
		t.Errorf("the log has %d lines: %s", n, log.String())
	}
	http.DefaultClient.CloseIdleConnections()
	_ = ln.Close()
	if err := <-ended; err == nil {
		t.Error("the server ended without the error of its listener")
	}
	door = newGate(&scarce{ln, []syscall.Errno{syscall.EBADF}}, o, 10, 10)
	if err := serveOn(server(), door); err == nil || !strings.Contains(err.Error(), "bad file descriptor") {
		t.Errorf("a listener that is not one any more: %v", err)
	}
}
