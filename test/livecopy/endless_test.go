//go:build full

package livecopy

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// endless is a reply that never ends.
type endless struct {
	path        string
	begin, more string
	// received is part of the reported error; "" if the read is repeated
	// immediately.
	received string
	// most is how much of it a client may read: its limit, and the bytes buffered in
	// the network.
	most int64
}

const (
	okStream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n"
	okJSON   = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
)

// kernelBuffers returns the most bytes that the kernel buffers for a connection: on
// Linux the maximum of a sender's and a receiver's buffer, plus half of that for
// the kernel's overhead.
func kernelBuffers() int64 {
	total := int64(0)
	for _, name := range []string{"tcp_rmem", "tcp_wmem"} {
		most := int64(8 << 20)
		if text, err := os.ReadFile("/proc/sys/net/ipv4/" + name); err == nil {
			if f := strings.Fields(string(text)); len(f) == 3 {
				if n, err := strconv.ParseInt(f[2], 10, 64); err == nil {
					most = n
				}
			}
		}
		total += most
	}
	return total + total/2
}

func endlessReplies() map[string]endless {
	events, rpc, session := protocol.ServicePlay.Events(), protocol.ServicePlay.RPC(), protocol.ServicePlay.Session()
	buffered := kernelBuffers()
	// A reply with a few fields has a separate limit, far below that of a snapshot.
	frame, reply, brief, headers := 8<<20+buffered, 128<<20+buffered, 1<<20+buffered, 64<<10+buffered
	long := strings.Repeat("a", 4000)
	// A reply may be long, and a busy machine reads it in small pieces too slowly
	// for the client's time limit.
	longer := strings.Repeat("a", 256<<10)
	return map[string]endless{
		"a line of data":         {events, okStream + "data: ", long, "longer than", frame},
		"lines of data":          {events, okStream, "data: " + long + "\n", "longer than", frame},
		"an id":                  {events, okStream + "id: ", long, "longer than", frame},
		"a comment":              {events, okStream + ":", long, "longer than", frame},
		"a header":               {events, "HTTP/1.1 200 OK\r\nx-filler: ", long, "header", headers},
		"headers":                {events, "HTTP/1.1 200 OK\r\n", "x-filler: " + long + "\r\n", "header", headers},
		"interim replies":        {events, "", "HTTP/1.1 103 Early Hints\r\nx-filler: " + long + "\r\n\r\n", "header", headers},
		"a snapshot":             {rpc, okJSON + `{"snapshot":"`, longer, "bytes", reply},
		"white space in a reply": {session, okJSON, strings.Repeat(" ", len(longer)), "bytes", brief},
		"headers of a reply":     {rpc, "HTTP/1.1 200 OK\r\n", "x-filler: " + long + "\r\n", "", headers},
	}
}

// endlessProxy is a proxy for a host that sends an endless reply for one path, once.
type endlessProxy struct {
	endless
	next     http.Handler
	reported atomic.Bool
	sent     atomic.Int64
	// finished is closed when the client has stopped reading.
	finished chan struct{}
}

func (l *endlessProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != l.path || l.reported.Swap(true) {
		l.next.ServeHTTP(w, r)
		return
	}
	defer close(l.finished)
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	text := []byte(l.begin)
	for err == nil {
		var n int
		n, err = conn.Write(text)
		l.sent.Add(int64(n))
		text = []byte(l.more)
	}
}

// A host sends without end: the client reads no more than its limit, reports the
// error, and has a verified copy as soon as the host's replies are valid again.
func TestEndlessReplies(t *testing.T) {
	t.Parallel()
	for name, answer := range endlessReplies() {
		t.Run(name, func(t *testing.T) {
			s := openSite(t, "", 1024)
			defer s.close()
			a := newAuthor(s)
			defer a.close()
			l := &endlessProxy{
				endless: answer, finished: make(chan struct{}),
				next: &httputil.ReverseProxy{
					Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: s.addr}) },
					FlushInterval: -1, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
				},
			}
			server := httptest.NewServer(l)
			defer server.Close()
			f := s.subscribe(server.URL)
			defer f.close()
			f.awaitWithin(wholeReply, l.finished, "the end of the endless reply")
			f.await(f.ready, "a verified copy")
			a.readers = []*subscriber{f}
			a.finish()
			f.close()
			f.verify(s.record())
			if sent := l.sent.Load(); sent > l.most {
				t.Errorf("the client read %d bytes", sent)
			}
			received := answer.received == ""
			for _, err := range f.errors {
				received = received || strings.Contains(err.Error(), answer.received)
			}
			if !received {
				t.Errorf("errors %v, want one with %q", f.errors, answer.received)
			}
		})
	}
}

// wholeReply is the time limit for 128 MiB: under the race detector a busy machine
// needs most of a minute.
const wholeReply = 3 * time.Minute

// subscribe subscribes at an address over the SDK's own transport.
func (s *site) subscribe(address string) *subscriber {
	s.t.Helper()
	f := newSubscriber(s, &line{})
	w, err := sdk.New(sdk.Options{
		BaseURL: address, APIKey: protocol.NewSecret("none"), Logger: slog.New(slog.DiscardHandler), Timeout: wholeReply,
	})
	s.must(err)
	f.begin(context.Background(), w)
	return f
}
