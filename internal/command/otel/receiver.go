package otel

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/easyproto"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/otel"
	"github.com/playctl/playctl/protocol"
)

// These are the limits of the servers besides the size of a request.
const (
	mostConnections = 256
	mostStreams     = 4
	mostHeaderBytes = 16 << 10
	mostUnread      = 128 << 10 // bytes of a connection over gRPC
	mostUnpacking   = 2
	requestTimeout  = 30 * time.Second
	drainTimeout    = 3 * time.Second
	// retryAfter is when a request that was refused for lack of room may be sent again.
	retryAfter = time.Second
)

// receiver handles the requests of exporters.
type receiver struct {
	collector *otel.Collector
	places    *places
	// unpacking has the requests that are being unpacked.
	unpacking chan struct{}
	content   bool
	token     protocol.Secret
	longest   int
	now       func() time.Time
	// hosts are accepted in the Host header besides the names of this machine.
	hosts []string
}

// newReceiver returns a receiver of bodies with at most longest bytes, which take at most
// memory bytes at the same time.
func newReceiver(collector *otel.Collector, longest, memory int) *receiver {
	return &receiver{
		collector: collector, places: newPlaces(mostConnections, memory), unpacking: make(chan struct{}, mostUnpacking),
		longest: min(longest, memory), now: time.Now,
	}
}

// take collects the spans of a request. code is the HTTP status of an error.
func (r *receiver) take(body []byte, isJSON bool) (rejected otel.Rejected, code int, err error) {
	full, kept := 0, false
	reader := &otel.Reader{Content: r.content, Take: func(spans []*otel.Span) error {
		beyond, err := r.collector.Add(r.now(), spans)
		if errors.Is(err, otel.ErrBusy) && kept {
			// A request whose spans are kept in part must not be sent again.
			beyond, err = len(spans), nil
		}
		full += beyond
		kept = true
		return err
	}}
	if isJSON {
		rejected, err = reader.JSON(body)
	} else {
		rejected, err = reader.Proto(body)
	}
	switch {
	case errors.Is(err, otel.ErrBusy):
		return rejected, http.StatusServiceUnavailable, err
	case err != nil:
		return rejected, http.StatusBadRequest, errors.New("the body is not an OTLP request")
	}
	rejected.Full = full
	r.collector.Reject(&rejected)
	return rejected, 0, nil
}

// taker takes the body of a request, whose encoding is JSON or protobuf.
type taker func(body []byte, isJSON bool) (rejected otel.Rejected, code int, err error)

// drop takes a request without reading it.
func drop([]byte, bool) (otel.Rejected, int, error) { return otel.Rejected{}, 0, nil }

// receive reads a body, which may be compressed, and passes it on. code is the HTTP status
// of an error.
func (r *receiver) receive(ctx context.Context, from io.Reader, encoding string, isJSON bool, take taker) (rejected otel.Rejected, code int, err error) {
	p := placeOf(ctx)
	body := &held{places: r.places, place: p, most: r.longest}
	defer func() { r.places.release(p, body.Len()) }()
	if code, err = r.read(body, from, encoding); err != nil {
		return rejected, code, err
	}
	r.places.keep(p, 1)
	defer r.places.keep(p, -1)
	select {
	case r.unpacking <- struct{}{}:
	case <-ctx.Done():
		return rejected, http.StatusServiceUnavailable, errFull
	}
	defer func() { <-r.unpacking }()
	return take(body.Bytes(), isJSON)
}

// held is a body in memory.
type held struct {
	bytes.Buffer

	places *places
	place  *place
	most   int
}

var errLong = errors.New("the body is too long")

// Write implements io.Writer.
func (h *held) Write(b []byte) (int, error) {
	if h.Len()+len(b) > h.most {
		return 0, errLong
	}
	if err := h.places.hold(h.place, len(b)); err != nil {
		return 0, err
	}
	return h.Buffer.Write(b) //nolint:wrapcheck // it never fails
}

