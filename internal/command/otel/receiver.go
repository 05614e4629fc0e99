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

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // exporters may compress
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

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
	at     listening
	web    *http.Server
	rpc    *grpc.Server
	failed chan error
	runs   sync.WaitGroup
}

func (r *receiver) listen(ctx context.Context, flags *receiverFlags) (*servers, error) {
	s := &servers{failed: make(chan error, 2)}
	if flags.http != off {
		listener, err := command.Listen(ctx, flags.http, mostConnections)
		if err != nil {
			return nil, err
		}
		s.at.HTTP = "http://" + listener.Addr().String()
		s.web = &http.Server{
			Handler: r.routes(), ReadHeaderTimeout: requestTimeout, ReadTimeout: requestTimeout, WriteTimeout: requestTimeout, MaxHeaderBytes: mostHeaderBytes,
		}
		s.run(func() error { return s.web.Serve(listener) })
	}
	if flags.grpc != off {
		listener, err := command.Listen(ctx, flags.grpc, mostConnections)
		if err != nil {
			s.stop()
			return nil, err
		}
		s.at.GRPC = "http://" + listener.Addr().String()
		s.rpc = r.rpcServer()
		s.run(func() error { return s.rpc.Serve(listener) })
	}
	return s, nil
}

func (s *servers) run(serve func() error) {
	s.runs.Go(func() { s.failed <- serve() })
}

// rpcServer returns the server for OTLP over gRPC, without a listener.
func (r *receiver) rpcServer() *grpc.Server {
	server := grpc.NewServer(grpc.MaxRecvMsgSize(r.longest), grpc.MaxConcurrentStreams(mostStreams), grpc.ConnectionTimeout(requestTimeout),
		grpc.MaxHeaderListSize(mostHeaderBytes), grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: requestTimeout}))
	for _, service := range services {
		server.RegisterService(service, r)
	}
	return server
}

// stop ends the servers, after a short time for the requests in progress.
func (s *servers) stop() {
	late, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	if s.rpc != nil {
		drained := context.AfterFunc(late, s.rpc.Stop)
		s.rpc.GracefulStop()
		drained()
	}
	if s.web != nil {
		if err := s.web.Shutdown(late); err != nil {
			_ = s.web.Close()
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
	reply := partial(rejected)
	w.Header().Set("Content-Type", "application/x-protobuf")
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

// refuse replies with a message of the type Status, as OTLP requires.
func refuse(w http.ResponseWriter, isJSON bool, code int, why string) {
	w.Header().Set("Content-Type", "application/x-protobuf")
	body, err := proto.Marshal(status.New(codes.Unknown, why).Proto())
	if isJSON || err != nil {
		w.Header().Set("Content-Type", protocol.MediaTypeJSON)
		body = fmt.Appendf(nil, `{"message":%q}`, why)
	}
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

// partial returns the reply to a request with rejected spans, in protobuf.
func partial(rejected int) []byte {
	if rejected == 0 {
		return nil
	}
	inner := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(rejected))
	inner = protowire.AppendString(protowire.AppendTag(inner, 2, protowire.BytesType), whyRejected)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), inner)
}

// services are the services of OTLP over gRPC. The generated packages would add a gateway
// and its libraries; their messages have the same form as those used here.
var services = []*grpc.ServiceDesc{
	serviceOf("trace.v1.TraceService", (*receiver).take),
	serviceOf("metrics.v1.MetricsService", nil),
	serviceOf("logs.v1.LogsService", nil),
}

// serviceOf describes a service that calls take for each export, or drops it if take is
// nil.
func serviceOf(name string, take func(*receiver, *tracepb.TracesData) (rejected int, err error)) *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: "opentelemetry.proto.collector." + name,
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{
			MethodName: "Export",
			Handler: func(server any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
				r, ok := server.(*receiver)
				if !ok {
					return nil, status.Error(codes.Internal, "there is no receiver")
				}
				return r.export(ctx, decode, take)
			},
		}},
	}
}

func (r *receiver) export(ctx context.Context, decode func(any) error, take func(*receiver, *tracepb.TracesData) (int, error)) (any, error) {
	shown := metadata.ValueFromIncomingContext(ctx, "authorization")
	if !r.token.IsZero() && (len(shown) != 1 || !r.shows(shown[0])) {
		return nil, status.Error(codes.Unauthenticated, "the bearer token is missing or wrong") //nolint:wrapcheck // the protocol's own error
	}
	if take == nil {
		dropped := &emptypb.Empty{}
		return &emptypb.Empty{}, decode(dropped)
	}
	data := &tracepb.TracesData{}
	if err := decode(data); err != nil {
		return nil, err
	}
	rejected, err := take(r, data)
	if err != nil {
		return nil, status.Error(codes.Unavailable, err.Error()) //nolint:wrapcheck // as above
	}
	reply := &emptypb.Empty{}
	reply.ProtoReflect().SetUnknown(partial(rejected))
	return reply, nil
}
