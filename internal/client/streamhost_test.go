package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// streamHost is a host whose streams a test writes by hand.
type streamHost struct {
	t        *testing.T
	sids     []string // sessions in turn; the last one stays
	fetched  int
	requests []*http.Request
	streams  chan *io.PipeWriter
	// refuse, if set, answers instead of a stream.
	refuse func(*http.Request) *http.Response
}

func newStreamHost(t *testing.T) *streamHost {
	t.Helper()
	return &streamHost{t: t, sids: []string{"sid-1"}, streams: make(chan *io.PipeWriter)}
}

func (h *streamHost) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/session") {
		sid := h.sids[min(h.fetched, len(h.sids)-1)]
		h.fetched++
		return respond(http.StatusOK, nil, fmt.Sprintf(`{"sid":%q}`, sid)), nil
	}
	h.requests = append(h.requests, r)
	if h.refuse != nil {
		if resp := h.refuse(r); resp != nil {
			return resp, nil
		}
	}
	reader, writer := io.Pipe()
	context.AfterFunc(r.Context(), func() { _ = writer.CloseWithError(context.Cause(r.Context())) })
	select {
	case h.streams <- writer:
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
	return &http.Response{
		StatusCode: http.StatusOK, Body: reader,
		Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
	}, nil
}

// next returns the stream of the next connection, which has started.
func (h *streamHost) next() *io.PipeWriter {
	w := <-h.streams
	send(h.t, w, ":\n\n")
	return w
}

func send(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Errorf("write %q: %v", text, err)
	}
}

func event(seq int, kind, data string) string {
	return fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", seq, kind, data)
}

// reading runs a stream's Next in a goroutine and delivers its signals in order.
type reading struct {
	t       *testing.T
	stream  *Stream
	signals chan Signal
	ended   chan error
}

func read(t *testing.T, h *streamHost, opts StreamOptions) *reading {
	t.Helper()
	return readFrom(t, h, protocol.ServicePlay, opts)
}

// readFrom reads from a host of a service.
func readFrom(t *testing.T, h *streamHost, service protocol.Service, opts StreamOptions) *reading {
	t.Helper()
	c := timedClient(t, h, retry.Default())
	c.service = service
	r := &reading{t: t, stream: c.Events(t.Context(), opts), signals: make(chan Signal, 64), ended: make(chan error, 1)}
	go func() {
		for {
			signal, err := r.stream.Next(t.Context())
			if err != nil {
				r.ended <- err
				return
			}
			r.signals <- signal
		}
	}()
	return r
}

func (r *reading) want(types ...SignalType) (last Signal) {
	r.t.Helper()
	for _, want := range types {
		last = <-r.signals
		if last.Type != want {
			r.t.Fatalf("got %v (%+v), want %v", last.Type, last, want)
		}
	}
	return last
}

func (r *reading) close() {
	r.stream.Close()
	if err := <-r.ended; !errors.Is(err, errStreamClosed) {
		r.t.Errorf("Next ended with %v", err)
	}
}