// read reads a body, which may be compressed, within its limits. code is the HTTP status of
// an error.
func (r *receiver) read(body *held, from io.Reader, encoding string) (code int, err error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
	case "gzip", "x-gzip":
		if from, err = gzip.NewReader(from); err != nil {
			return http.StatusBadRequest, errors.New("the body is not compressed as it says")
		}
	default:
		return http.StatusUnsupportedMediaType, errors.New("the body may be compressed by gzip only")
	}
	// Of a limited reader no more is unpacked than is needed to see that a body is too long.
	_, err = io.Copy(onlyWriter{body}, io.LimitReader(from, int64(r.longest)+1))
	var over *http.MaxBytesError
	switch {
	case errors.Is(err, errLong), errors.As(err, &over):
		return http.StatusRequestEntityTooLarge, fmt.Errorf("the body has more than %d bytes: send fewer spans at once, or raise --max-body and --max-memory", r.longest)
	case errors.Is(err, errFull):
		return http.StatusServiceUnavailable, errFull
	case err != nil:
		return http.StatusBadRequest, errors.New("the body ends too early")
	}
	return 0, nil
}

// onlyWriter hides bytes.Buffer.ReadFrom, which would bypass Write.
type onlyWriter struct{ io.Writer }

const whyForbidden = "the bearer token is missing or wrong"

// shows reports whether the value of an Authorization header has the token.
func (r *receiver) shows(authorization string) bool {
	return r.token.IsZero() || command.ShowsToken(authorization, r.token)
}

// servers are the running servers.
type servers struct {
	at      listening
	running []*http.Server
	failed  chan error
	runs    sync.WaitGroup
}

func (r *receiver) listen(ctx context.Context, flags *receiverFlags) (*servers, error) {
	s := &servers{failed: make(chan error, 2)}
	for _, one := range []struct {
		address string
		server  func() *http.Server
		at      *string
	}{{flags.http, r.webServer, &s.at.HTTP}, {flags.grpc, r.rpcServer, &s.at.GRPC}} {
		if one.address == off {
			continue
		}
		// One more connection may wait for the place of another.
		listener, err := command.Listen(ctx, one.address, mostConnections+1)
		if err != nil {
			s.stop()
			return nil, err
		}
		*one.at = "http://" + listener.Addr().String()
		server := one.server()
		s.running = append(s.running, server)
		s.runs.Go(func() { s.failed <- server.Serve(r.places.listener(listener)) })
	}
	return s, nil
}

// webServer returns the server for OTLP over HTTP, without a listener.
func (r *receiver) webServer() *http.Server { return newServer(r.routes()) }

// rpcServer returns the server for OTLP over gRPC, without a listener.
func (r *receiver) rpcServer() *http.Server {
	server := newServer(r.methods())
	server.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: mostStreams, MaxReceiveBufferPerConnection: mostUnread, MaxReceiveBufferPerStream: mostUnread}
	server.Protocols = new(http.Protocols)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server
}

func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ConnContext: withPlace, ReadHeaderTimeout: requestTimeout, ReadTimeout: requestTimeout, WriteTimeout: requestTimeout, MaxHeaderBytes: mostHeaderBytes,
	}
}

// stop ends the servers, after a short time for the requests in progress.
func (s *servers) stop() {
	late, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	for _, server := range s.running {
		if err := server.Shutdown(late); err != nil {
			_ = server.Close()
		}
	}
	s.runs.Wait()
}

// routes returns the handler for the paths of OTLP over HTTP. Metrics and logs are
// accepted and dropped: many programs send them by default, and report each refusal.
func (r *receiver) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/traces", r)
	for _, path := range []string{"/v1/metrics", "/v1/logs"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, q *http.Request) {
			r.guard(w, q, func(w http.ResponseWriter, q *http.Request, isJSON bool) { r.serve(w, q, isJSON, drop) })
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, q *http.Request) {
		r.guard(w, q, func(w http.ResponseWriter, _ *http.Request, isJSON bool) {
			refuse(w, isJSON, http.StatusNotFound, "traces are received at /v1/traces")
		})
	})
	return mux
}

