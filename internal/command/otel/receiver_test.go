package otel

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/playctl/playctl/internal/otel"
	"github.com/playctl/playctl/protocol"
)

func compressed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestHTTPRefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	limits := otel.Limits{Traces: 10, Spans: 10, Bytes: 1 << 20, Settle: time.Second, Wait: time.Minute}
	for name, c := range map[string]struct {
		method, kind, host, authorization, encoding, body, token string
		want                                                     int
		reply                                                    string
	}{
		"valid":                    {body: "{}", want: http.StatusOK, reply: "{}"},
		"spans without ids":        {body: `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00"}]}]}]}`, want: http.StatusOK, reply: `"rejectedSpans":"1"`},
		"compressed":               {encoding: "gzip", body: compressed(t, "{}"), want: http.StatusOK, reply: "{}"},
		"protobuf":                 {kind: "application/x-protobuf", want: http.StatusOK},
		"another method":           {method: http.MethodGet, want: http.StatusMethodNotAllowed, reply: "POST"},
		"a form post":              {kind: "text/plain", body: "{}", want: http.StatusUnsupportedMediaType, reply: "application/json"},
		"another name":             {host: "example.com", body: "{}", want: http.StatusForbidden, reply: "--allow-host, or use a token"},
		"an allowed name":          {host: "host.docker.internal:4318", body: "{}", want: http.StatusOK, reply: "{}"},
		"no JSON":                  {body: "{", want: http.StatusBadRequest, reply: "not an OTLP request"},
		"no protobuf":              {kind: "application/x-protobuf", body: "\xff", want: http.StatusBadRequest, reply: "not an OTLP request"},
		"too long":                 {body: strings.Repeat(" ", 1<<10) + "{}", want: http.StatusRequestEntityTooLarge, reply: "1024 bytes"},
		"too long uncompressed":    {encoding: "gzip", body: compressed(t, strings.Repeat(" ", 1<<20)), want: http.StatusRequestEntityTooLarge, reply: "1024 bytes"},
		"not compressed":           {encoding: "gzip", body: "{}", want: http.StatusBadRequest, reply: "not compressed"},
		"capitals":                 {encoding: "GZIP", body: compressed(t, "{}"), want: http.StatusOK, reply: "{}"},
		"an old name of gzip":      {encoding: "x-gzip", body: compressed(t, "{}"), want: http.StatusOK, reply: "{}"},
		"ids in base64":            {body: `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"W47/95gDgQPSabYzgT/GDA==","spanId":"7uGbfsOxsXQ="}]}]}]}`, want: http.StatusOK, reply: "base64"},
		"ids of zero":              {body: `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000000","spanId":"eee19b7ec3c1b174"}]}]}]}`, want: http.StatusOK, reply: `"rejectedSpans":"1"`},
		"unsupported compression":  {encoding: "br", body: "{}", want: http.StatusUnsupportedMediaType, reply: "gzip"},
		"without the token":        {token: "secret", body: "{}", want: http.StatusUnauthorized, reply: "token"},
		"with another token":       {token: "secret", authorization: "Bearer guess", body: "{}", want: http.StatusUnauthorized, reply: "token"},
		"with the token, anywhere": {token: "secret", authorization: "Bearer secret", host: "example.com", body: "{}", want: http.StatusOK, reply: "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(otel.NewCollector(limits, nil), 1<<10, 1<<20)
			r.token, r.hosts = protocol.NewSecret(c.token), []string{"host.docker.internal"}
			if c.method == "" {
				c.method = http.MethodPost
			}
			request := httptest.NewRequestWithContext(t.Context(), c.method, "http://127.0.0.1:4318/v1/traces", strings.NewReader(c.body))
			request.Header.Set("Content-Type", "application/json; charset=utf-8")
			if c.kind != "" {
				request.Header.Set("Content-Type", c.kind)
			}
			if c.host != "" {
				request.Host = c.host
			}
			request.Header.Set("Content-Encoding", c.encoding)
			request.Header.Set("Authorization", c.authorization)
			reply := httptest.NewRecorder()
			r.ServeHTTP(reply, request)
			if reply.Code != c.want || !strings.Contains(reply.Body.String(), c.reply) {
				t.Errorf("status %d, %q; want %d, %q", reply.Code, reply.Body, c.want, c.reply)
			}
		})
	}
}

