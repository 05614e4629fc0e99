package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/playctl/playctl/protocol"
)

// The limits of a connection. Streams set deadlines of their own.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
)

// drainTimeout bounds how long Serve waits when its context ends; orchestrators
// kill a process after 10 s.
const drainTimeout = 8 * time.Second

// cutTimeout bounds how long Close waits after it has cut the connections that did not
// end.
const cutTimeout = time.Second

// Listen opens the listeners, so that the addresses are known and a port that is
// in use is an error at once. It may be called once.
func (h *Host) Listen(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listener != nil {
		return errors.New("host: already listening")
	}
	if h.options.Address == "" {
		return errors.New("host: Options.Address is empty: there is nothing to listen on")
	}
	ln, ops, err := h.openListeners(ctx)
	if err != nil {
		return err
	}
	h.opsLn = ops
	h.useListener(ln)
	return h.checkTokens()
}

// minToken is the least number of characters of the administrator's and the registration
// token on a host that other machines can reach.
const minToken = 16

func (h *Host) checkTokens() error {
	return errors.Join(h.checkToken("administrator's", h.options.AdminToken), h.checkToken("registration", h.options.RegistrationToken))
}

func (h *Host) checkToken(whose string, token protocol.Secret) error {
	if length := len(token.Reveal()); length == 0 || length >= minToken {
		return nil
	}
	if h.loopback.Load() {
		h.log.Warn("a token is short: a host that other machines can reach would not start with it", "token", whose, "least", minToken)
		return nil
	}
	return fmt.Errorf("host: the %s token has fewer than %d characters, and other machines can reach %s: choose a longer one", whose, minToken, h.listener.Addr())
}

// openListeners takes over the listeners of a Standby, or opens new ones; ops is
// nil where there is none.
func (h *Host) openListeners(ctx context.Context) (ln, ops net.Listener, err error) {
	if h.options.Standby == nil {
		return listen(ctx, h.options.Address, h.options.OpsAddress)
	}
	taken, err := h.options.Standby.take()
	if err != nil {
		return nil, nil, err
	}
	if len(taken) > 1 {
		ops = taken[1]
	}
	return taken[0], ops, nil
}

// listen opens listeners for clients and, with a second address, for health and
// metrics.
func listen(ctx context.Context, address, opsAddress string) (ln, ops net.Listener, err error) {
	var config net.ListenConfig
	ln, err = config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	if opsAddress == "" {
		return ln, nil, nil
	}
	ops, err = config.Listen(ctx, "tcp", opsAddress)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("listen on %s for health and metrics: %w", opsAddress, err), ln.Close())
	}
	return ln, ops, nil
}

// useListener takes a listener into use; h.mu is held.
func (h *Host) useListener(ln net.Listener) {
	h.listener = ln
	h.loopback.Store(isLoopback(ln.Addr()))
}

