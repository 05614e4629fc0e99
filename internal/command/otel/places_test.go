package otel

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/playctl/playctl/internal/otel"
)

var ampleLimits = otel.Limits{Traces: 1000, Spans: 1000, Bytes: 16 << 20, Settle: time.Second, Wait: time.Minute}

const fewConnections = 8

// serving starts a receiver with little patience and few places.
func serving(t *testing.T, r *receiver) *servers {
	t.Helper()
	r.places.patience, r.places.most = time.Millisecond, fewConnections
	running, err := r.listen(t.Context(), &receiverFlags{http: "127.0.0.1:0", grpc: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running.stop)
	return running
}

// export sends an empty request over HTTP and returns the status.
func export(t *testing.T, address string) int {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/v1/traces", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	reply, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = reply.Body.Close()
	return reply.StatusCode
}

// connect opens connections over which a text is sent, and nothing more.
func connect(t *testing.T, address string, count int, text string) []net.Conn {
	t.Helper()
	var all []net.Conn
	for range count {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		all = append(all, conn)
	}
	return all
}

const stalledBody = "POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"

// Connections that stall lose their places to others.
func TestStalledConnectionsKeepOutNobody(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a body": stalledBody, "a header": "POST /v1/traces HTTP/1.1\r\nHost: 127", "nothing": "", "a finished request": "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := serving(t, newReceiver(otel.NewCollector(ampleLimits, nil), 1<<10, 1<<20)).at
			connect(t, at.HTTP, 5*fewConnections, text)
			connect(t, at.GRPC, 2*fewConnections, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
			if code := export(t, at.HTTP); code != http.StatusOK {
				t.Errorf("over HTTP: %d", code)
			}
			conn, err := grpc.NewClient(strings.TrimPrefix(at.GRPC, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if err := conn.Invoke(t.Context(), "/opentelemetry.proto.collector.trace.v1.TraceService/Export", &emptypb.Empty{}, &emptypb.Empty{}, grpc.WaitForReady(true)); err != nil {
				t.Errorf("over gRPC: %v", err)
			}
		})
	}
}

// The memory of bodies is bounded: one that stalls loses its memory, and a request is sent
// again if all others are in progress.
func TestMemoryOfBodiesIsBounded(t *testing.T) {
	t.Parallel()
	s := newPlaces(4, 100)
	one, other := s.admit(&net.TCPConn{}, nil), s.admit(&net.TCPConn{}, nil)
	if err := s.hold(one, 60); err != nil {
		t.Fatal(err)
	}
	if err := s.hold(other, 60); err == nil {
		t.Error("more was held than there is")
	}
	one.since = one.since.Add(-2 * s.patience)
	if err := s.hold(other, 60); err != nil || s.all[one] || s.bytes != 60 {
		t.Errorf("the memory of a stalled request is still held: %v, %d bytes", err, s.bytes)
	}
	s.release(one, 60)
	s.release(other, 60)
	if s.bytes != 0 {
		t.Errorf("%d bytes are held by nobody", s.bytes)
	}
	s.hold(one, 1) //nolint:errcheck // it has no place
	busy := s.admit(&net.TCPConn{}, nil)
	if err := s.hold(busy, 60); err != nil {
		t.Fatal(err)
	}
	busy.since = busy.since.Add(-2 * s.patience)
	s.keep(busy, 1)
	if err := s.hold(other, 60); err == nil {
		t.Error("a request that is being unpacked lost its memory")
	}
}

// A receiver without room says when to send again.
func TestFullReceiverAsksToSendAgain(t *testing.T) {
	t.Parallel()
	r := newReceiver(otel.NewCollector(ampleLimits, nil), 1<<10, 1<<10)
	at := serving(t, r).at
	if err := r.places.hold(nil, 1<<10-1); err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at.HTTP+"/v1/traces", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer func() { _ = reply.Body.Close() }()
	if reply.StatusCode != http.StatusServiceUnavailable || reply.Header.Get("Retry-After") != "1" {
		t.Errorf("%d, Retry-After %q", reply.StatusCode, reply.Header.Get("Retry-After"))
	}
	conn, err := grpc.NewClient(strings.TrimPrefix(at.GRPC, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	message := &emptypb.Empty{}
	message.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 15, protowire.BytesType), make([]byte, 10)))
	err = conn.Invoke(t.Context(), "/opentelemetry.proto.collector.trace.v1.TraceService/Export", message, &emptypb.Empty{})
	if status.Code(err) != codes.Unavailable || !strings.Contains(fmt.Sprint(status.Convert(err).Details()), "retry_delay:{seconds:1}") {
		t.Errorf("over gRPC: %v with %v", err, status.Convert(err).Details())
	}
}

// Only a few requests are unpacked at the same time.
func TestFewRequestsAreUnpackedAtOnce(t *testing.T) {
	t.Parallel()
	r := newReceiver(otel.NewCollector(ampleLimits, nil), 1<<10, 1<<20)
	var inside, most int
	entered, leave, done := make(chan bool), make(chan bool), make(chan bool)
	for range 2 * mostUnpacking {
		go func() {
			_, _, err := r.receive(context.Background(), bytes.NewReader([]byte("{}")), "", true, func([]byte, bool) (otel.Rejected, int, error) {
				entered <- true
				<-leave
				return otel.Rejected{}, 0, nil
			})
			if err != nil {
				t.Error(err)
			}
			done <- true
		}()
	}
	for finished := 0; finished < 2*mostUnpacking; {
		select {
		case <-entered:
			inside++
			most = max(most, inside)
		case leave <- true:
			inside--
		case <-done:
			finished++
		}
	}
	if most > mostUnpacking {
		t.Errorf("%d requests were unpacked at once", most)
	}
}