// ServeHTTP handles a request of OTLP over HTTP.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.guard(w, q, func(w http.ResponseWriter, q *http.Request, isJSON bool) { r.serve(w, q, isJSON, r.take) })
}

// guard calls next for a valid request of an exporter.
func (r *receiver) guard(w http.ResponseWriter, q *http.Request, next func(w http.ResponseWriter, q *http.Request, isJSON bool)) {
	kind, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	isJSON := kind == protocol.MediaTypeJSON
	switch {
	case q.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, isJSON, http.StatusMethodNotAllowed, "exporters send POST")
	case r.token.IsZero() && !command.NamesThisMachine(q.Host, r.hosts):
		// The name of another site may resolve to this machine, so that its pages can call this
		// server.
		refuse(w, isJSON, http.StatusForbidden, "this server does not accept that host name: allow it with --allow-host, or use a token, see --token-file")
	case !r.shows(q.Header.Get("Authorization")):
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, isJSON, http.StatusUnauthorized, whyForbidden)
	case !isJSON && kind != "application/x-protobuf":
		refuse(w, isJSON, http.StatusUnsupportedMediaType, "the body must be application/x-protobuf or application/json")
	default:
		next(w, q, isJSON)
	}
}

// serve reads a request and replies to it after take.
func (r *receiver) serve(w http.ResponseWriter, q *http.Request, isJSON bool, take taker) {
	rejected, code, err := r.receive(q.Context(), http.MaxBytesReader(w, q.Body, int64(r.longest)), q.Header.Get("Content-Encoding"), isJSON, take)
	if err != nil {
		if code == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter/time.Second)))
		}
		refuse(w, isJSON, code, err.Error())
		return
	}
	accept(w, isJSON, &rejected)
}

// accept replies to a request some of whose spans may be rejected.
func accept(w http.ResponseWriter, isJSON bool, rejected *otel.Rejected) {
	w.Header().Set("Content-Type", "application/x-protobuf")
	reply := partial(rejected)
	if isJSON {
		w.Header().Set("Content-Type", protocol.MediaTypeJSON)
		reply = []byte("{}")
		if rejected.Total() > 0 {
			reply = fmt.Appendf(nil, `{"partialSuccess":{"rejectedSpans":"%d","errorMessage":%q}}`, rejected.Total(), rejected.Why())
		}
	}
	_, _ = w.Write(reply)
}

// refuse replies with a message of the type Status, as OTLP requires: its second field is
// the text.
func refuse(w http.ResponseWriter, isJSON bool, code int, why string) {
	w.Header().Set("Content-Type", "application/x-protobuf")
	body := marshal(func(m *easyproto.MessageMarshaler) { m.AppendString(2, why) })
	if isJSON {
		w.Header().Set("Content-Type", protocol.MediaTypeJSON)
		body = fmt.Appendf(nil, `{"message":%q}`, why)
	}
	w.WriteHeader(code)
	_, _ = w.Write(body) //nolint:gosec // its type is that of OTLP, not HTML
}

// partial returns the reply to a request some of whose spans may be rejected, in protobuf.
func partial(rejected *otel.Rejected) []byte {
	if rejected.Total() == 0 {
		return nil
	}
	return marshal(func(m *easyproto.MessageMarshaler) {
		success := m.AppendMessage(1)
		success.AppendInt64(1, int64(rejected.Total()))
		success.AppendString(2, rejected.Why())
	})
}

var marshalers easyproto.MarshalerPool

// marshal returns a message whose fields are written by write.
func marshal(write func(*easyproto.MessageMarshaler)) []byte {
	m := marshalers.Get()
	defer marshalers.Put(m)
	write(m.MessageMarshaler())
	return m.Marshal(nil)
}
