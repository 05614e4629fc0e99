package host

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/protocol"
)

// Standby stands in for a host while its store does not answer yet: it listens
// where the host will, reports that the process is alive and not ready, ends
// streams at once, and answers everything else with 503 store_unavailable. A Host
// with it in its Options takes over the listeners without closing them.
type Standby struct {
	// listeners are the host's and, if there is one, that of health and metrics.
	listeners []*handoffListener
	servers   []*http.Server
	serving   sync.WaitGroup
	// open counts the connections that were accepted and are not closed.
	open   sync.WaitGroup
	ending sync.Once
}

// StandBy listens at the addresses of the options, and answers there, with their
// certificate, until a Host takes over or Close is called. It requires the same
// options as New, except for the World and the Deriver.
func StandBy(ctx context.Context, o Options) (*Standby, error) {
	if err := o.checkSettings(); err != nil {
		return nil, err
	}
	secure, err := loadCertificate(o.CertFile, o.KeyFile)
	if err != nil {
		return nil, err
	}
	rules, err := newWatchRules(&o)
	if err != nil {
		return nil, err
	}
	main, ops, err := listen(ctx, o.Address, o.OpsAddress)
	if err != nil {
		return nil, err
	}
	s := &Standby{}
	clients := http.NewServeMux()
	standbyRoutes(clients, &o)
	probes := clients
	if ops != nil {
		probes = http.NewServeMux()
		probes.HandleFunc("/", sendUnavailable)
	}
	standbyProbes(probes, &o, rules)
	s.serve(main, secured(&o, clients.ServeHTTP), secure, &o)
	if ops != nil {
		s.serve(ops, secured(&o, probes.ServeHTTP), nil, &o)
	}
	return s, nil
}

// standbyRoutes answers requests that need the world. Credentials cannot be
// checked yet, so every caller gets the same answer.
func standbyRoutes(mux *http.ServeMux, o *Options) {
	services := []protocol.Service{protocol.ServicePlay}
	if o.Compat != "" {
		services = append(services, protocol.Service(o.Compat))
	}
	for _, s := range services {
		mux.HandleFunc("GET "+s.Events(), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Request-Id", rand.Text())
			sendLater(w, 0)
		})
	}
	mux.HandleFunc("/", sendUnavailable)
}

// serve answers at a listener.
func (s *Standby) serve(ln net.Listener, handler http.Handler, secure *certificate, o *Options) {
	kept := &handoffListener{Listener: ln}
	door := newGate(kept, o, o.Connections.Connections, o.Connections.PerAddress)
	server := newServer(handler, o.Logger, secure)
	// A client that sends another request should reach the host.
	server.SetKeepAlivesEnabled(false)
	server.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			s.open.Done()
		}
	}
	s.listeners, s.servers = append(s.listeners, kept), append(s.servers, server)
	s.serving.Go(func() {
		if err := serveOn(server, door); !errors.Is(err, net.ErrClosed) {
			o.Logger.Error("the standby listener failed; calls wait until the store is open", "address", ln.Addr(), "error", err)
		}
	})
}

// standbyProbes answers health, readiness and metrics.
func standbyProbes(mux *http.ServeMux, o *Options, rules *watchRules) {
	mux.HandleFunc("GET "+protocol.PathHealth, sendHealth)
	mux.HandleFunc("GET "+protocol.PathReady, func(w http.ResponseWriter, _ *http.Request) {
		sendProbe(w, http.StatusServiceUnavailable, "starting: the store does not answer")
	})
	mux.HandleFunc("GET "+protocol.PathMetrics, func(w http.ResponseWriter, r *http.Request) {
		if rules.checkSite(r, false) != nil {
			sendUnavailable(w, r)
			return
		}
		o.Metrics.ServeHTTP(w, r)
	})
}

// sendUnavailable answers a request that needs the world.
func sendUnavailable(w http.ResponseWriter, _ *http.Request) {
	e := protocol.Errorf(protocol.CodeStoreUnavailable, "the host has just started and its store does not answer yet: retry in a moment")
	id := rand.Text()
	header := w.Header()
	header["Content-Type"], header["Cache-Control"] = jsonType, noStore
	header.Set("Retry-After", "1")
	header.Set("X-Request-Id", id)
	w.WriteHeader(protocol.Status(e.Code))
	// A client that went away needs no reply.
	_, _ = w.Write(encode(e.Body(id)))
}

// Addr returns the address at which it listens for clients.
func (s *Standby) Addr() net.Addr { return s.listeners[0].Addr() }

// Close ends the standby. It may be called twice, and after a Host took over.
func (s *Standby) Close() error {
	s.end()
	var err error
	for _, ln := range s.listeners {
		if !ln.gone {
			err = errors.Join(err, ln.Listener.Close())
			ln.gone = true
		}
	}
	return err
}

// standbyEnd bounds the time for replies that are still being sent, which are
// short. A client that has connected and sent no request by then is cut.
const standbyEnd = time.Second

// end stops accepting, answers the requests of accepted connections, and leaves the
// listeners open. It is not the server's Shutdown, which closes a connection whose
// request comes while it waits without an answer.
func (s *Standby) end() {
	s.ending.Do(func() {
		for _, ln := range s.listeners {
			if ln.Close() != nil {
				// No host can take the listener over, and no connection may wait on it.
				_ = ln.Listener.Close()
			}
		}
		s.serving.Wait()
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			s.open.Wait()
		}()
		limit := time.NewTimer(standbyEnd)
		defer limit.Stop()
		select {
		case <-answered:
		case <-limit.C:
		}
		for _, server := range s.servers {
			_ = server.Close()
		}
		<-answered
	})
}

// take ends the standby and hands over its listeners.
func (s *Standby) take() ([]net.Listener, error) {
	s.end()
	taken := make([]net.Listener, 0, len(s.listeners))
	for _, ln := range s.listeners {
		if err := ln.resume(); err != nil {
			return nil, err
		}
		ln.gone = true
		taken = append(taken, ln.Listener)
	}
	return taken, nil
}

// handoffListener is a listener that one server closes and another continues to use: connections in
// between wait in its queue.
type handoffListener struct {
	net.Listener
	returned atomic.Bool
	// gone reports whether the listener was handed over or closed.
	gone bool
}

// deadliner is implemented by the listeners of sockets.
type deadliner interface{ SetDeadline(at time.Time) error }

// Accept waits for a connection until Close is called.
func (l *handoffListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil && l.returned.Load() {
		return nil, net.ErrClosed
	}
	return conn, err //nolint:wrapcheck // The server compares it.
}

// Close ends Accept, and leaves the socket open.
func (l *handoffListener) Close() error {
	l.returned.Store(true)
	return l.deadline(time.Unix(1, 0))
}

func (l *handoffListener) resume() error { return l.deadline(time.Time{}) }

func (l *handoffListener) deadline(at time.Time) error {
	d, ok := l.Listener.(deadliner)
	if !ok {
		return fmt.Errorf("host: a listener %T has no deadline: %w", l.Listener, errors.ErrUnsupported)
	}
	if err := d.SetDeadline(at); err != nil {
		return fmt.Errorf("hand over the listener %s: %w", l.Addr(), err)
	}
	return nil
}
