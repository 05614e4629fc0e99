package playworld

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// baseURL names the world to its own program. Names under .invalid resolve
// nowhere (RFC 2606), so it cannot be mistaken for another machine.
const (
	hostOf  = "playworld.invalid"
	baseURL = "https://" + hostOf
)

// transport passes requests to a handler, each in its own goroutine. The body of a
// reply is a pipe, so that a stream arrives as it is written, and a reader that
// stops reading ends its handler.
type transport struct {
	handler http.Handler
	life    context.Context //nolint:containedctx // handlers live as long as the world
	end     context.CancelFunc

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

var errTransportClosed = fmt.Errorf("the request was not sent: %w", ErrClosed)

func newTransport(handler http.Handler) *transport {
	t := &transport{handler: handler}
	t.life, t.end = context.WithCancel(context.Background())
	return t
}

// close ends the handlers that still run and waits for them.
func (t *transport) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.end()
	t.running.Wait()
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(t.life, cancel)
	x := newExchange(r, func() { stop(); cancel() })
	if !t.start(func() { x.serve(t.handler, inbound(ctx, r)) }) {
		x.abandon()
		closeBody(r)
		return nil, errTransportClosed
	}
	select {
	case <-x.answered:
		return x.response, nil
	case <-ctx.Done():
		x.abandon()
		return nil, context.Cause(ctx)
	}
}

// start runs a handler unless the transport is closed.
func (t *transport) start(task func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.running.Go(task)
	return true
}

// inbound returns the request in the form in which a server would have read it.
func inbound(ctx context.Context, r *http.Request) *http.Request {
	in := r.Clone(ctx)
	in.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	in.RequestURI = in.URL.RequestURI()
	in.Host = r.URL.Host
	in.RemoteAddr = "127.0.0.1:0"
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}

// exchange is one request and its reply. It is the handler's ResponseWriter.
type exchange struct {
	request  *http.Request
	cancel   func()
	out      net.Conn // the handler's end of the body
	in       net.Conn // the reader's
	header   http.Header
	once     sync.Once
	answered chan struct{}
	response *http.Response
	// aborted is set before the pipe ends, if the handler aborted the reply.
	aborted bool
}

func newExchange(r *http.Request, cancel func()) *exchange {
	x := &exchange{request: r, cancel: cancel, header: http.Header{}, answered: make(chan struct{})}
	x.out, x.in = net.Pipe()
	return x
}

// serve runs the handler to its end. A handler that panics aborts its reply, as in
// a server.
func (x *exchange) serve(handler http.Handler, in *http.Request) {
	defer closeBody(in)
	defer func() {
		if cause := recover(); cause != nil {
			x.aborted = true
			x.WriteHeader(http.StatusInternalServerError)
		}
		_ = x.out.Close()
	}()
	handler.ServeHTTP(x, in)
	x.WriteHeader(http.StatusOK)
}

// abandon ends the exchange from the reader's side.
func (x *exchange) abandon() {
	x.cancel()
	_ = x.in.Close()
}

// Header implements http.ResponseWriter.
func (x *exchange) Header() http.Header { return x.header }

// WriteHeader implements http.ResponseWriter; only the first call counts.
func (x *exchange) WriteHeader(status int) {
	x.once.Do(func() {
		x.response = &http.Response{
			Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: x.header.Clone(), Body: (*replyBody)(x), ContentLength: -1, Request: x.request,
		}
		close(x.answered)
	})
}

// Write implements http.ResponseWriter.
func (x *exchange) Write(p []byte) (int, error) {
	x.WriteHeader(http.StatusOK)
	return x.out.Write(p) //nolint:wrapcheck // the handler compares it with net's
}

// Flush implements http.Flusher: written data is sent already.
func (x *exchange) Flush() { x.WriteHeader(http.StatusOK) }

// SetWriteDeadline bounds the writes that follow, for http.ResponseController.
func (x *exchange) SetWriteDeadline(t time.Time) error {
	return x.out.SetWriteDeadline(t) //nolint:wrapcheck // the handler compares it with net's
}

// replyBody is the reader's end of an exchange.
type replyBody exchange

// Read implements io.Reader.
func (b *replyBody) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if errors.Is(err, io.EOF) && b.aborted {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close implements io.Closer: the handler's context ends.
func (b *replyBody) Close() error {
	(*exchange)(b).abandon()
	return nil
}
