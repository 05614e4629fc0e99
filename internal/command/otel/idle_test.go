package otel

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/playctl/playctl/internal/otel"
)

// An idle connection is closed to make room for others: their number is limited.
// Exporters reconnect for the next request.
func TestIdleGRPCConnectionsAreClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := otel.Limits{Traces: 10, Spans: 10, Bytes: 1 << 20, Settle: time.Second, Wait: time.Minute}
		r := newReceiver(otel.NewCollector(limits, nil), 1<<10, 1<<20)
		listener := bufconn.Listen(64 << 10)
		server := r.rpcServer()
		served := make(chan error)
		go func() { served <- server.Serve(listener) }()
		conn, err := grpc.NewClient("passthrough:memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
		if err != nil {
			t.Fatal(err)
		}
		export := func() {
			t.Helper()
			if err := conn.Invoke(t.Context(), "/opentelemetry.proto.collector.trace.v1.TraceService/Export", &emptypb.Empty{}, &emptypb.Empty{}); err != nil {
				t.Error(err)
			}
		}
		export()
		<-time.After(requestTimeout / 2)
		if state := conn.GetState(); state != connectivity.Ready {
			t.Errorf("a connection that was used a moment ago is %v", state)
		}
		<-time.After(requestTimeout)
		if state := conn.GetState(); state != connectivity.Idle {
			t.Errorf("a connection that is not used is %v", state)
		}
		export()
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		if err := server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
}
