package bench

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkRecordInteraction is a chat line from a client's request to its reply,
// which is sent when the line is on stable storage.
func BenchmarkRecordInteraction(b *testing.B) {
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			s := serve(b, 64)
			b.SetParallelism(max(clients/2, 1))
			var next atomic.Int64
			b.ResetTimer()
			if clients == 1 {
				drive(b, s.addr, s.interaction(s.agents[0]), func() bool { return b.Loop() })
				return
			}
			b.RunParallel(func(pb *testing.PB) {
				drive(b, s.addr, s.interaction(s.agents[next.Add(1)%64]), pb.Next)
			})
		})
	}
}

// drive repeats one request on one connection.
func drive(b *testing.B, addr string, request []byte, more func() bool) {
	c := dial(b, addr)
	defer c.close()
	for more() {
		status, body, err := c.do(request)
		if err != nil || status != http.StatusOK {
			b.Errorf("status %d, %v: %s", status, err, body)
			return
		}
	}
}

// BenchmarkSnapshot reads a world of 100 agents through the rpc and the route,
// beside a bare net/http handler that writes the same bytes.
func BenchmarkSnapshot(b *testing.B) {
	s := serve(b, 100)
	rpc := request(s.main, http.MethodPost, "/api/play/sdk/rpc", []byte(`{"op":"getWorldSnapshot","payload":{}}`))
	route := request(s.main, http.MethodGet, "/api/play/snapshot?sid="+s.sid, nil)
	bare := bareHandler(b, s.addr, rpc)
	for _, peer := range []struct {
		name, addr string
		request    []byte
	}{
		{"peer=bare", bare, request(s.main, http.MethodPost, "/", []byte(`{"op":"getWorldSnapshot","payload":{}}`))},
		{"peer=rpc", s.addr, rpc},
		{"peer=route", s.addr, route},
	} {
		b.Run(peer.name, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) { drive(b, peer.addr, peer.request, pb.Next) })
		})
	}
}

// bareHandler serves a real host's reply from memory, the minimum for a Go program.
func bareHandler(b *testing.B, addr string, from []byte) string {
	c := dial(b, addr)
	defer c.close()
	_, body, err := c.do(from)
	must(b, err)
	reply := bytes.Clone(body)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var read bytes.Buffer
		_, _ = read.ReadFrom(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(reply)))
		_, _ = w.Write(reply)
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	b.Cleanup(func() {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			b.Error(err)
		}
	})
	return l.Addr().String()
}

// BenchmarkAuthentication is the cheapest authenticated request, with the right
// hash and with a wrong one. Neither derives a key, which would cost 64 MiB and 0.2
// s; derivations/op counts the derivations.
func BenchmarkAuthentication(b *testing.B) {
	s := serve(b, 1)
	wrong := s.main
	wrong.hash = s.agents[0].hash
	unknown := identity{id: s.main.id[32:] + s.main.id[:32], hash: s.main.hash}
	for _, c := range []struct {
		name   string
		node   identity
		status int
	}{{"right", s.main, 200}, {"wrong", wrong, 401}, {"unknown", unknown, 401}} {
		b.Run(c.name, func(b *testing.B) {
			before := s.derived
			conn := dial(b, s.addr)
			defer conn.close()
			text := request(c.node, http.MethodGet, "/api/play/session", nil)
			for b.Loop() {
				if status, _, err := conn.do(text); err != nil || status != c.status {
					b.Fatalf("status %d, %v", status, err)
				}
			}
			b.ReportMetric(float64(s.derived-before)/float64(b.N), "derivations/op")
		})
	}
}
