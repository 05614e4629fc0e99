package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
)

// singleListener is a listener that accepts one connection.
type singleListener struct {
	net.Listener
	come   chan net.Conn
	closed chan struct{}
}

func (l singleListener) Accept() (net.Conn, error) {
	select {
	case connection := <-l.come:
		return connection, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l singleListener) Close() error {
	close(l.closed)
	return nil
}

// The connection of a refused client is closed when it is idle.
func TestIdleConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		listener := singleListener{come: make(chan net.Conn), closed: make(chan struct{})}
		web := webServer(t.Context(), guarded(http.NotFoundHandler(), protocol.NewSecret("token"), nil))
		served := make(chan error, 1)
		go func() { served <- web.Serve(listener) }()
		near, far := net.Pipe()
		listener.come <- far
		if _, err := io.WriteString(near, "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answers := bufio.NewReader(near)
		answer, err := http.ReadResponse(answers, nil)
		if err != nil || answer.StatusCode != http.StatusUnauthorized {
			t.Fatal(answer, err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := errors.Join(answer.Body.Close(), near.SetReadDeadline(start.Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		if _, err := answers.ReadByte(); !errors.Is(err, io.EOF) {
			t.Errorf("after %s the connection is open: %v", time.Since(start), err)
		}
		if err := errors.Join(near.Close(), web.Shutdown(context.Background())); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
}
