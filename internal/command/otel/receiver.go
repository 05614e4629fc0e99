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

	"connectrpc.com/connect"
	collectorpb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

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

// take collects the spans of a request and returns the number of rejected spans.
func (r *receiver) take(data *tracepb.TracesData) (rejected int, err error) {
	spans, malformed := otel.Read(data, r.content)
	if r.strange != nil && len(spans) > 0 && !slices.ContainsFunc(spans, func(s *otel.Span) bool { return s.Kind != otel.Other }) {
		r.told.Do(func() { r.strange(spans[0].Service) })
	}
	rejected, err = r.collector.Add(r.now(), spans)
	return rejected + malformed, err
}

const whyRejected = "spans without a valid id, or more than the trace may have"

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
	server := newServer(r.procedures())
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
		mux.HandleFunc(path, func(w http.ResponseWriter, q *http.Request) { r.guard(w, q, r.drop) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, q *http.Request) {
		r.guard(w, q, func(w http.ResponseWriter, _ *http.Request, isJSON bool) {
			refuse(w, isJSON, http.StatusNotFound, "traces are received at /v1/traces")
		})
	})
	return mux
}

// ServeHTTP handles a request of OTLP over HTTP.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) { r.guard(w, q, r.serve) }

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
		refuse(w, isJSON, http.StatusUnauthorized, "the bearer token is missing or wrong")
	case !isJSON && kind != "application/x-protobuf":
		refuse(w, isJSON, http.StatusUnsupportedMediaType, "the body must be application/x-protobuf or application/json")
	default:
		next(w, q, isJSON)
	}
}

// drop reads a request and discards it.
func (r *receiver) drop(w http.ResponseWriter, q *http.Request, isJSON bool) {
	if _, code, err := r.body(w, q); err != nil {
		refuse(w, isJSON, code, err.Error())
		return
	}
	accept(w, isJSON, 0)
}

func (r *receiver) serve(w http.ResponseWriter, q *http.Request, isJSON bool) {
	body, code, err := r.body(w, q)
	if err != nil {
		refuse(w, isJSON, code, err.Error())
		return
	}
	parse := otel.ParseProto
	if isJSON {
		parse = otel.ParseJSON
	}
	data, err := parse(body)
	if err != nil {
		refuse(w, isJSON, http.StatusBadRequest, "the body is not an OTLP request")
		return
	}
	rejected, err := r.take(data)
	if err != nil {
		w.Header().Set("Retry-After", "1")
		refuse(w, isJSON, http.StatusServiceUnavailable, err.Error())
		return
	}
	accept(w, isJSON, rejected)
}

// accept replies to a request with a number of rejected spans.
func accept(w http.ResponseWriter, isJSON bool, rejected int) {
	w.Header().Set("Content-Type", "application/x-protobuf")
	reply, _ := proto.Marshal(partial(rejected)) // it has only valid text, so there is no error
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
func (r *receiver) body(w http.ResponseWriter, q *http.Request) (body []byte, code int, err error) {
	var from io.Reader = http.MaxBytesReader(w, q.Body, int64(r.longest))
	switch q.Header.Get("Content-Encoding") {
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
	body := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), why)
	if isJSON {
		w.Header().Set("Content-Type", protocol.MediaTypeJSON)
		body = fmt.Appendf(nil, `{"message":%q}`, why)
	}
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

// partial returns the reply to a request with a number of rejected spans.
func partial(rejected int) *collectorpb.ExportTraceServiceResponse {
	if rejected == 0 {
		return &collectorpb.ExportTraceServiceResponse{}
	}
	return &collectorpb.ExportTraceServiceResponse{
		PartialSuccess: &collectorpb.ExportTracePartialSuccess{RejectedSpans: int64(rejected), ErrorMessage: whyRejected},
	}
}

// procedures returns the handler for OTLP over gRPC. Metrics and logs are dropped, as over
// HTTP.
func (r *receiver) procedures() http.Handler {
	gate := connect.WithRequestGate(func(ctx context.Context, _ connect.Spec, _ connect.Peer, header http.Header) (context.Context, error) {
		if !r.shows(header.Get("Authorization")) {
			return nil, connect.NewError(connect.CodeUnauthenticated, errors.New("the bearer token is missing or wrong"))
		}
		return ctx, nil
	})
	longest := connect.WithReadMaxBytes(r.longest)
	mux := http.NewServeMux()
	traces := "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	mux.Handle(traces, connect.NewUnaryHandlerSimple(traces, r.export, gate, longest))
	for _, dropped := range []string{"/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", "/opentelemetry.proto.collector.logs.v1.LogsService/Export"} {
		mux.Handle(dropped, connect.NewUnaryHandlerSimple(dropped, func(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
			return &emptypb.Empty{}, nil
		}, gate, longest))
	}
	return mux
}

// export receives traces over gRPC: a request and a TracesData have the same form on the
// wire.
func (r *receiver) export(_ context.Context, data *tracepb.TracesData) (*collectorpb.ExportTraceServiceResponse, error) {
	rejected, err := r.take(data)
	if err != nil {
		return nil, connect.NewError(connect.CodeUnavailable, err)
	}
	return partial(rejected), nil
}
