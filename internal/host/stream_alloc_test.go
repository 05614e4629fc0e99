package host

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/world"
)

// discard is a connection that accepts and drops everything.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Flush()                      {}

// SetWriteDeadline is what http.ResponseController looks for.
func (d *discard) SetWriteDeadline(time.Time) error { return nil }

// newTestStream returns a stream at a cursor whose output is discarded.
func (f *fixture) newTestStream(cursor uint64) *stream {
	w := &discard{header: http.Header{}}
	return &stream{
		host: f.host, out: &replyOutput{ResponseController: http.NewResponseController(w), w: w}, cursor: cursor, opened: cursor,
		events: make([]*world.Event, 0, maxDispatch),
	}
}

// One more subscriber costs no memory for an event: all share the frame.
func TestSendingEventDoesNotAllocate(t *testing.T) {
	f := newFixture(t)
	agent := f.player(f.main())
	start := f.world.Events().Head()
	f.say(agent, "hello")
	s := f.newTestStream(start)
	log := f.world.Events()
	allocs := testing.AllocsPerRun(200, func() {
		s.cursor = start
		events, _, err := log.Since(s.cursor, s.events[:0])
		if err != nil || len(events) != 1 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		if end := s.send(events); end != "" {
			t.Fatalf("the stream ended: %s", end)
		}
	})
	if allocs != 0 {
		t.Errorf("sending an event to one more subscriber allocates %v times", allocs)
	}
}

func BenchmarkSendOneEvent(b *testing.B) {
	f := newFixture(b)
	agent := f.player(f.main())
	start := f.world.Events().Head()
	f.say(agent, "hello")
	s := f.newTestStream(start)
	b.ReportAllocs()
	for b.Loop() {
		s.cursor = start
		events, _, err := f.world.Events().Since(s.cursor, s.events[:0])
		if err != nil {
			b.Fatal(err)
		}
		s.send(events)
	}
}

func BenchmarkSession(b *testing.B) {
	f := newFixture(b)
	main := f.main()
	for name, who := range map[string]identity{"right": main, "wrong": {main.id, f.newIdentity().hash, ""}} {
		b.Run(name, func(b *testing.B) {
			r := f.request(http.MethodGet, "/api/play/session", nil, as(who))
			b.ReportAllocs()
			for b.Loop() {
				f.handler.ServeHTTP(&discard{header: http.Header{}}, r)
			}
		})
	}
}

func BenchmarkSnapshotReply(b *testing.B) {
	f := newFixture(b)
	main := f.main()
	for range 20 {
		f.player(main)
	}
	body := `{"op":"getWorldSnapshot","payload":{}}`
	r := f.request(http.MethodPost, "/api/play/sdk/rpc", nil, as(main))
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = int64(len(body))
	b.ReportAllocs()
	for b.Loop() {
		r.Body = io.NopCloser(strings.NewReader(body))
		f.handler.ServeHTTP(&discard{header: http.Header{}}, r)
	}
}