// Serve answers requests until the context ends or Close is called, and then
// returns nil once everything has shut down gracefully, after 8 s at most:
// connections that have not ended by then are cut, which the log reports. It
// listens first if Listen was not called. It returns the error of a listener that
// failed, or of Close.
func (h *Host) Serve(ctx context.Context) error {
	if h.Addr() == nil {
		if err := h.Listen(ctx); err != nil {
			return err
		}
	}
	if h.draining() {
		return errors.Join(errors.New("host: closed before it served"), h.closeListeners())
	}
	h.sweeper.start()
	// Connections wait in the listener's queue until here, so a request sent as soon
	// as the address is known reaches a ready host and not one that is starting.
	h.serving.Store(true)
	broken, wait := h.serveListeners()
	var failed error
	select {
	case <-ctx.Done():
	case <-h.closing:
	case failed = <-broken:
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	err := h.Close(limit)
	wait()
	return errors.Join(failed, err)
}

// gatedServer is a server with the gate of its listener.
type gatedServer struct {
	*http.Server
	gate *gate
}

// serveListeners starts a server for each listener. The channel has the first
// error of a server that was not stopped; wait returns when all have ended.
func (h *Host) serveListeners() (broken <-chan error, wait func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	limits := &h.options.Connections
	door := newGate(h.listener, &h.options, limits.Connections, limits.PerAddress)
	h.gate.Store(door)
	h.servers = []gatedServer{{newServer(h.handler, h.log, h.tls), door}}
	if h.opsLn != nil {
		// Writing a profile takes longer than any other reply.
		ops := newServer(h.ops, h.log, nil)
		ops.WriteTimeout = 0
		h.servers = append(h.servers, gatedServer{ops, newGate(h.opsLn, &h.options, opsConnections, opsConnections)})
	}
	failures := make(chan error, len(h.servers))
	var running sync.WaitGroup
	for _, s := range h.servers {
		running.Go(func() {
			if err := serveOn(s.Server, s.gate); !errors.Is(err, http.ErrServerClosed) {
				failures <- fmt.Errorf("serve %s: %w", s.gate.Addr(), err)
			}
		})
	}
	return failures, running.Wait
}

// newServer returns a server with the limits of a connection, and with TLS where there is
// a certificate.
func newServer(handler http.Handler, log *slog.Logger, cert *certificate) *http.Server {
	server := &http.Server{
		Protocols:         httpVersions(),
		HTTP2:             &http2Limits,
		Handler:           counted(handler),
		ConnContext:       withConn,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	if cert != nil {
		server.TLSConfig = cert.config()
	}
	return server
}

// serveOn answers at a listener until the server is stopped or the listener fails.
func serveOn(server *http.Server, ln net.Listener) error {
	if server.TLSConfig != nil {
		return server.ServeTLS(ln, "", "") //nolint:wrapcheck // The callers compare it.
	}
	return server.Serve(ln) //nolint:wrapcheck // As above.
}

// httpVersions are HTTP/1.1 and HTTP/2, the latter under TLS and, for proxies and
// programs that know that the host speaks it, without (RFC 9113, section 3.3).
func httpVersions() *http.Protocols {
	var versions http.Protocols
	versions.SetHTTP1(true)
	versions.SetHTTP2(true)
	versions.SetUnencryptedHTTP2(true)
	return &versions
}

// http2Limits bound the memory that an HTTP/2 connection may take: a frame, which the
// host reads whole, by default 1 MiB, and the unread bytes of requests, by default 1
// MiB as well.
var http2Limits = http.HTTP2Config{
	MaxConcurrentStreams:          100,
	MaxReadFrameSize:              16 << 10,
	MaxReceiveBufferPerConnection: 64 << 10,
	MaxReceiveBufferPerStream:     64 << 10,
}

// Close shuts the host down gracefully: the host reports that it is not ready, streams
// end over the drain jitter and new ones at once, the listeners close, requests in
// progress are answered, and the background work stops. Connections and requests that
// have not ended when the context does are cut: the log reports how many, and it is no
// error. Streams of a Handler, whose connections are another server's, cannot be cut,
// and the error says that they continue. Close may be called again; it then waits for
// the first call to end and returns its error. The world stays open.
func (h *Host) Close(ctx context.Context) error {
	if h.closeBegun.CompareAndSwap(false, true) {
		h.closeErr = h.shutdown(ctx)
		close(h.closed)
		return h.closeErr
	}
	select {
	case <-h.closed:
		return h.closeErr
	case <-ctx.Done():
		return fmt.Errorf("wait for the host to close: %w", context.Cause(ctx))
	}
}

func (h *Host) shutdown(ctx context.Context) error {
	close(h.closing)
	if h.serving.Load() {
		h.log.Info("shutting down: streams end, requests in progress are answered", "streams", h.streams.count())
	}
	h.streams.drain()
	late := h.streams.wait(ctx)
	failed := h.stopServers(ctx)
	if late != nil && h.gate.Load() != nil {
		// They end as soon as they notice that their connections were cut.
		cut, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), cutTimeout, errNotCut)
		defer cancel()
		late = h.streams.wait(cut)
	}
	failed = errors.Join(late, failed, h.closeListeners())
	h.sweeper.stop()
	h.metrics.forget()
	return failed
}

// errNotCut is the reason why Close no longer waits for streams that it has cut.
var errNotCut = fmt.Errorf("they have not ended %s after their connections were closed", cutTimeout)

// stopServers stops the servers, and cuts the connections that have not ended when the
// context does.
func (h *Host) stopServers(ctx context.Context) (failed error) {
	h.mu.Lock()
	servers := h.servers
	h.mu.Unlock()
	var connections, requests int
	// The last server has the probes: it answers that the host is not ready until
	// everything else has ended.
	for _, s := range servers {
		if err := s.Shutdown(ctx); err != nil && !errors.Is(err, ctx.Err()) {
			failed = errors.Join(failed, fmt.Errorf("stop serving %s: %w", s.gate.Addr(), err))
		}
		if ctx.Err() == nil {
			continue
		}
		open, asking := s.gate.inUse()
		connections, requests = connections+open, requests+asking
		failed = errors.Join(failed, s.Close())
		// The server does not know the streams that were taken over.
		s.gate.cut()
	}
	if connections > 0 {
		h.log.Warn("connections that did not end in time were closed", "connections", connections, "requests", requests)
	}
	return failed
}

// inUse counts the connections that are still open, and the requests in progress on them.
func (g *gate) inUse() (connections, requests int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.open), g.asking
}

// closeListeners closes listeners that no server has closed.
func (h *Host) closeListeners() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all error
	for _, ln := range []net.Listener{h.listener, h.opsLn} {
		if ln == nil {
			continue
		}
		if err := ln.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			all = errors.Join(all, fmt.Errorf("close the listener %s: %w", ln.Addr(), err))
		}
	}
	return all
}