func TestFlagsAreChecked(t *testing.T) {
	t.Parallel()
	good := receiverFlags{http: "127.0.0.1:4318", grpc: "[::1]:4317", agents: 1, body: 1, memory: 1, limits: otel.Limits{Traces: 1, Spans: 1, Settle: 1, Wait: 2}}
	if err := good.check(t.Context()); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*receiverFlags){
		"needs --token-file": func(f *receiverFlags) { f.http = "0.0.0.0:4318" },
		"open to other":      func(f *receiverFlags) { f.grpc = ":4317" },
		"is not an address":  func(f *receiverFlags) { f.grpc = "4317" },
		"ports go up to":     func(f *receiverFlags) { f.http = "127.0.0.1:99999" },
		"is not a port":      func(f *receiverFlags) { f.grpc, f.tokenFile = "0.0.0.0:no", "token" },
		"at most 64":         func(f *receiverFlags) { f.body = 65 },
		"nothing would be":   func(f *receiverFlags) { f.http, f.grpc = off, off },
		"--max-spans is 0":   func(f *receiverFlags) { f.limits.Spans = 0 },
		"--wait more":        func(f *receiverFlags) { f.limits.Wait = 1 },
	} {
		flags := good
		change(&flags)
		if err := flags.check(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Programs send metrics and logs by default, and report refusals.
func TestOtherSignalsAreDropped(t *testing.T) {
	t.Parallel()
	limits := otel.Limits{Traces: 10, Spans: 10, Bytes: 1 << 20, Settle: time.Second, Wait: time.Minute}
	r := newReceiver(otel.NewCollector(limits, nil), 1<<10, 1<<20)
	r.token = protocol.NewSecret("secret")
	running, err := r.listen(t.Context(), &receiverFlags{http: "127.0.0.1:0", grpc: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer running.stop()
	for path, want := range map[string]int{"/v1/traces": http.StatusOK, "/v1/metrics": http.StatusOK, "/v1/logs": http.StatusOK, "/": http.StatusNotFound} {
		for token, code := range map[string]int{"secret": want, "guess": http.StatusUnauthorized} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, running.at.HTTP+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer "+token)
			reply, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(reply.Body)
			if err != nil || reply.StatusCode != code || code == http.StatusNotFound && !strings.Contains(string(text), "/v1/traces") {
				t.Errorf("%s with %s: %d %s %v, want %d", path, token, reply.StatusCode, text, err, code)
			}
			_ = reply.Body.Close()
		}
	}
	http.DefaultClient.CloseIdleConnections()
	conn, err := grpc.NewClient(strings.TrimPrefix(running.at.GRPC, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, service := range []string{"trace.v1.TraceService", "metrics.v1.MetricsService", "logs.v1.LogsService"} {
		for token, want := range map[string]codes.Code{"secret": codes.OK, "guess": codes.Unauthenticated} {
			ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
			err := conn.Invoke(ctx, "/opentelemetry.proto.collector."+service+"/Export", &emptypb.Empty{}, &emptypb.Empty{})
			if status.Code(err) != want {
				t.Errorf("%s with %s: %v, want %v", service, token, err, want)
			}
		}
	}
}

// A request over gRPC may be compressed, and its limit counts what it contains.
func TestGRPCRefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	limits := otel.Limits{Traces: 10, Spans: 10, Bytes: 1 << 20, Settle: time.Second, Wait: time.Minute}
	r := newReceiver(otel.NewCollector(limits, nil), 1<<10, 1<<20)
	running, err := r.listen(t.Context(), &receiverFlags{http: off, grpc: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer running.stop()
	conn, err := grpc.NewClient(strings.TrimPrefix(running.at.GRPC, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for size, want := range map[int]codes.Code{900: codes.OK, 1 << 20: codes.ResourceExhausted} {
		message := &emptypb.Empty{}
		message.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 15, protowire.BytesType), make([]byte, size)))
		for name, options := range map[string][]grpc.CallOption{"plain": nil, "compressed": {grpc.UseCompressor("gzip")}} {
			err := conn.Invoke(t.Context(), "/opentelemetry.proto.collector.trace.v1.TraceService/Export", message, &emptypb.Empty{}, options...)
			if status.Code(err) != want {
				t.Errorf("%d bytes, %s: %v, want %v", size, name, err, want)
			}
		}
	}
	wrong := &emptypb.Empty{}
	wrong.ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1))
	for service, want := range map[string]codes.Code{"trace.v1.TraceService": codes.InvalidArgument, "profiles.v1.ProfilesService": codes.Unimplemented} {
		err := conn.Invoke(t.Context(), "/opentelemetry.proto.collector."+service+"/Export", wrong, &emptypb.Empty{})
		if status.Code(err) != want || strings.Contains(err.Error(), "%") {
			t.Errorf("%s: %v, want %v", service, err, want)
		}
	}
}

// The map file in the documentation is valid.
func TestMapFileInDocumentation(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/otel.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	rules, _, found := strings.Cut(rest, "```")
	if _, err := otel.ParseRules([]byte(rules)); !found || err != nil {
		t.Errorf("the rules of docs/otel.md: %v", err)
	}
}
