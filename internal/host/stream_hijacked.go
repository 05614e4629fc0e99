package host

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/playctl/playctl/internal/world"
)

// hijackedStream is a stream on a connection that was taken over from net/http, whose buffers
// and goroutines would take most of an idle stream's memory. One goroutine waits for
// the client to go away. The events are written by a pump while the stream keeps up,
// and otherwise by a goroutine that runs until it has caught up.
type hijackedStream struct {
	stream
	call   *call
	conn   net.Conn
	raw    syscall.RawConn
	pump   *pump
	cancel context.CancelFunc
	ctx    context.Context //nolint:containedctx // It ends with the client's connection.

	// at is the stream's index in the pump, -1 while the pump does not have it.
	at int
	// rest is the remainder of a chunk that did not fit the connection's queue.
	rest []byte
	// over is the reason why the stream ends once rest is written; "" where it continues.
	over endReason

	// gone is set when the client goes away, and ended is closed when nothing more is
	// written.
	gone  atomic.Bool
	ended chan struct{}
	end   endReason
}

// endGrace is how long a client has to notice the end of a stream and close its
// connection.
const endGrace = 500 * time.Millisecond

// canHijack returns the connection of a request if its stream can continue without
// net/http: over TLS and HTTP/2 it cannot, nor for a client that does not support
// chunks.
func canHijack(r *http.Request) (*gateConn, syscall.RawConn) {
	conn := connOf(r)
	if conn == nil || r.TLS != nil || r.ProtoMajor != 1 || r.ProtoMinor == 0 {
		return nil, nil
	}
	tcp, ok := conn.Conn.(*net.TCPConn)
	if !ok {
		return nil, nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, nil
	}
	return conn, raw
}

// hijack takes a stream's connection over, once its headers are known. It reports
// whether it did; the call then ends with the stream.
func (s *stream) hijack(c *call, conn *gateConn, raw syscall.RawConn, greeting string) bool {
	if _, _, err := c.control().Hijack(); err != nil {
		return false
	}
	_, _ = conn.begin() // The handler's own call of end comes first.
	t := &hijackedStream{
		stream: *s, call: c, conn: conn, raw: raw, pump: c.host.pumps.next(), at: -1, ended: make(chan struct{}),
	}
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(c.r.Context()))
	t.out, t.parks = &chunkOutput{Conn: conn.Conn}, true
	c.detach()
	go t.awaitClient()
	t.proceed(func() endReason {
		if !t.sendPreamble(greeting) {
			return endClient
		}
		t.start()
		return t.follow()
	})
	return true
}

// detach lets the call outlive its handler, without the values that only the handler
// needs.
func (c *call) detach() {
	c.detached = true
	c.r = &http.Request{Method: c.r.Method, URL: &url.URL{Path: c.r.URL.Path}}
	c.w, c.controller, c.queryValues, c.next, c.idempotency = nil, nil, nil, nil, nil
}

// awaitClient waits until the client is gone or the stream has ended, and then ends the
// call. Bytes that the client sends after its request are not answered; a client that
// sends more than another request could hold is cut, as reading costs the host time.
func (t *hijackedStream) awaitClient() {
	var b [64]byte
	for sent := 0; sent <= maxHeaderBytes; {
		n, err := t.conn.Read(b[:])
		if err != nil {
			break
		}
		sent += n
	}
	t.gone.Store(true)
	t.cancel()
	t.pump.dismiss(t)
	<-t.ended
	_ = t.conn.Close()
	t.call.written = t.written
	t.host.metrics.streamEnded(t.end)
	t.host.conclude(t.call)
}

// resume is proceed on a goroutine of its own, for a stream that the pump released.
func (t *hijackedStream) resume() {
	t.proceed(func() endReason {
		if len(t.rest) > 0 {
			t.setDeadline()
			_, err := t.conn.Write(t.rest)
			t.rest = nil
			if end := whyFailed(err); end != "" {
				return end
			}
		}
		if t.over != "" {
			return t.over
		}
		return t.follow()
	})
}

// follow sends events until the stream ends, or has caught up.
func (t *hijackedStream) follow() endReason {
	t.events = make([]*world.Event, 0, maxDispatch)
	defer func() { t.events = nil }()
	return t.run(t.ctx)
}

// proceed does some of the stream's work, and then hands the stream to the pump or ends
// it.
func (t *hijackedStream) proceed(work func() endReason) {
	end := endClient
	defer func() {
		if p := recover(); p != nil {
			t.host.log.Error("a stream made the host panic", slog.String("requestId", t.call.id),
				slog.String("panic", fmt.Sprint(p)), slog.String("stack", string(debug.Stack())))
			end = endClient
		}
		if end == endIdle {
			_ = t.conn.SetWriteDeadline(time.Time{})
			t.pump.join(t)
			return
		}
		t.finish(end)
	}()
	end = work()
}

// finish ends the stream. Nothing else uses it any more.
func (t *hijackedStream) finish(end endReason) {
	t.end = end
	if end == endClient || end == endSlow {
		_ = t.conn.Close()
	} else {
		now := time.Now()
		_ = t.conn.SetWriteDeadline(now.Add(t.host.options.Streams.WriteTimeout))
		_, err := t.conn.Write(lastChunk)
		// Closing a connection with unread bytes resets it, and the last bytes sent may be
		// lost.
		tcp, ok := t.conn.(*gateConn).Conn.(*net.TCPConn)
		if err != nil || !ok || tcp.CloseWrite() != nil || t.conn.SetReadDeadline(now.Add(endGrace)) != nil {
			_ = t.conn.Close()
		}
	}
	close(t.ended)
}
