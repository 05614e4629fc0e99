package otel

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/VictoriaMetrics/easyproto"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/otel"
	"github.com/playctl/playctl/protocol"
)

// These are the limits of the servers besides the size of a request.
const (
	mostConnections = 32
	mostStreams     = 4
	mostHeaderBytes = 16 << 10
	requestTimeout  = 30 * time.Second
	drainTimeout    = 3 * time.Second
)

// receiver handles the requests of exporters.
type receiver struct {
	collector *otel.Collector
	content   bool
	token     protocol.Secret
	longest   int
	now       func() time.Time
	// strange, unless it is nil, is called once, with the program whose spans show no agent.
	strange func(service string)
	told    sync.Once
}

// take collects the spans of a request and returns the number of rejected spans. code is
// the HTTP status of an error.
func (r *receiver) take(body []byte, isJSON bool) (rejected, code int, err error) {
	parse := otel.ParseProto
	if isJSON {
		parse = otel.ParseJSON
	}
	data, err := parse(body)
	if err != nil {
		return 0, http.StatusBadRequest, errors.New("the body is not an OTLP request")
	}
	spans, malformed := otel.Read(data, r.content)
	if r.strange != nil && len(spans) > 0 && !slices.ContainsFunc(spans, func(s *otel.Span) bool { return s.Kind != otel.Other }) {
		r.told.Do(func() { r.strange(spans[0].Service) })
	}
	if rejected, err = r.collector.Add(r.now(), spans); err != nil {
		return 0, http.StatusServiceUnavailable, err
	}
	return rejected + malformed, 0, nil
}

// drop takes a request without reading it.
func drop([]byte, bool) (rejected, code int, err error) { return 0, 0, nil }

// These are texts of replies.
const (
	whyRejected  = "spans without a valid id, or more than the trace may have"
	whyForbidden = "the bearer token is missing or wrong"
)

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
		listener, err := command.Listen(ctx, one.address, mostConnections)
		if err != nil {
			s.stop()
			return nil, err
		}
		*one.at = "http://" + listener.Addr().String()
		server := one.server()
		s.running = append(s.running, server)
		s.runs.Go(func() { s.failed <- server.Serve(listener) })
	}
	return s, nil
}

// webServer returns the server for OTLP over HTTP, without a listener.
func (r *receiver) webServer() *http.Server { return newServer(r.routes()) }

// rpcServer returns the server for OTLP over gRPC, without a listener.
func (r *receiver) rpcServer() *http.Server {
	server := newServer(r.methods())
	server.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: mostStreams}
	server.Protocols = new(http.Protocols)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server
}

func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: requestTimeout, ReadTimeout: requestTimeout, WriteTimeout: requestTimeout, MaxHeaderBytes: mostHeaderBytes,
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
	case r.token.IsZero() && !command.NamesThisMachine(q.Host, nil):
		// The name of another site may resolve to this machine, so that its pages can call this
		// server.
		refuse(w, isJSON, http.StatusForbidden, "this server does not answer under that name")
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
func (r *receiver) serve(w http.ResponseWriter, q *http.Request, isJSON bool, take func([]byte, bool) (int, int, error)) {
	body, code, err := r.body(http.MaxBytesReader(w, q.Body, int64(r.longest)), q.Header.Get("Content-Encoding"))
	if err != nil {
		refuse(w, isJSON, code, err.Error())
		return
	}
	rejected, code, err := take(body, isJSON)
	if err != nil {
		if code == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
		refuse(w, isJSON, code, err.Error())
		return
	}
	accept(w, isJSON, rejected)
}

// accept replies to a request with a number of rejected spans.
func accept(w http.ResponseWriter, isJSON bool, rejected int) {
	w.Header().Set("Content-Type", "application/x-protobuf")
	reply := partial(rejected)
	if isJSON {
		w.Header().Set("Content-Type", protocol.MediaTypeJSON)
		reply = []byte("{}")
		if rejected > 0 {
			reply = fmt.Appendf(nil, `{"partialSuccess":{"rejectedSpans":"%d","errorMessage":%q}}`, rejected, whyRejected)
		}
	}
	_, _ = w.Write(reply)
}

// body reads a body, which may be compressed, within its limit.
func (r *receiver) body(from io.Reader, encoding string) (body []byte, code int, err error) {
	switch encoding {
	case "", "identity":
	case "gzip":
		if from, err = gzip.NewReader(from); err != nil {
			return nil, http.StatusBadRequest, errors.New("the body is not compressed as it says")
		}
	default:
		return nil, http.StatusUnsupportedMediaType, errors.New("the body may be compressed by gzip only")
	}
	body, err = io.ReadAll(io.LimitReader(from, int64(r.longest)+1))
	var over *http.MaxBytesError
	switch {
	case len(body) > r.longest || errors.As(err, &over):
		return nil, http.StatusRequestEntityTooLarge, fmt.Errorf("the body has more than %d bytes", r.longest)
	case err != nil:
		return nil, http.StatusBadRequest, errors.New("the body ends too early")
	}
	return body, 0, nil
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
	_, _ = w.Write(body)
}

// partial returns the reply to a request with a number of rejected spans, in protobuf.
func partial(rejected int) []byte {
	if rejected == 0 {
		return nil
	}
	return marshal(func(m *easyproto.MessageMarshaler) {
		success := m.AppendMessage(1)
		success.AppendInt64(1, int64(rejected))
		success.AppendString(2, whyRejected)
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
